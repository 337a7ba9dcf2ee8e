// The one mutable state of a widget and its only writer: starts payments, resumes, follows the order.
// Owns the idempotency key of a start until it is answered, the errand to the checkout page, and the page's events. It is not
// optimistic: that a payment exists, waits or is paid is read from views alone. A controller, because it lives and ends with
// the element; it knows no Lit beyond that, so its tests need no browser.
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Method, OrderView, StartPayment } from '../../backend-proxy/protocol/wire.ts';
import { checkDraft } from '../draft.ts';
import type { Emit } from '../events.ts';
import { checkoutLink } from '../links.ts';
import { claimedOrder, readClaims } from '../order-token.ts';
import { createProxyClient, Refusal, type ProxyClient } from '../proxy-client.ts';
import { chosenMethod, type SessionState, type Stage } from '../view.ts';
import { Stream, type Wait } from './stream.ts';

/** A start without an answer is sent again, with the same key, this long after each try. */
const RETRY_PAUSES_MS = [1_000, 2_000, 4_000, 8_000];

const FOLLOWING: Stage = { at: 'following' };

const BLANK: SessionState = {
  claims: null,
  order: null,
  stage: FOLLOWING,
  resuming: false,
  lost: false,
  draft: { method: null, amount: '', customer: '' },
  wishes: { methods: null, method: null },
  skewMs: 0,
};

export interface Errand {
  go(url: string): void;
  drop(): void;
}

export interface SessionOptions {
  emit: Emit;
  /** BCP 47 tag that amounts are typed in. */
  language(): string;
  /** Called in the shopper's click, before the start is sent; the answer takes the shopper to the checkout, or puts away what was prepared. */
  prepareRedirect(method: Method): Errand;
  /** Where a reload finds that a payment was started; null where the page has no storage. */
  storage: Pick<Storage, 'getItem' | 'setItem'> | null;
  page: EventTarget;
  fetch?: typeof fetch;
  now?(): number;
  random?(): number;
  wait?: Wait;
  newKey?(): string;
}

export class Session implements ReactiveController {
  state: SessionState = BLANK;

  readonly #host: ReactiveControllerHost & { isConnected: boolean };
  readonly #options: Required<SessionOptions>;
  #client: ProxyClient | undefined;
  #stream: Stream | undefined;
  /** Ends a start under way. */
  #start = new AbortController();
  /** The start that was sent and not answered yet: the same body again has the same key. `before`: the payment then known. */
  #attempt: { text: string; key: string; before: string | null | undefined } | undefined;
  /** Until this page's own payment has a checkout URL to go to, or will never have one. `payment`: which one it is. */
  #errand: (Errand & { payment?: string }) | undefined;

  constructor(host: ReactiveControllerHost & { isConnected: boolean }, options: SessionOptions) {
    this.#host = host;
    this.#options = {
      fetch: (...request) => globalThis.fetch(...request),
      now: Date.now,
      random: Math.random,
      wait: waitFor,
      newKey: () => crypto.getRandomValues(new Uint32Array(4)).join('-'),
      ...options,
    };
    host.addController(this);
  }

  /** Takes the order token and where the proxy is. A newer token of the same order changes nothing of what is shown. */
  open(token: string, proxyUrl: string): void {
    const claims = readClaims(token);
    const { order, wishes } = this.state;
    this.hostDisconnected(true);
    if (claims && order && order.version >= 0 && claims.orderId === order.orderId) {
      this.#set({ claims, stage: FOLLOWING });
    } else {
      const resuming = claims !== null && recall(this.#options.storage, claims.orderId);
      this.#set({ ...BLANK, wishes, claims, order: claims && claimedOrder(claims), resuming });
      this.#attempt = undefined;
    }
    this.#client = createProxyClient(proxyUrl, token, this.#options.fetch);
    this.#stream = new Stream({
      ...this.#options,
      client: this.#client,
      onView: (view) => this.#apply(view),
      onLost: (lost) => lost !== this.state.lost && this.#set({ lost }),
      onRefusal: (refusal) => this.#refuse(refusal, 'stopped'),
    });
    if (this.#host.isConnected) this.hostConnected();
  }

  hostConnected(): void {
    const { order, stage } = this.state;
    if (order && !order.paid && stage.at !== 'stopped') this.#stream?.start();
  }

  /** An element that is only moved is connected again by the next microtask, and keeps what is under way. */
  hostDisconnected(now = false): void {
    const end = () => {
      if (this.#host.isConnected && !now) return;
      this.#stream?.stop();
      this.#start.abort();
      this.#dropErrand();
      if (this.state.stage.at === 'sending') this.#set({ stage: FOLLOWING });
    };
    if (now) end();
    else queueMicrotask(end);
  }

  wish(wishes: SessionState['wishes']): void {
    this.#set({ wishes });
  }

  /** Takes what the shopper chose or typed; what was wrong with the last try is not said any more. */
  edit(draft: Partial<SessionState['draft']>): void {
    const { stage } = this.state;
    if (stage.at === 'sending') return;
    this.#set({
      draft: { ...this.state.draft, ...draft },
      stage: stage.at === 'choosing' ? { at: 'choosing' } : stage,
    });
  }

  /** Starts a payment by the chosen method, once, however often it is called meanwhile. */
  pay(): void {
    const { stage, order } = this.state;
    const method = chosenMethod(this.state);
    if (stage.at === 'sending' || stage.at === 'stopped' || !order || order.paid || !method) return;
    if (stage.at === 'following' && order.payment && order.payment.status !== 'FAILED') return;
    const { body, errors } = checkDraft(this.state, method, this.#options.language());
    if (errors) this.#set({ stage: { at: 'choosing', errors } });
    else this.#send(body);
  }

  /** The method that failed, once more. */
  again(method: Method): void {
    this.#set({ draft: { ...this.state.draft, method } });
    this.pay();
  }

  /** Back to the choice. A payment that is open stays open until another is started. */
  reset(): void {
    const { stage, order } = this.state;
    if (stage.at === 'stopped' || order?.paid) return;
    this.#start.abort();
    this.#dropErrand();
    if (this.#attempt) this.#attempt.before = undefined;
    this.#set({ stage: { at: 'choosing' } });
  }

  /** From the choice back to the payment that is open. */
  follow(): void {
    if (this.state.stage.at === 'choosing') this.#set({ stage: FOLLOWING });
  }

  /** Asks anew, now. */
  refresh(): void {
    this.#stream?.wake();
  }

  #send(body: StartPayment): void {
    const { order } = this.state;
    if (!order || !this.#options.emit('payment-submit', { method: body.method, amount: body.amount ?? order.amount }))
      return;
    const text = JSON.stringify(body);
    const before = order.version < 0 ? undefined : (order.payment?.createdAt ?? null);
    if (this.#attempt?.text !== text) this.#attempt = { text, key: this.#options.newKey(), before };
    this.#dropErrand();
    this.#errand = this.#options.prepareRedirect(body.method);
    remember(this.#options.storage, order.orderId);
    this.#set({ stage: { at: 'sending', slow: false } });
    this.#start = new AbortController();
    void this.#deliver(body, this.#attempt.key, this.#start.signal);
  }

  /** Sends until there is an answer: a lost one says nothing about the payment, and the key makes a second send harmless. */
  async #deliver(body: StartPayment, key: string, signal: AbortSignal): Promise<void> {
    const { wait, random } = this.#options;
    for (const pauseMs of [...RETRY_PAUSES_MS, 0]) {
      try {
        const view = await this.#client?.start(body, key, signal);
        if (signal.aborted || !view) return;
        return this.#started(view);
      } catch (error) {
        // The stream may have shown the payment meanwhile.
        if (signal.aborted || this.state.stage.at !== 'sending') return;
        const refusal = error instanceof Refusal ? error : new Refusal({});
        const lost = refusal.retryable && (!refusal.status || refusal.status >= 500);
        if (!lost) this.#attempt = undefined;
        if (!lost || !pauseMs) return this.#refuse(refusal, 'choosing');
        this.#set({ stage: { at: 'sending', slow: true } });
      }
      await wait(pauseMs * (0.5 + random()), signal);
      if (signal.aborted || this.state.stage.at !== 'sending') return;
    }
  }

  #started(view: OrderView): void {
    this.#attempt = undefined;
    if (this.#errand && view.payment) this.#errand.payment = view.payment.createdAt;
    if (this.state.stage.at === 'sending') this.#set({ stage: FOLLOWING });
    this.#apply(view);
    // A stream that ended with the payment before must not be late for this one.
    this.#stream?.ensure();
  }

  /** Takes a view unless it is older than the one at hand, or of another order. */
  #apply(view: OrderView): void {
    const { order, stage } = this.state;
    if (!order || view.orderId !== order.orderId || view.version < order.version) return;
    const isNew = view.version > order.version;
    this.#set({ order: view, resuming: false, skewMs: Date.parse(view.serverTime) - this.#options.now() });
    this.#notice(view, stage);
    if (!isNew) return;
    const { emit } = this.#options;
    emit('payment-change', view);
    if (view.paid && !order.paid) emit('payment-success', view);
    const { payment } = view;
    const knownFailure = order.payment?.status === 'FAILED' && order.payment.createdAt === payment?.createdAt;
    if (!view.paid && payment?.status === 'FAILED' && !knownFailure) emit('payment-failed', view);
  }

  /** A payment that was not there before the start under way is that start's, though its answer was lost. */
  #notice(view: OrderView, stage: Stage): void {
    const { payment, paid } = view;
    const before = this.#attempt?.before;
    if (payment && before !== undefined && payment.createdAt !== before) {
      if (this.#errand) this.#errand.payment = payment.createdAt;
      if (stage.at === 'sending' || stage.at === 'choosing') this.#set({ stage: FOLLOWING });
      this.#attempt = undefined;
    }
    if (paid) this.#dropErrand();
    const errand = this.#errand;
    if (!payment || errand?.payment !== payment.createdAt || payment.status === 'INITIALIZED') return;
    const url = payment.status === 'PROCESSING' && payment.checkoutUrl && checkoutLink(payment.checkoutUrl);
    if (!url) return this.#dropErrand();
    this.#errand = undefined;
    if (this.#options.emit('payment-redirect', { url })) errand.go(url);
    else errand.drop();
  }

  #refuse({ code, retryable, requestId, fields }: Refusal, at: 'choosing' | 'stopped'): void {
    this.#dropErrand();
    const trouble = { code, retryable, requestId };
    const final = at === 'stopped' || code === 'invalid_token' || code === 'token_expired';
    const errors = {
      ...(fields.includes('amount') && { amount: 'amountWrong' as const }),
      ...(fields.includes('customer') && { customer: 'walletWrong' as const }),
    };
    this.#set({ stage: final ? { at: 'stopped', trouble } : { at: 'choosing', trouble, errors } });
    if (final) this.#stream?.stop();
    else this.#stream?.wake();
    this.#options.emit('payment-error', trouble);
  }

  #dropErrand(): void {
    this.#errand?.drop();
    this.#errand = undefined;
  }

  #set(change: Partial<SessionState>): void {
    this.state = { ...this.state, ...change };
    this.#host.requestUpdate();
  }
}

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}

const noteOf = (orderId: string) => `payment-widget ${orderId}`;

function recall(storage: SessionOptions['storage'], orderId: string): boolean {
  return storage?.getItem(noteOf(orderId)) === 'started';
}

function remember(storage: SessionOptions['storage'], orderId: string): void {
  try {
    storage?.setItem(noteOf(orderId), 'started');
  } catch {
    // Full: the first paint after a reload shows the choice for a moment.
  }
}
