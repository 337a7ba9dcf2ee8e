// A start, from what the shopper typed to what a refusal means: checks the form, waits for what the page asked for,
// keeps the idempotency key, and sends until an answer arrives. The session puts these together.
import {
  type Method,
  type OrderClaims,
  type OrderView,
  type PaymentView,
  type StartPayment,
} from '../../backend-proxy/protocol/wire.ts';
import { asciiDigits } from '../shell/language.ts';
import { FOLLOWING, type FieldErrors, type SessionState, type Trouble } from '../shell/state.ts';
import { ProxyError, type ProxyClient } from './proxy-client.ts';
import { amountBundle, asksWalletId, chosenMethod, offeredMethods, sharesRow } from './provided.ts';
import type { Wait } from './stream.ts';

// Checks what the shopper typed and makes the body of the start from it. The proxy decides about digits and bounds;
// this check says the same at once, beside the field.

type CheckedForm = { body: StartPayment; errors?: undefined } | { body?: undefined; errors: FieldErrors };

/** Only once the typed amount can be read, if the order leaves it open. */
export function checkForm(state: SessionState, method: Method, language: string): CheckedForm {
  const { claims, form } = state;
  const errors: FieldErrors = {};
  const body: StartPayment = { method };
  if (claims?.amount === undefined) {
    const amount = formAmount(state, language, false);
    Object.assign(errors, amountBundle?.amountErrors(state, amount, language));
    if (amount) body.amount = amount;
  }
  if (asksWalletId(method, claims)) {
    const customer = readWalletId(form.customer);
    if (customer) body.customer = customer;
    else errors.customer = form.customer.trim() ? 'walletWrong' : 'walletEmpty';
  }
  return errors.amount || errors.customer ? { errors } : { body };
}

/**
 * The digits of a wallet id in any shape that people copy, such as "Wallet 1234-5678"; null if they are too few or too
 * many, or if letters follow, as in an e-mail address.
 */
function readWalletId(typed: string): string | null {
  const bare = asciiDigits(typed.normalize('NFKC')).replaceAll(/[^\p{L}\d@]/gu, '');
  return /^\p{L}*(\d{4,20})$/u.exec(bare)?.[1] ?? null;
}

/** A wallet id in groups of four, held together; other texts as they were typed. */
export const groupedWalletId = (typed: string): string =>
  readWalletId(typed)?.replaceAll(/\d{4}(?=\d)/g, '$&\u00a0') ?? typed;

/** The language of the gateway's own pages: ISO 639-1, two letters. */
export function gatewayLanguage(tag: string): Pick<StartPayment, 'language'> {
  const { language } = new Intl.Locale(tag || 'en');
  return language.length === 2 ? { language } : {};
}

/** The amount to pay as far as it is known: the order's, else the typed one; null if that cannot be read or accepted. */
export function formAmount(state: SessionState, language: string, isChecked = true): string | null {
  const { claims, order, form } = state;
  if (claims?.amount !== undefined || form.amount === null) return order.amount;
  return amountBundle?.typedAmount(state, language, isChecked) ?? null;
}

// Sends the start. A lost answer says nothing about the payment, so the same body is sent again with the same key, which
// never starts a second payment; five times at most, because the shopper is waiting.

/** Pause after each try, randomly half to one and a half times as long; 0 after the last try. */
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 0];

interface StartAttempt {
  client: ProxyClient;
  body: StartPayment;
  key: string;
  signal: AbortSignal;
  /** Whether the answer is no longer needed: the stream has shown the payment, or the shopper has left it. */
  isOver(): boolean;
  /** Called after each try without an answer. */
  onRetry(): void;
  wait: Wait;
  random(): number;
}

/** The view, or why there is none; null if the answer was no longer needed when it came. */
export async function startPayment(attempt: StartAttempt): Promise<OrderView | ProxyError | null> {
  const { client, body, key, signal, isOver, onRetry, wait, random } = attempt;
  for (const pauseMs of PAUSES_MS) {
    try {
      const view = await client.start(body, key, signal);
      return signal.aborted ? null : view;
    } catch (thrown) {
      if (isOver()) return null;
      const error = thrown instanceof ProxyError ? thrown : new ProxyError();
      if (!pauseMs || !isLost(error)) return error;
    }
    onRetry();
    await wait(pauseMs * (0.5 + random()), signal);
    if (isOver()) return null;
  }
  return null;
}

/** Whether the proxy may still have started the payment. */
function isLost({ problem: { status, retryable } }: ProxyError): boolean {
  return retryable && (!status || status >= 500);
}

/** A start whose answer has not arrived yet: which body has which key, and which payment belongs to it. */
export interface PendingStart {
  orderId: string;
  /** The body as JSON. The same body again is sent with the same key. */
  text: string;
  key: string;
  /** `createdAt` of the payment before it; null if there was none, undefined if it is not known. */
  before: string | null | undefined;
  /** It takes long, so the shopper is shown whatever the stream says about it. */
  isSlow: boolean;
}

/** The previous start if it had the same body, else a new one. */
export function pendingStart(
  previous: PendingStart | undefined,
  text: string,
  { orderId, version, payment }: OrderView,
  newKey: () => string,
): PendingStart {
  if (previous?.text === text) return previous;
  const before = version < 0 ? undefined : (payment?.createdAt ?? null);
  return { orderId, text, key: newKey(), before, isSlow: false };
}

/** Whether the payment did not exist before the start, so that it is the one started, even if the answer was lost. */
export function isStartedBy({ before }: PendingStart, payment: PaymentView): boolean {
  return before !== undefined && payment.createdAt !== before;
}

/** How long the page may take. */
export const PAGE_LIMIT_MS = 30_000;

const TIMEOUT: Trouble = {
  code: 'page_timeout',
  retryable: false,
  detail: `A promise given to waitUntil() took over ${PAGE_LIMIT_MS / 1000} seconds.`,
};

/** Null once all are fulfilled. A rejection's message is shown; without one, that the details should be checked. */
export async function troubleOfPage(
  promises: readonly Promise<unknown>[],
  wait: (ms: number) => Promise<void>,
): Promise<Trouble | null> {
  const refused = (reason: Error | string | null | undefined): Trouble => {
    const message = (reason as Error | undefined)?.message ?? reason;
    return { code: 'invalid_request', retryable: false, message: typeof message === 'string' ? message : '' };
  };
  const timeUp = wait(PAGE_LIMIT_MS).then(() => TIMEOUT);
  return Promise.race([Promise.all(promises).then(() => null, refused), timeUp]);
}

// Turns a proxy's error into a change of the state: it is shown beside a field, at the choice, in place of the choice
// if the proxy accepts no further payment, as a payment that is checked, or for good. Pure.

type Problem = ProxyError['problem'];

/** Refusals that the next view says too, and how. */
const SAID_BY_VIEW: Partial<Record<string, 'checking' | 'closed'>> = {
  payment_under_review: 'checking',
  order_closed: 'closed',
};

/** `method`: that of the refused start; undefined if nothing more can be done with this token. */
export function refusedState(
  problem: Problem,
  state: SessionState,
  language: string,
  method: Method | undefined,
): Partial<SessionState> {
  const trouble = troubleOf(problem);
  if (!method) {
    const activity = { at: 'stopped', trouble } as const;
    if (problem.code !== 'invalid_token' || state.order.version >= 0) return { activity };
    // Anybody could have written what such a token says, the shop and the price included.
    const claims = { language: state.claims?.language } as OrderClaims;
    return { activity, claims, order: { ...state.order, amount: null, description: null } };
  }
  // Says what the next view will say, and ends with it.
  const said = SAID_BY_VIEW[problem.code];
  if (said) return { activity: FOLLOWING, order: { ...state.order, [said]: true } };
  const refused = offeredMethods(state).filter((each) => sharesRow(each, method));
  const unavailable = problem.code === 'method_unavailable' ? [...state.unavailable, ...refused] : state.unavailable;
  return {
    activity: { at: 'choosing', trouble, errors: fieldErrors(problem, state, language) },
    unavailable,
    ...(isFinal(problem, { ...state, unavailable }) && { blocked: trouble }),
  };
}

export function troubleOf({ code, retryable, requestId, detail }: Problem): Trouble {
  return { code, retryable, requestId, detail };
}

/** Whether no other try can help: not the same one, not a corrected field, not another method. */
function isFinal({ code, retryable }: Problem, state: SessionState): boolean {
  if (retryable || code === 'invalid_request') return false;
  return code !== 'method_unavailable' || !chosenMethod(state);
}

function fieldErrors({ errors = [] }: Problem, state: SessionState, language: string): FieldErrors {
  const isWrong = (name: string) => errors.some(({ field }) => field === name);
  return {
    ...(isWrong('customer') && { customer: 'walletWrong' }),
    ...(isWrong('amount') && { amount: 'amountWrong', example: amountBundle?.exampleAmount(state, language) ?? '' }),
  };
}
