// Decides what a widget does: starts payments, resumes, follows the order. Writes the one mutable state, through its host's set().
// Owns the idempotency key of a start until it is answered, the errand to the checkout page, and the page's events. It is not
// optimistic: that a payment exists, waits or is paid is read from views alone. A controller, because it lives and ends with
// the element; it knows no Lit beyond that, so its tests need no browser.
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Method, OrderView, StartPayment } from '../../backend-proxy/protocol/wire.ts';
import { checkDraft } from '../draft.ts';
import { prepareErrand, runErrand, type Errand } from '../errand.ts';
import { emit, emitChange } from '../events.ts';
import { NO_ANSWER, createProxyClient, Refusal, type ProxyClient } from '../proxy-client.ts';
import type { SessionState, Stage, Trouble } from '../state.ts';
import { deliver, isLost } from './delivery.ts';
import { Stream, waitByTimer, type Wait } from './stream.ts';

const FOLLOWING: Stage = { at: 'following' };

export interface SessionHost {
  readonly element: EventTarget &
    Pick<ReactiveControllerHost, 'addController'> & {
      readonly isConnected: boolean;
      checkoutTarget: '_self' | '_blank';
    };
  state(): SessionState;
  set(change: Partial<SessionState>): void;
  /** The method that is chosen now. */
  chosen(): Method | null;
  /** BCP 47 tag that amounts are typed in. */
  language(): string;
}

export interface SessionOptions {
  fetch?: typeof fetch;
  now?: () => number;
  random?: () => number;
  wait?: Wait;
  newKey?: () => string;
  /** Where `online`, `pageshow`, `pagehide` and `visibilitychange` arrive. */
  page?: EventTarget;
  /** Called in the shopper's click, before the start is sent. */
  prepareErrand?: (target: '_self' | '_blank') => Errand;
}

export class Session implements ReactiveController {
  readonly #host: SessionHost;
  readonly #options: Required<SessionOptions>;
  #client: ProxyClient | undefined;
  #stream: Stream | undefined;
  /** Ends a start under way. */
  #sending = new AbortController();
  /** The start that was sent and not answered yet: the same body again has the same key. `before`: the payment then known. */
  #attempt: { text: string; key: string; before: string | null | undefined } | undefined;
  /** Until this page's own payment has a checkout URL to go to, or will never have one. */
  #errand: Errand | undefined;

  constructor(host: SessionHost, options: SessionOptions = {}) {
    this.#host = host;
    this.#options = {
      fetch: (...request) => globalThis.fetch(...request),
      now: Date.now,
      random: Math.random,
      wait: waitByTimer,
      newKey: () => crypto.getRandomValues(new Uint32Array(4)).join('-'),
      page: globalThis,
      prepareErrand,
      ...options,
    };
    host.element.addController(this);
  }

  /** Follows the order of the host's state with this token, or none where it cannot be read. The URL may be relative to the page. */
  open(token: string, proxyUrl: string): void {
    this.#end();
    const { claims, order, wishes } = this.#host.state();
    if (order.version < 0) this.#attempt = undefined;
    if (!claims) {
      this.#stream = undefined;
      if (token)
        this.#report({
          code: 'invalid_token',
          retryable: false,
          requestId: undefined,
          detail: 'The order attribute holds no order token, or one without a sound orderId or currency.',
        });
      return;
    }
    const { methods } = wishes;
    if (methods && !order.methods.some((method) => methods.includes(method)))
      console.warn(`<payment-widget> methods="${methods.join(' ')}": the order has only ${order.methods.join(' ')}`);
    const url = new URL(proxyUrl, globalThis.document?.baseURI).href;
    this.#client = createProxyClient(url.endsWith('/') ? url : `${url}/`, token, this.#options.fetch);
    this.#stream = new Stream({
      ...this.#options,
      client: this.#client,
      onView: (view) => this.#apply(view),
      onLost: (lost) => this.#lose(lost),
      onRefusal: (refusal) => this.#refuse(refusal, true),
    });
    this.hostConnected();
    this.#client.prepare();
  }

  hostConnected(): void {
    const { order, stage } = this.#host.state();
    if (this.#host.element.isConnected && !order.paid && stage.at !== 'stopped') this.#stream?.start();
  }

  /** An element that is only moved is connected again by the next microtask, and keeps what is under way. */
  hostDisconnected(): void {
    queueMicrotask(() => {
      if (!this.#host.element.isConnected) this.#end();
    });
  }

  /** Starts a payment by the chosen method, once, however often it is called meanwhile. */
  pay(): void {
    const state = this.#host.state();
    const { stage, order } = state;
    const method = this.#host.chosen();
    const isOpen = stage.at === 'following' && order.payment && order.payment.status !== 'FAILED';
    if (order.paid || !method || isOpen || stage.at === 'sending' || stage.at === 'stopped') return;
    const { body, errors } = checkDraft(state, method, this.#host.language());
    if (errors) this.#host.set({ stage: { at: 'choosing', errors } });
    else this.#send(body, order);
  }

  /** Back to the choice. A payment that is open stays open until another is started. */
  reset(): void {
    const { stage, order } = this.#host.state();
    if (stage.at === 'stopped' || order.paid) return;
    this.#sending.abort();
    this.#drop();
    if (this.#attempt) this.#attempt.before = undefined;
    this.#host.set({ stage: { at: 'choosing' } });
  }

  /** Takes what the shopper chose or typed; what was wrong with the last try is not said any more. */
  edit(change: Partial<SessionState['draft']>): void {
    const { stage, draft } = this.#host.state();
    if (stage.at === 'sending') return;
    this.#host.set({ draft: { ...draft, ...change }, stage: stage.at === 'choosing' ? { at: 'choosing' } : stage });
  }

  copied(copied: string): void {
    this.#host.set({ copied });
  }

  /** The method that failed, once more; where that needs what is not known here any more, the choice. */
  again(method: Method): void {
    this.edit({ method });
    const { claims, draft } = this.#host.state();
    if (method === 'DIRECT' && !claims?.customer && !draft.customer) this.reset();
    else this.pay();
  }

  /** From the choice back to the payment that is open. */
  follow(): void {
    this.#host.set({ stage: FOLLOWING });
  }

  /** Asks the proxy anew, now. */
  refresh(): void {
    this.#stream?.wake();
  }

  #send(body: StartPayment, order: OrderView): void {
    const { prepareErrand: prepare, newKey } = this.#options;
    if (!emit(this.#host.element, 'payment-submit', { method: body.method, amount: body.amount ?? order.amount }))
      return;
    const text = JSON.stringify(body);
    const before = order.version < 0 ? undefined : (order.payment?.createdAt ?? null);
    if (this.#attempt?.text !== text) this.#attempt = { text, key: newKey(), before };
    this.#drop();
    if (body.method === 'CHECKOUT') this.#errand = prepare(this.#host.element.checkoutTarget);
    this.#host.set({ stage: { at: 'sending', slow: false } });
    if (this.#client) void this.#deliver(this.#client, body, this.#attempt.key);
  }

  async #deliver(client: ProxyClient, body: StartPayment, key: string): Promise<void> {
    const { signal } = (this.#sending = new AbortController());
    const answer = await deliver({
      ...this.#options,
      client,
      body,
      key,
      signal,
      isOver: () => signal.aborted || this.#host.state().stage.at !== 'sending',
      onSlow: () => this.#host.set({ stage: { at: 'sending', slow: true } }),
    });
    if (answer instanceof Refusal) {
      if (!isLost(answer)) this.#attempt = undefined;
      this.#refuse(answer);
    } else if (answer) this.#started(answer);
  }

  #started(view: OrderView): void {
    this.#attempt = undefined;
    if (this.#errand && view.payment) this.#errand.payment = view.payment.createdAt;
    this.#host.set({ stage: FOLLOWING });
    this.#apply(view);
    // The stream may have been faster, with a view that says more than this one.
    this.#run(this.#host.state().order);
    // A stream that ended with the payment before must not be late for this one.
    this.#stream?.ensure();
  }

  /** Takes a view unless it is older than the one at hand, or of another order. */
  #apply(view: OrderView): void {
    const { order } = this.#host.state();
    if (view.orderId !== order.orderId || view.version < order.version) return;
    this.#host.set({ order: view, resuming: false, skewMs: Date.parse(view.serverTime) - this.#options.now() });
    this.#recognize(view);
    if (view.version > order.version) emitChange(this.#host.element, order, view);
    this.#run(view);
  }

  /** A payment that was not there before the start under way is that start's, though its answer may be lost. */
  #recognize({ payment }: OrderView): void {
    const before = this.#attempt?.before;
    if (!payment || before === undefined || payment.createdAt === before) return;
    if (this.#errand) this.#errand.payment = payment.createdAt;
    this.#attempt = undefined;
    this.#host.set({ stage: FOLLOWING });
  }

  #run(view: OrderView): void {
    const errand = this.#errand;
    // Not in the way of what a listener may start.
    this.#errand = undefined;
    if (errand && !runErrand(errand, view, this.#host.element)) this.#errand = errand;
  }

  /** To the page each time, also where the shopper has no cause to be told: it may be the page's own mistake. */
  #lose(lost: boolean): void {
    const { order, lost: wasLost } = this.#host.state();
    // Of a paid order all that matters is known.
    const isNews = lost && !wasLost && !order.paid;
    this.#host.set({ lost });
    if (isNews) this.#report({ ...NO_ANSWER, requestId: undefined });
  }

  /** Says what is wrong: at the choice, or for good. */
  #refuse(
    { problem: { code, retryable, requestId, detail, errors = [] } }: Refusal,
    stopped = code.includes('token'),
  ): void {
    const trouble = { code, retryable, requestId, detail };
    const wrong = (name: string) => errors.some(({ field }) => field === name);
    this.#drop();
    this.#host.set({
      stage: stopped
        ? { at: 'stopped', trouble }
        : {
            at: 'choosing',
            trouble,
            errors: {
              ...(wrong('amount') && { amount: 'amountWrong' }),
              ...(wrong('customer') && { customer: 'walletWrong' }),
            },
          },
    });
    if (stopped) this.#stream?.stop();
    else this.#stream?.wake();
    this.#report(trouble);
  }

  /** Also where developers look: without a token that holds it is mostly a mistake of whoever made it. */
  #report(trouble: Trouble): void {
    if (trouble.code.includes('token')) console.warn('<payment-widget>', trouble.code, trouble.detail);
    emit(this.#host.element, 'payment-error', trouble);
  }

  #end(): void {
    this.#stream?.stop();
    this.#sending.abort();
    this.#drop();
    if (this.#host.state().stage.at === 'sending') this.#host.set({ stage: FOLLOWING });
  }

  #drop(): void {
    this.#errand?.drop();
    this.#errand = undefined;
  }
}
