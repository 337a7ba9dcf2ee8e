// Decides what the widget does: starts payments, resumes them, follows the order. Changes the state by its host's
// set(). Keeps the idempotency key of a start until it is answered, the window of the checkout, and sends
// the page's events. It is not optimistic: only the proxy's views say that a payment exists, waits or is paid. A Lit
// controller, because it lives as long as the element; it uses nothing else of Lit, so its tests need no browser.
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import {
  PAYS_BY,
  type Method,
  type OrderView,
  type PaymentView,
  type StartPayment,
} from '../../backend-proxy/protocol/wire.ts';
import type { Actions } from '../shell/choose.ts';
import { FOLLOWING, type FieldErrors, type SessionState, type Trouble } from '../shell/state.ts';
import {
  followOut,
  navigateOrClose,
  openAppWindow,
  openCheckoutWindow,
  type CheckoutTarget,
  type CheckoutWindow,
} from './checkout-window.ts';
import {
  INVALID_PROXY,
  INVALID_TOKEN,
  emit,
  emitChange,
  emitError,
  emitReady,
  warnAboutMethods,
  warnAboutMissingOrder,
} from './events.ts';
import { amountBundle, asksWalletId, chosenMethod, loadAmountBundle, offeredMethods, sharesRow } from './provided.ts';
import { NO_ANSWER, ProxyError, createProxyClient, type ProxyClient } from './proxy-client.ts';
import {
  refusedState,
  troubleOf,
  checkForm,
  gatewayLanguage,
  isStartedBy,
  pendingStart,
  startPayment,
  troubleOfPage,
  type PendingStart,
} from './start-payment.ts';
import { Stream, mayChange, waitByTimer, type Wait } from './stream.ts';
import { BACK, SLOW_START_MS, mayStart, show } from './view.ts';

/** How long the button says that the code was copied. */
const COPIED_MS = 2_500;
/** How long a page may take to set the order before the console says that it is missing. */
const MISSING_ORDER_MS = 4_000;

/** The order leaves the amount to the shopper, and its field is not loaded. */
const lacksField = ({ claims }: SessionState): boolean => claims?.amount === undefined && !amountBundle;

export interface SessionHost {
  readonly element: EventTarget &
    Pick<ReactiveControllerHost, 'addController'> & {
      readonly isConnected: boolean;
      checkoutTarget: CheckoutTarget;
      appOpen: 'auto' | 'ask';
      method: Method | null;
    };
  state(): SessionState;
  /** `unopened` stays known after a reload, and that a payment was started. */
  set(change: Partial<SessionState>): void;
  /** BCP 47 tag of the language in which amounts are typed. */
  language(): string;
  /** What the page asks for above the button and the shopper has not accepted; null if the browser has said it. */
  troubleOfTerms?(): Trouble | null | undefined;
}

interface SessionOptions {
  fetch?: typeof fetch;
  now?: () => number;
  random?: () => number;
  wait?: Wait;
  newKey?: () => string;
  /** Target of `online`, `offline`, `pageshow`, `pagehide` and `visibilitychange`. */
  page?: EventTarget;
  /** Called during the shopper's click, before the start is sent. */
  openCheckoutWindow?: (target: CheckoutTarget) => CheckoutWindow;
  /** Called like it, for a code. */
  openAppWindow?: typeof openAppWindow;
}

export class Session implements ReactiveController, Actions {
  readonly #host: SessionHost;
  readonly #options: Required<SessionOptions>;
  #client: ProxyClient | undefined;
  #stream: Stream | undefined;
  /** Aborts the start that is being sent. */
  #sending = new AbortController();
  #pending: PendingStart | undefined;
  /** Set until the payment started here has a URL of the checkout or the app, or will never have one. */
  #checkoutWindow: CheckoutWindow | undefined;

  constructor(host: SessionHost, options: SessionOptions = {}) {
    this.#host = host;
    this.#options = {
      fetch: (...request) => globalThis.fetch(...request),
      now: Date.now,
      random: Math.random,
      wait: waitByTimer,
      newKey: () => crypto.getRandomValues(new Uint32Array(4)).join('-'),
      page: globalThis,
      openCheckoutWindow,
      openAppWindow,
      ...options,
    };
    host.element.addController(this);
  }

  /** Follows the host's order by this token, if it can be read. The URL may be relative to the page. */
  open(token: string, proxyUrl: string): void {
    this.#end();
    const { claims, order } = this.#host.state();
    this.#client = this.#stream = undefined;
    if (this.#pending?.orderId !== order.orderId) this.#pending = undefined;
    if (!token) return void this.#warnIfOrderStaysMissing();
    if (!claims) return emitError(this.#host.element, INVALID_TOKEN);
    if (claims.amount === undefined) void this.#loadAmountBundle();
    warnAboutMethods(this.#host.state());
    const base = globalThis.document?.baseURI;
    if (!URL.canParse(proxyUrl, base)) return this.#refused(new ProxyError(INVALID_PROXY));
    const url = new URL(proxyUrl, base).href;
    this.#client = createProxyClient(url.endsWith('/') ? url : `${url}/`, token, this.#options.fetch);
    this.#stream = new Stream({
      ...this.#options,
      client: this.#client,
      onView: (view, isFirst) => this.#apply(view, isFirst),
      onDisconnected: (disconnected) => this.#setDisconnected(disconnected),
      onRefused: (error) => this.#refused(error),
    });
    this.hostConnected();
  }

  hostConnected(): void {
    const { order, activity } = this.#host.state();
    const isOver = order.paid && !mayChange(order);
    if (this.#host.element.isConnected && !isOver && activity.at !== 'stopped') this.#stream?.start();
  }

  /** An element that is only moved is connected again before the next microtask, and keeps its stream and its start. */
  hostDisconnected(): void {
    queueMicrotask(() => {
      if (!this.#host.element.isConnected) this.#end();
    });
  }

  /** Starts a payment by this method, or by the chosen one. Further calls do nothing until it is answered. */
  pay(by?: Method): void {
    if (by) this.edit({ method: by });
    const state = this.#host.state();
    const method = chosenMethod(state);
    // While there is something to wait for, another start could be paid as well.
    const shown = show(state, this.#options.now());
    if (!method || state.activity.at === 'sending' || !mayStart(shown)) return;
    if (lacksField(state)) return void this.#payOnceLoaded();
    const { body, errors } = checkForm(state, method, this.#host.language());
    if (errors) return this.#host.set({ activity: { at: 'choosing', errors } });
    const trouble = this.#host.troubleOfTerms?.();
    if (trouble === undefined) return this.#submit(body, !!shown);
    this.edit({});
    if (trouble) this.#host.set({ activity: { at: 'choosing', trouble } });
  }

  async #payOnceLoaded(): Promise<void> {
    const isLoaded = await this.#loadAmountBundle();
    // The element may have been removed meanwhile.
    if (isLoaded && this.#host.element.isConnected) this.pay();
  }

  /** Returns to the choice. A payment that is open stays open until another one is started. */
  reset(): void {
    const { activity, order } = this.#host.state();
    if (activity.at === 'stopped' || order.paid) return;
    this.#sending.abort();
    this.#closeCheckoutWindow();
    if (this.#pending) this.#pending.before = undefined;
    this.#host.set({ activity: { at: 'choosing' }, unavailable: [] });
  }

  /** Returns to the choice, at this method, or at another row than the one that the shopper did not want. */
  payAnotherWay(by?: Method): void {
    this.reset();
    const state = this.#host.state();
    const { form, order } = state;
    const { payment } = order;
    const last = form.method ?? payment?.asked;
    const method = by ?? offeredMethods(state).find((each) => !sharesRow(each, last));
    // The gateway answered with its website: it cannot ask what was typed.
    const isWrong = by && form.customer && payment && payment.asked !== payment.method;
    if (method) this.edit({ method }, isWrong ? { customer: 'notDirect' } : undefined);
  }

  /** Stores what the shopper chose or typed, and replaces the errors of the last try. */
  edit(change: Partial<SessionState['form']>, errors?: FieldErrors): void {
    const before = this.#host.state();
    const { activity, form } = before;
    if (activity.at === 'sending') return;
    if (change.method) this.#host.element.method = change.method;
    this.#host.set({
      form: { ...form, ...change },
      activity: errors ? { at: 'choosing', errors } : activity.at === 'choosing' ? { at: 'choosing' } : activity,
    });
    const method = chosenMethod(this.#host.state());
    if (method && method !== chosenMethod(before)) emit(this.#host.element, 'payment-select', { method });
  }

  /** Says for a moment that the text was copied. */
  copied(copied: string): void {
    this.#host.set({ copied });
    void this.#options.wait(COPIED_MS, new AbortController().signal).then(() => this.#host.set({ copied: null }));
  }

  /** Remembers that the shopper opened the link to the wallet app. A page cannot know whether the app opened. */
  appLinkOpened(openedAppLink: string): void {
    this.#host.set({ openedAppLink });
  }

  /** Retries the failed method. Returns to the choice if its input is no longer known here or was rejected. */
  again(method: Method): void {
    // The button names this method, so no other one is started in its place, even if this one was refused before.
    this.#host.set({ unavailable: [] });
    this.edit({ method });
    const state = this.#host.state();
    const { claims, form, order } = state;
    const chosen = chosenMethod(state);
    const asksWallet = !!chosen && asksWalletId(chosen, claims);
    const isRejected = order.payment?.reason === 'REJECTED' && (asksWallet || form.amount);
    if (isRejected || (asksWallet && !form.customer)) this.reset();
    else this.pay();
  }

  /** Called when the shopper clicks the link to the checkout. */
  leaveForCheckout(event: Event, url: string): void {
    if (emit(this.#host.element, 'payment-redirect', { url })) {
      followOut(event);
      this.#host.set({ unopened: [] });
    } else event.preventDefault();
  }

  /** Returns from the choice to the open payment. */
  showOpenPayment(): void {
    this.#host.set({ activity: BACK });
  }

  reconnect(): void {
    this.#stream?.reconnect();
  }

  /** Asks the page. `isRetry`: its progress is shown in place of the payment before, not at the choice. */
  #submit(body: StartPayment, isRetry: boolean): void {
    const { element } = this.#host;
    const promises: Promise<unknown>[] = [];
    let isDispatched = false;
    const waitUntil = (promise: Promise<unknown>) => {
      if (isDispatched) throw new Error('Call waitUntil() during the event.');
      promises.push(promise);
    };
    const amount = body.amount ?? this.#host.state().order.amount;
    const isAllowed = emit(element, 'payment-submit', { method: body.method, amount, waitUntil });
    isDispatched = true;
    if (!isAllowed) return;
    this.#closeCheckoutWindow();
    const way = PAYS_BY[body.method];
    if (way === 'link') this.#checkoutWindow = this.#options.openCheckoutWindow(element.checkoutTarget);
    if (way === 'code' && element.appOpen !== 'ask')
      this.#checkoutWindow = this.#options.openAppWindow((link) => this.appLinkOpened(link));
    if (promises.length) void this.#sendAfter(promises, body, isRetry);
    else this.#send(body, isRetry);
  }

  /** Sends once the page is ready; until then the choice shows progress, because nothing is on its way yet. */
  async #sendAfter(promises: Promise<unknown>[], body: StartPayment, isRetry: boolean): Promise<void> {
    this.#sending.abort();
    const { signal } = (this.#sending = new AbortController());
    this.#showSending(null);
    const { wait } = this.#options;
    void wait(SLOW_START_MS, signal).then(() => signal.aborted || this.#showSlow());
    const trouble = await troubleOfPage(promises, (ms) => wait(ms, signal));
    const state = this.#host.state();
    // Meanwhile an earlier start may have been found, or the order needs no payment any more.
    if (signal.aborted || state.activity.at !== 'sending') return;
    if (!trouble && !show(state, this.#options.now())) return this.#send(body, isRetry);
    this.#sending.abort();
    this.#closeCheckoutWindow();
    this.#host.set({ activity: trouble ? { at: 'choosing', trouble } : FOLLOWING });
    if (trouble?.detail) emitError(this.#host.element, trouble);
  }

  #send(body: StartPayment, isRetry: boolean): void {
    const { order, unopened } = this.#host.state();
    this.#pending = pendingStart(this.#pending, JSON.stringify(body), order, this.#options.newKey);
    // Not part of the pending start, because another language does not make it another payment.
    const language = gatewayLanguage(this.#host.language());
    // Sent before the rest: storing the hint and rendering take milliseconds on a slow phone.
    if (this.#client) void this.#deliver(this.#client, { ...body, ...language }, this.#pending);
    this.#host.set({ unopened });
    this.#showSending(isRetry ? body.method : null);
  }

  async #deliver(client: ProxyClient, body: StartPayment, pending: PendingStart): Promise<void> {
    // Cancel the previous start: its answer no longer matters.
    this.#sending.abort();
    const { signal } = (this.#sending = new AbortController());
    void this.#watchSlowness(signal, pending);
    const answer = await startPayment({
      ...this.#options,
      client,
      body,
      key: pending.key,
      signal,
      isOver: () => signal.aborted || this.#host.state().activity.at !== 'sending',
      onRetry: () => this.#showSlow(),
    });
    if (answer instanceof ProxyError) {
      // After a retryable error the proxy may still have started it, or start it later, so the key must stay the same.
      if (!answer.problem.retryable) this.#pending = undefined;
      this.#refused(answer, body.method);
    } else if (answer) this.#started(answer);
  }

  async #watchSlowness(signal: AbortSignal, pending: PendingStart): Promise<void> {
    await this.#options.wait(SLOW_START_MS, signal);
    pending.isSlow = true;
    if (signal.aborted) return;
    // By now the shopper may be busy elsewhere in the page.
    if (this.#checkoutWindow?.mayOpen) this.#closeCheckoutWindow();
    this.#recognizeStart(this.#host.state().order);
    this.#showSlow();
  }

  #showSending(retry: Method | null): void {
    const before = this.#host.state().order.payment;
    this.#host.set({ activity: { at: 'sending', before, isSlow: false, retry } });
  }

  #showSlow(): void {
    const { activity } = this.#host.state();
    if (activity.at === 'sending') this.#host.set({ activity: { ...activity, isSlow: true } });
  }

  #started(view: OrderView): void {
    this.#pending = undefined;
    this.#startedHere(view.payment);
    this.#host.set({ activity: FOLLOWING });
    this.#apply(view);
    // The stream may have been faster, with a newer view than this one.
    this.#updateCheckoutWindow(this.#host.state().order);
    // The stream may have ended with the previous payment. One that is being opened could begin with an older view.
    this.#stream?.ensureOpen();
  }

  /** Ignores a view of another order, and one that is older than the current one, unless it is a connection's first. */
  #apply(view: OrderView, isFirst = false): void {
    const state = this.#host.state();
    const { order, activity } = state;
    if (view.orderId !== order.orderId || (view.version < order.version && !isFirst)) return;
    // The proxy answers again, so what is said of it is over; but not what is said of a lost bundle.
    const isOver = activity.at === 'choosing' && activity.trouble?.code === 'network' && !lacksField(state);
    if (isFirst && isOver) this.edit({});
    this.#host.set({ order: view, hasResumeHint: false, skewMs: Date.parse(view.serverTime) - this.#options.now() });
    this.#restoreAmount();
    this.#recognizeStart(view);
    if (order.version < 0) emitReady(this.#host.element, this.#host.state());
    if (view.version !== order.version || view.paid !== order.paid) emitChange(this.#host.element, order, view);
    this.#updateCheckoutWindow(view);
  }

  async #loadAmountBundle(): Promise<boolean> {
    const isLoaded = await loadAmountBundle();
    this.#restoreAmount();
    // Draws the field, or says that there is none yet.
    const isLost = !isLoaded && mayStart(show(this.#host.state(), this.#options.now()));
    this.#host.set(isLost ? { activity: { at: 'choosing', trouble: NO_ANSWER } } : {});
    return isLoaded;
  }

  /** After a reload, puts the amount of the earlier payment into the form, because only the proxy still knows it. */
  #restoreAmount(): void {
    const { claims, form, order } = this.#host.state();
    if (!amountBundle || !order.amount || form.amount !== null || claims?.amount !== undefined) return;
    const amount = amountBundle.writeTypedAmount(order.amount, order.currency, this.#host.language());
    this.#host.set({ form: { ...form, amount } });
  }

  /** Follows the payment of the pending start once the stream shows it, without waiting for the answer. */
  #recognizeStart({ payment }: OrderView): void {
    if (!this.#pending || !payment || !isStartedBy(this.#pending, payment)) return;
    const shown = show({ ...this.#host.state(), activity: FOLLOWING }, this.#options.now());
    if (shown?.panel === 'fetching' && !this.#pending.isSlow) return;
    this.#startedHere(payment);
    this.#pending = undefined;
    this.#host.set({ activity: FOLLOWING });
  }

  #startedHere(payment: PaymentView | null): void {
    if (!payment) return;
    const { asked, method, checkoutUrl, createdAt } = payment;
    if (this.#checkoutWindow) this.#checkoutWindow.payment = createdAt;
    if (checkoutUrl && asked !== method) this.#host.set({ unopened: [...this.#host.state().unopened, createdAt] });
  }

  #updateCheckoutWindow(view: OrderView): void {
    const checkoutWindow = this.#checkoutWindow;
    // Unset during the call, because a listener of `payment-redirect` may start another payment.
    this.#checkoutWindow = undefined;
    if (checkoutWindow && !navigateOrClose(checkoutWindow, view, this.#host.element))
      this.#checkoutWindow = checkoutWindow;
  }

  async #warnIfOrderStaysMissing(): Promise<void> {
    await this.#options.wait(MISSING_ORDER_MS, new AbortController().signal);
    if (this.#host.element.isConnected && !this.#host.state().order.orderId) warnAboutMissingOrder();
  }

  /** Reported to the page even if the shopper sees nothing: the page may have caused it. */
  #setDisconnected(disconnected: boolean): void {
    const { order, disconnected: before } = this.#host.state();
    // Once the order is paid, nothing more has to arrive.
    const isNews = disconnected && !before && !order.paid;
    if (disconnected !== before) this.#host.set({ disconnected });
    if (isNews) emitError(this.#host.element, NO_ANSWER);
  }

  /** Shows what is wrong. Keeps following the order unless the token is refused. `method`: of the refused start. */
  #refused({ problem }: ProxyError, method?: Method): void {
    const started = problem.code.includes('token') ? undefined : method;
    this.#closeCheckoutWindow();
    this.#host.set(refusedState(problem, this.#host.state(), this.#host.language(), started));
    if (!started) {
      this.#stream?.stop();
      this.#sending.abort();
    } else this.#stream?.reconnect();
    // Once the order is paid, the end of its token matters to nobody.
    if (started || !this.#host.state().order.paid) emitError(this.#host.element, troubleOf(problem));
  }

  #end(): void {
    this.#stream?.stop();
    this.#sending.abort();
    this.#closeCheckoutWindow();
    if (this.#host.state().activity.at === 'sending') this.#host.set({ activity: FOLLOWING });
  }

  #closeCheckoutWindow(): void {
    this.#checkoutWindow?.close();
    this.#checkoutWindow = undefined;
  }
}
