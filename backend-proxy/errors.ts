// Every error that the API answers, and why the proxy did not start, for the log.
// An error has its HTTP status, title, and whether a retry may succeed. It is thrown as one class, `Refusal`, and
// turned into application/problem+json (RFC 9457) by http/answer.ts. The kinds are the stable `code`s of problem
// documents: add, never rename.
import type { core } from 'zod';
import { editDistance } from './protocol/nearest.ts';
import type { NotRefundable } from './protocol/refundable.ts';
import type { Transaction } from './protocol/transaction.ts';
import { REMEDIES } from './installation.ts';

export const REFUSALS = {
  invalid_request: { status: 400, title: 'The request is not valid', retryable: false },
  invalid_token: { status: 401, title: 'The order token is not valid', retryable: false },
  token_expired: { status: 401, title: 'The order token has expired', retryable: false },
  unauthorized: { status: 401, title: 'The API key is missing or wrong', retryable: false },
  forbidden_origin: { status: 403, title: 'Requests from this origin are not allowed', retryable: false },
  forbidden_scope: { status: 403, title: 'The API key may not do this', retryable: false },
  not_found: { status: 404, title: 'Not found', retryable: false },
  already_paid: { status: 409, title: 'The order is already paid', retryable: false },
  order_closed: { status: 409, title: 'The shop has closed the order', retryable: false },
  payment_open: { status: 409, title: 'A payment of the order is under way', retryable: true },
  payment_under_review: { status: 409, title: 'A payment of the order is under review', retryable: false },
  order_changed: { status: 409, title: 'The order was started with another amount or currency', retryable: false },
  no_review_needed: { status: 409, title: 'The transaction needs no review', retryable: false },
  version_changed: { status: 409, title: 'The transaction has changed meanwhile', retryable: false },
  gateway_contradicts: { status: 409, title: 'The gateway reports the contrary', retryable: false },
  not_refundable: { status: 409, title: 'The payment cannot be refunded', retryable: false },
  not_ended: { status: 409, title: 'The order cannot be erased yet', retryable: true },
  order_id_taken: { status: 409, title: 'The order id is used by another transaction', retryable: false },
  erased: { status: 410, title: 'What was to be sent is erased', retryable: false },
  payload_too_large: { status: 413, title: 'The request is too large', retryable: false },
  unsupported_media_type: { status: 415, title: 'The body must be application/json', retryable: false },
  method_unavailable: { status: 422, title: 'This order cannot be paid by this method', retryable: false },
  idempotency_key_reused: { status: 422, title: 'The idempotency key was used for another request', retryable: false },
  too_many_payments: { status: 429, title: 'The order has too many payments', retryable: false },
  too_many_prompts: { status: 429, title: 'The wallet received too many requests', retryable: true },
  too_many_requests: { status: 429, title: 'Too many requests', retryable: true },
  internal: { status: 500, title: 'Internal error', retryable: true },
  unavailable: { status: 503, title: 'Temporarily unavailable', retryable: true },
  too_many_streams: { status: 503, title: 'Too many open streams', retryable: true },
} as const satisfies Record<string, { status: number; title: string; retryable: boolean }>;

export type RefusalKind = keyof typeof REFUSALS;
type Status = (typeof REFUSALS)[RefusalKind]['status'];

export interface FieldError {
  field: string;
  detail: string;
}

/** Zod errors as field and allowed values, never the value sent. `known`: the fields that there are. */
export function fieldErrorsOf(error: core.$ZodError, known: readonly string[] = []): FieldError[] {
  const unknown = (key: string) => {
    const meant = known.find((name) => editDistance(key, name) <= 1);
    return meant === undefined ? 'unknown field' : `unknown field, most likely ${meant}`;
  };
  return error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ field: [...issue.path, key].join('.'), detail: unknown(key) }))
      : [{ field: issue.path.join('.') || 'body', detail: issue.message }],
  );
}

/** What only some problem documents have. */
export interface ProblemMembers {
  /** Why a payment cannot be refunded. */
  cause?: NotRefundable;
  /** ISO time: when that ends by itself. */
  until?: string;
  /** Decimal string: the most that can be refunded. */
  refundable?: string;
}

interface RefusalOptions {
  /** In place of the kind's. */
  status?: Status;
  errors?: FieldError[];
  /** More of the problem document. */
  members?: ProblemMembers;
  /** Whole seconds; sent as `Retry-After`. */
  retryAfterS?: number;
  /** The database may have written it, or may write it yet. */
  mayBeWritten?: boolean;
  cause?: unknown;
}

/** A database error, as the caller sees it: a retry with the same key may succeed. */
export function unavailable(cause: unknown, mayBeWritten = false): Refusal {
  const detail = 'The payment database is temporarily unavailable. Try again.';
  return new Refusal('unavailable', detail, { mayBeWritten, cause });
}

/** `detail` is shown to the caller: no secret, no token, no text of the gateway. */
export class Refusal extends Error {
  readonly kind: RefusalKind;
  readonly status: Status;
  readonly errors: FieldError[] | undefined;
  readonly members: ProblemMembers;
  readonly retryAfterS: number | undefined;
  readonly mayBeWritten: boolean;

  constructor(
    kind: RefusalKind,
    detail: string,
    { status, errors, members = {}, retryAfterS, mayBeWritten = false, cause }: RefusalOptions = {},
  ) {
    super(detail, { cause });
    this.name = 'Refusal';
    this.kind = kind;
    this.status = status ?? REFUSALS[kind].status;
    this.errors = errors;
    this.members = members;
    this.retryAfterS = retryAfterS;
    this.mayBeWritten = mayBeWritten;
  }
}

/** The database was restored: before a payout or refund is sent, the gateway is asked what it has of it. */
export class LookUpNeeded extends Refusal {
  readonly restoredAt: number;
  /** Of a refund: its payment, and the refunds of it that the database has. */
  readonly refunded: { payment: Transaction; refunds: readonly Transaction[] } | undefined;

  constructor(restoredAt: number, refunded?: LookUpNeeded['refunded']) {
    const detail = 'The database was restored meanwhile, so the gateway has to be asked again; nothing was sent.';
    super('unavailable', `${detail} Try again.`, { retryAfterS: 1 });
    this.restoredAt = restoredAt;
    this.refunded = refunded;
  }
}

const MAX_MESSAGE_CHARS = 300;
const MAX_CAUSES = 3;
/** Long words with a digit, like keys and tokens, and numbers of six digits and more, like wallet ids. */
const MAY_BE_SECRET = /(?=\S*\d)\S{16,}|\d{6,}/g;

/**
 * For the log: name, code and place of an error and of its causes. The message only of what quotes no request and not
 * the gateway: our refusals, the database (`isOfDatabase`) and the operating system; without what may be a secret.
 */
export function describeError(error: unknown, isOfDatabase = false, causes = MAX_CAUSES): string {
  if (!(error instanceof Error)) return typeof error;
  const code = 'code' in error ? ` ${String(error.code)}` : '';
  const isQuotable = isOfDatabase || error instanceof Refusal || OWN_FIELDS.some((field) => field in error);
  const message = isQuotable ? `: ${error.message.replaceAll(MAY_BE_SECRET, '…').slice(0, MAX_MESSAGE_CHARS)}` : '';
  const place = error.stack?.split('\n').find((line) => line.trimStart().startsWith('at '));
  const described = `${error.name}${code}${message}${place ?? ''}`;
  if (error.cause === undefined || causes === 0) return described;
  const isDatabases = error instanceof Refusal && error.kind === 'unavailable';
  return `${described}, caused by ${describeError(error.cause, isDatabases, causes - 1)}`;
}

/** What only errors of the operating system, of SQLite and of PostgreSQL have. */
const OWN_FIELDS = ['syscall', 'errcode', 'severity'];

// Why the proxy did not start, for the log: the messages of an error and its causes. Stacks are left out, and so are
// user names and passwords of URLs, which an error of the system or a driver may quote.

const MAX_MESSAGES = 8;

/** The messages from the outermost error to its first cause, each only once. */
export function whyNotStarted(error: unknown): string {
  const words: string[] = [];
  for (let [each, left]: [unknown, number] = [error, MAX_MESSAGES]; each !== undefined && left > 0; left -= 1) {
    const message = messageOf(each);
    if (message !== '' && !words.some((word) => word.includes(message))) words.push(message);
    each = each instanceof Error ? each.cause : undefined;
  }
  return withoutCredentials(words.join(': '));
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isMissing = 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
  return isMissing
    ? `${error.message.split('\n')[0]}: the dependencies are not installed; ${REMEDIES.dependencies}.`
    : error.message;
}

function withoutCredentials(text: string): string {
  // Up to the last @, because an unencoded password may contain one, or a slash.
  return text.replace(/(\b[a-z][a-z0-9+.-]*:\/\/)\S*@/gi, '$1…@').replace(/(password=)[^\s&"']+/gi, '$1…');
}
