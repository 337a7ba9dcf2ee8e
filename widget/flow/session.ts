// Decides what a widget does: starts payments, resumes, follows the order. Writes the one mutable state, through its host's set().
// Owns the idempotency key of a start until it is answered, the errand to the checkout page, and the page's events. It is not
// optimistic: that a payment exists, waits or is paid is read from views alone. A controller, because it lives and ends with
// the element; it knows no Lit beyond that, so its tests need no browser.
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Method, OrderView, StartPayment } from '../../backend-proxy/protocol/wire.ts';
import { ANSWER } from '../../backend-proxy/protocol/methods.ts';
import { asksWalletId } from '../shell/choice.ts';
import { checkDraft, writeAmount } from './start-form.ts';
import { followOut, prepareErrand, runErrand, type CheckoutTarget, type Errand } from './checkout-window.ts';
import { emit, emitChange } from './events.ts';
import { NO_ANSWER, createProxyClient, Refusal, type ProxyClient } from './proxy-client.ts';
import { refusedState, troubleOf } from './refused.ts';
import { FOLLOWING, type SessionState, type Trouble } from '../shell/state.ts';
import { mayStart, PATIENCE_MS, show } from './view.ts';
import { deliver } from './start-payment.ts';
import { Stream, waitByTimer, type Wait } from './stream.ts';

/** How long the button says that the code was copied. */
const COPIED_MS = 2_500;

export interface SessionHost {
  readonly element: EventTarget &
    Pick<ReactiveControllerHost, 'addController'> & {
      readonly isConnected: boolean;
      checkoutTarget: CheckoutTarget;
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
  /** Where `online`, `offline`, `pageshow`, `pagehide` and `visibilitychange` arrive. */
  page?: EventTarget;
  /** Called in the shopper's click, before the start is sent. */
  prepareErrand?: (target: CheckoutTarget) => Errand;
}

interface Attempt {
  orderId: string;
  /** The same body again has the same key. */
  text: string;
  key: string;
  /** When the payment that was known then was created; null for none, undefined where nothing was heard yet. */
  before: string | null | undefined;
  /** It takes so long that the shopper is shown what the stream says of it. */
  isLong: boolean;
}

export class Session implements ReactiveController {
  readonly #host: SessionHost;
  readonly #options: Required<SessionOptions>;
  #client: ProxyClient | undefined;
  #stream: Stream | undefined;
  /** Ends a start under way. */
  #sending = new AbortController();
  /** The start that was sent and not answered yet. */
  #attempt: Attempt | undefined;
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
    this.#client = this.#stream = undefined;
    if (this.#attempt?.orderId !== order.orderId) this.#attempt = undefined;
    if (!claims) {
      if (!token) void this.#miss();
      else
        this.#report({
          code: 'invalid_token',
          retryable: false,
          detail: 'The order attribute holds no order token, or one without a sound orderId or currency.',
        });
      return;
    }
    const { methods } = wishes;
    if (methods && !order.methods.some((method) => methods.includes(method)))
      console.warn(`<payment-widget> methods="${methods.join(' ')}": the order has only ${order.methods.join(' ')}`);
    const base = globalThis.document?.baseURI;
    if (!URL.canParse(proxyUrl, base))
      return this.#refuse(new Refusal({ detail: 'The proxy attribute holds no URL.', retryable: false }), true);
    const url = new URL(proxyUrl, base).href;
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

  /** Starts a payment by that method, else by the chosen one, once, however often it is called meanwhile. */
  pay(by?: Method): void {
    if (by) this.edit({ method: by });
    const state = this.#host.state();
    const method = this.#host.chosen();
    // While there is something to wait for, another payment could be one too many.
    const shown = show(state, this.#options.now());
    if (!method || state.stage.at === 'sending' || !mayStart(shown)) return;
    const { body, errors } = checkDraft(state, method, this.#host.language());
    if (errors) this.#host.set({ stage: { at: 'choosing', errors } });
    else this.#send(body, state.order, !!shown);
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
    void this.#options.wait(COPIED_MS, new AbortController().signal).then(() => this.#host.set({ copied: null }));
  }

  /** The link into the app: whether the app opened, no page is told. */
  pressed(pressed: string): void {
    this.#host.set({ pressed });
  }

  /** The method that failed, once more; where that needs what is not known here any more, or was refused as typed, the choice. */
  again(method: Method): void {
    this.edit({ method });
    const { claims, draft, order } = this.#host.state();
    const chosen = this.#host.chosen();
    const asksWallet = !!chosen && asksWalletId(chosen, claims);
    const isRefused = order.payment?.reason === 'REJECTED' && (asksWallet || draft.amount);
    if (isRefused || (asksWallet && !draft.customer)) this.reset();
    else this.pay();
  }

  /** Before the shopper goes to the checkout by its link. */
  leave(event: Event, url: string): void {
    if (emit(this.#host.element, 'payment-redirect', { url })) followOut(event);
    else event.preventDefault();
  }

  /** From the choice back to the payment that is open. */
  follow(): void {
    this.#host.set({ stage: FOLLOWING });
  }

  /** Asks the proxy anew, now. */
  refresh(): void {
    this.#stream?.wake();
  }

  /** `anew`: in place of what is shown of the payment before. */
  #send(body: StartPayment, order: OrderView, anew: boolean): void {
    const { prepareErrand: prepare, newKey } = this.#options;
    if (!emit(this.#host.element, 'payment-submit', { method: body.method, amount: body.amount ?? order.amount }))
      return;
    const text = JSON.stringify(body);
    const before = order.version < 0 ? undefined : (order.payment?.createdAt ?? null);
    if (this.#attempt?.text !== text)
      this.#attempt = { orderId: order.orderId, text, key: newKey(), before, isLong: false };
    this.#drop();
    if (ANSWER[body.method] === 'link') this.#errand = prepare(this.#host.element.checkoutTarget);
    // The request goes first: noting and drawing that it is under way costs a slow phone milliseconds.
    if (this.#client) void this.#deliver(this.#client, { ...body, ...this.#spoken() }, this.#attempt);
    this.#host.set({ stage: { at: 'sending', slow: false, ...(anew && { anew: body.method }) } });
  }

  /** For the gateway's own pages; not what makes a start another one. */
  #spoken(): Pick<StartPayment, 'language'> {
    const { language } = new Intl.Locale(this.#host.language() || 'en');
    return language.length === 2 ? { language } : {};
  }

  async #deliver(client: ProxyClient, body: StartPayment, attempt: Attempt): Promise<void> {
    // What is still awaited of the start before has nothing to say about this one.
    this.#sending.abort();
    const { signal } = (this.#sending = new AbortController());
    void this.#watch(signal, attempt);
    const answer = await deliver({
      ...this.#options,
      client,
      body,
      key: attempt.key,
      signal,
      isOver: () => signal.aborted || this.#host.state().stage.at !== 'sending',
      onSlow: () => this.#slow('again'),
    });
    if (answer instanceof Refusal) {
      // Else the proxy may have it all the same, or may take it later: the same key stays safe.
      if (!answer.problem.retryable) this.#attempt = undefined;
      this.#refuse(answer);
    } else if (answer) this.#started(answer);
  }

  async #watch(signal: AbortSignal, attempt: Attempt): Promise<void> {
    await this.#options.wait(PATIENCE_MS, signal);
    attempt.isLong = true;
    if (signal.aborted) return;
    this.#recognize(this.#host.state().order);
    this.#slow('long');
  }

  #slow(slow: 'long' | 'again'): void {
    const { stage } = this.#host.state();
    if (stage.at === 'sending' && stage.slow !== 'again') this.#host.set({ stage: { ...stage, slow } });
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
    this.#fill(view);
    this.#recognize(view);
    if (view.version > order.version) emitChange(this.#host.element, order, view);
    this.#run(view);
  }

  /** The amount that was paid or tried before, as the shopper would type it: after a reload it is the proxy's to say. */
  #fill({ amount, currency }: OrderView): void {
    const { claims, draft } = this.#host.state();
    if (amount && draft.amount === null && claims?.amount === undefined)
      this.#host.set({ draft: { ...draft, amount: writeAmount(amount, currency, this.#host.language()) } });
  }

  /** A payment that was not there before the start under way is that start's, though its answer may be lost. */
  #recognize({ payment }: OrderView): void {
    const { before, isLong } = this.#attempt ?? {};
    if (!payment || before === undefined || payment.createdAt === before) return;
    const shown = show({ ...this.#host.state(), stage: FOLLOWING }, this.#options.now());
    if (shown?.panel === 'fetching' && !isLong) return;
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

  /** Says what is missing to a developer who looks at an empty place. A page may take its time to fetch the token. */
  async #miss(): Promise<void> {
    await this.#options.wait(PATIENCE_MS, new AbortController().signal);
    if (this.#host.element.isConnected && !this.#host.state().order.orderId)
      console.warn('<payment-widget> has no order: its `order` attribute takes the order token.');
  }

  /** To the page each time, also where the shopper has no cause to be told: it may be the page's own mistake. */
  #lose(lost: boolean): void {
    const { order, lost: wasLost } = this.#host.state();
    // Of a paid order all that matters is known.
    const isNews = lost && !wasLost && !order.paid;
    if (lost !== wasLost) this.#host.set({ lost });
    if (isNews) this.#report(NO_ANSWER);
  }

  /** Says what is wrong, and goes on listening unless nothing will be heard. */
  #refuse({ problem }: Refusal, stopped = problem.code.includes('token')): void {
    this.#drop();
    this.#host.set(refusedState(problem, this.#host.state(), this.#host.language(), stopped));
    if (stopped) {
      this.#stream?.stop();
      this.#sending.abort();
    } else this.#stream?.wake();
    this.#report(troubleOf(problem));
  }

  /** Also where developers look. */
  #report(trouble: Trouble): void {
    console.warn('<payment-widget>', trouble.code, trouble.detail);
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
