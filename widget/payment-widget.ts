// The element: attributes, slots, parts, states and the form, around one state. flow/view.ts decides what to show and
// flow/session.ts what happens. This bundle has only what the first paint needs: the choice, drawn from the token's
// own claims. The second bundle (flow/flow.ts) is fetched right away and is there before anybody has read the
// methods' names.
import { LitElement, html, unsafeCSS, type PropertyValues, type TemplateResult } from 'lit';
import type { Method, OrderView } from '../backend-proxy/protocol/wire.ts';
import type { Flow } from './flow/flow.ts';
import type { Session } from './flow/session.ts';
import type { Shown } from './flow/view.ts';
import type { Messages } from './locales/en.ts';
import { styles } from './shell/shell.styles.ts';
import { showChoice } from './shell/choice.ts';
import { BLANK, FOLLOWING, stateFor, type SessionState, leaveResumeHint, resumeHint } from './shell/state.ts';
import { laterBundle, preflightStart } from './shell/loading.ts';
import { choose, shared, type PanelContext } from './shell/choose.ts';
import {
  chooseTag,
  fill,
  loadLanguage,
  localizedAmount,
  nearestLang,
  type Language,
  type Say,
} from './shell/language.ts';

/** English is shown if a dictionary takes longer than this: a slow translation must not prevent a payment. */
const LANGUAGE_TIMEOUT_MS = 3_000;

/** A constant, because bundlers take `new URL('.', import.meta.url)` for an asset and inline it. */
const SCRIPT_URL = import.meta.url;

/**
 * Whether any widget of the page was painted. The first Intl.NumberFormat takes 16 ms (60 on a slow phone), so the
 * first frame, drawn from the token, keeps the amount's place free; the next one shows the amount.
 */
let isPainted = false;

/** The second bundle, shared by all widgets of the page. */
let flow: typeof import('./flow/flow.ts') | undefined;
/**
 * One promise for all: several import() calls of a module resolve in any order, and what the shopper did while it was
 * loading has to run in the order in which it was done.
 */
const loadFlow = laterBundle(() => import('./flow/flow.ts'));
const loadAmount = laterBundle(() => import('./flow/amount.ts'));

/**
 * Collects one payment for one order and follows it to its result.
 *
 * @tagname payment-widget
 *
 * @attr {string} order - The order token.
 * @attr {string} proxy - The proxy's URL. Default: where the script came from.
 * @attr {string} methods - Which of the order's methods to show, in this order, separated by spaces or commas.
 * @attr {DIRECT|CHECKOUT|JETGO|QR} method - The method chosen at first. Default: the first.
 * @attr {string} lang - Language. Default: the nearest `lang` of the page, else the order's, else the browser's.
 * @attr {_self|_blank|_top} checkout-target - Where the checkout opens. Default: in place of the page.
 * @attr {'auto'|'ask'} app-open - `ask`: on a phone the wallet app is opened by a second press only, never at once.
 * @attr {'hidden'} total - Leaves the amount out of the widget, because the page shows it.
 * @attr {string} wallet-name - The wallet's name, if the token has none: "Open Jeton" for "Open the wallet app".
 * @attr {boolean} required - Makes the form invalid until the order is paid.
 *
 * @fires {CustomEvent<PaymentEventDetails['payment-ready']>} payment-ready - The proxy has answered; the methods shown.
 * @fires {CustomEvent<PaymentEventDetails['payment-select']>} payment-select - The shopper chose another method.
 * @fires {CustomEvent<PaymentEventDetails['payment-submit']>} payment-submit - Before a payment starts; cancelable.
 * @fires {CustomEvent<PaymentEventDetails['payment-redirect']>} payment-redirect - Before leaving to pay; cancelable.
 * @fires {CustomEvent<OrderView>} payment-change - Each new view of the order.
 * @fires {CustomEvent<OrderView>} payment-success - The order is paid.
 * @fires {CustomEvent<OrderView>} payment-failed - The payment failed; the shopper may try again.
 * @fires {CustomEvent<PaymentEventDetails['payment-error']>} payment-error - An error other than a failed payment.
 *
 * @slot header - Above the amount.
 * @slot logo - The merchant's mark, beside its name; square. Replaces the token's `logo`.
 * @slot footer - Below the panel.
 * @slot terms - Directly above the button that pays; its required controls hold the press.
 * @slot success - Below the details of a paid order.
 * @slot failed - Below the explanation of a failed payment.
 * @slot help - If a payment failed, cannot continue or is checked; replaces the link to the shop's help (`supportUrl`).
 * @slot mark - The wallet's mark, in the middle of the code; square.
 * @slot icon-DIRECT - Replaces the icon of DIRECT.
 * @slot icon-CHECKOUT - Replaces the icon of CHECKOUT.
 * @slot icon-JETGO - Replaces the icon of JETGO.
 * @slot icon-QR - Replaces the icon of QR.
 *
 * @csspart sheet - The whole widget.
 * @csspart test - Says that no money moves, above everything else.
 * @csspart logo - The merchant's mark.
 * @csspart merchant - The merchant's name.
 * @csspart description - The order's description.
 * @csspart total - The amount, above each panel.
 * @csspart heading - The panel's heading.
 * @csspart methods - The group of all methods.
 * @csspart method - One method: its row, and the field that the row opens.
 * @csspart icon - The icon of a method, or the sign of success or failure.
 * @csspart amount - The input for the amount, if the shopper enters it.
 * @csspart suggestion - A button with an amount that the token suggests.
 * @csspart wallet - The input for the wallet id.
 * @csspart help - The hint below a field.
 * @csspart pay - The button that pays.
 * @csspart checkout - The link to the checkout.
 * @csspart code - The tile with the QR code.
 * @csspart other-device - On a phone, the fold with the code for another device.
 * @csspart this-device - Below a code, the fold for a wallet on this device.
 * @csspart app-link - The link to the wallet app.
 * @csspart copy - The button that copies the code's text or an error's reference.
 * @csspart save - The button that saves the code as a picture.
 * @csspart countdown - The time left.
 * @csspart bar - The time left: a bar below the code or a ring around the phone.
 * @csspart status - What the widget is waiting for.
 * @csspart error - What went wrong.
 * @csspart reference - The reference of an error, with a button that copies it.
 * @csspart details - The details of a paid order.
 * @csspart print - The button that prints the receipt, or saves it as a PDF.
 * @csspart again - The button that tries again, gets a new code, or reloads the page.
 * @csspart support - The link to the shop's help.
 * @csspart return - The link back to the shop (`returnUrl`).
 * @csspart other - The button that returns to the choice.
 * @csspart back - The button back to the open payment.
 * @csspart retry - The button that reconnects.
 *
 * @cssprop --payment-color-text - Text.
 * @cssprop --payment-color-muted - Secondary text and icons.
 * @cssprop --payment-color-surface - Background.
 * @cssprop --payment-color-line - Light borders.
 * @cssprop --payment-color-field - Borders of fields and secondary buttons.
 * @cssprop --payment-color-accent - Main button, chosen method, links, focus.
 * @cssprop --payment-color-on-accent - Text on the accent. Default: white or black, whichever is readable on it.
 * @cssprop --payment-color-success - Sign of success.
 * @cssprop --payment-color-danger - Errors, and the sign of refusal.
 * @cssprop --payment-color-warning - Warnings, such as not to pay twice: their sign and their tint.
 * @cssprop --payment-radius - Radius of rows, fields and buttons; the sheet's is 1.5 times as large.
 * @cssprop --payment-space - Unit of space.
 * @cssprop --payment-padding - Space inside the sheet.
 * @cssprop --payment-font - Font shorthand. Default: the page's font.
 * @cssprop --payment-max-width - Maximum width.
 *
 * @cssstate ready - The widget shows something.
 * @cssstate choosing - The shopper is choosing.
 * @cssstate waiting - A payment is in progress.
 * @cssstate paid - The order is paid.
 * @cssstate failed - The payment failed.
 */
export class PaymentWidget extends LitElement {
  static readonly formAssociated = true;
  static override styles = unsafeCSS(styles);
  static override properties = {
    order: {},
    proxy: {},
    methods: {},
    method: {},
    lang: { reflect: true, useDefault: true },
    checkoutTarget: { attribute: 'checkout-target' },
    appOpen: { attribute: 'app-open' },
    total: {},
    walletName: { attribute: 'wallet-name' },
    required: { type: Boolean },
    messages: { attribute: false },
  };

  declare order: string;
  declare proxy: string;
  /** Names of methods: a list, or a string of names separated by spaces or commas. */
  declare methods: string | readonly Method[] | null;
  /** The method that the shopper has chosen, else the page. */
  declare method: Method | null;
  declare lang: string;
  declare checkoutTarget: '_self' | '_blank' | '_top';
  /** `auto`: on a phone the press that pays opens the wallet app, if its link is https and arrives in time. */
  declare appOpen: 'auto' | 'ask';
  /** `hidden`: the page shows the amount, and the widget leaves it out. */
  declare total: 'hidden' | null;
  /** In place of "your wallet app", if the token has no name. */
  declare walletName: string;
  /** Whether the form is invalid until the order is paid. */
  declare required: boolean;
  /** Texts that replace those of the language. */
  declare messages: Partial<Messages> | null;

  readonly #internals = this.attachInternals();
  #state = BLANK;
  #flow: Flow | undefined;
  /** Undefined until the first one is loaded. */
  #language: Language | undefined;
  #tag = '';
  #shown: Shown | undefined;
  /** What the current update draws with. */
  #context: PanelContext | undefined;
  /** Whether the focus was inside before the current update. */
  #hadFocus = false;

  constructor() {
    super();
    this.order = this.proxy = this.lang = this.walletName = '';
    this.methods = this.method = this.total = this.messages = null;
    this.checkoutTarget = '_self';
    this.appOpen = 'auto';
    this.required = false;
  }

  /** The latest view of the order, null until the proxy has sent one. */
  get view(): OrderView | null {
    const { order } = this.#state;
    return order.version < 0 ? null : order;
  }

  /** The order id once the order is paid, which the form submits; null before. */
  get value(): string | null {
    return this.#state.order.paid ? this.#state.order.orderId : null;
  }

  /** The form that contains the element. */
  get form(): HTMLFormElement | null {
    return this.#internals.form;
  }

  /** `valueMissing` if the element is required and the order is not paid. */
  get validity(): ValidityState {
    return this.#internals.validity;
  }

  /** Starts a payment by the chosen method, as the button does. */
  pay(): void {
    // After the update, so that properties the page has just set count.
    void this.updateComplete.then(() => (this.inert ? undefined : this.#run((session) => session.pay())));
  }

  /** Returns to the choice. */
  reset(): void {
    void this.#run((session) => session.reset());
  }

  /** Focuses the chosen method, else the panel's heading. */
  override focus(options?: FocusOptions): void {
    (this.#find('input:checked') ?? this.#find('h2'))?.focus(options);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#run(() => {});
  }

  /** A disabled fieldset around the element makes it inert. */
  protected formDisabledCallback(isDisabled: boolean): void {
    this.inert = isDisabled;
  }

  /** The first update has its own task: together with the script's evaluation it would block a slow phone too long. */
  protected override async scheduleUpdate(): Promise<unknown> {
    if (!this.hasUpdated) await new Promise((resolve) => setTimeout(resolve));
    return super.scheduleUpdate();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const preferences = { methods: this.methods ? String(this.methods).split(/[\s,]+/) : null, method: this.method };
    this.#state = { ...this.#state, preferences };
    if (changed.has('order') || changed.has('proxy')) {
      this.#state = stateFor(this.order, this.#state, resumeHint);
      const { claims } = this.#state;
      if (claims) preflightStart(this.#proxyUrl);
      // Beside the second bundle, which provides it and says if it is lost.
      if (claims && !claims.amount) loadAmount().catch(() => {});
      this.#open();
    }
    this.#findLanguage();
    const { claims, hasResumeHint: isResuming, activity } = this.#state;
    const mayChoose = claims && (flow || !isResuming);
    // The field of an open amount is in the third bundle.
    const canChoose = mayChoose && (claims.amount || flow?.amountBundle || activity !== FOLLOWING);
    this.#shown =
      this.order && this.#language
        ? (flow?.show(this.#state, Date.now()) ?? (canChoose ? showChoice(this.#state) : undefined))
        : undefined;
    this.#hadFocus = !!this.shadowRoot?.activeElement;
  }

  protected override render(): TemplateResult | '' {
    const shown = this.#shown;
    if (!shown || !this.#language) return '';
    const context = (this.#context = this.#contextFor(this.#language.tag));
    const { description, amount, orderId } = this.#state.order;
    const { merchant, logo } = this.#state.claims ?? {};
    const total = context.money(amount) || '\u00a0';
    const hasTotal = amount && this.total !== 'hidden' && !(shown.panel === 'choose' && shown.askAmount);
    return html`<div
      class="sheet"
      part="sheet"
      role="group"
      aria-label=${[merchant, description, hasTotal ? total : orderId].filter(Boolean).join(' ')}
      lang=${context.language}
      dir=${this.#language.direction}
    >
      ${flow?.testBadge(context)}
      <slot name="header"></slot>
      <section>
        <slot name="logo">${logo ? html`<img part="logo" src=${logo} alt="" />` : ''}</slot>
        <div lang=${nearestLang(this)}>
          ${merchant ? html`<b part="merchant"><bdi>${merchant}</bdi></b>` : ''}
          ${description ? html`<p part="description"><bdi>${description}</bdi></p>` : ''}
        </div>
        ${hasTotal ? html`<p class=${total.length > 12 ? 'total long' : 'total'} part="total">${total}</p>` : ''}
      </section>
      <div class="panel">${shown.panel === 'choose' ? choose(shown, context, flow) : flow?.panel(shown, context)}</div>
      <slot name="footer"></slot>
      <div class="live" role="status"></div>
    </div>`;
  }

  protected override updated(): void {
    const shown = this.#shown;
    const state = shown?.panel === 'choose' ? 'choosing' : shown && flow?.stateOf(shown);
    const { states } = this.#internals;
    states.clear();
    if (state) states.add(state);
    if (shown) states.add('ready');
    const isPaid = state === 'paid';
    this.#internals.setFormValue(this.value);
    this.#internals.setValidity(
      { valueMissing: this.required && !isPaid },
      this.say(shown?.panel === 'closed' ? 'closed' : 'unpaid') || ' ',
      this.#find('h2') ?? undefined,
    );
    if (!shown || !this.#context) return;
    this.#flow?.painted(shown, this.#context, this.#hadFocus);
    if (!isPainted)
      requestAnimationFrame(() =>
        setTimeout(() => {
          isPainted = true;
          this.requestUpdate();
        }),
      );
  }

  #contextFor(language: string): PanelContext {
    const state = this.#state;
    const { order } = state;
    return {
      say: this.say,
      // With the proxy's view at once, because a screen reader hears the result and its amount together.
      money: (amount) =>
        amount && (isPainted || order.version >= 0) ? localizedAmount(amount, order.currency, language) : '',
      language,
      state,
      amount: flow ? flow.formAmount(state, language) : order.amount,
      target: this.checkoutTarget,
      run: (act) => void this.#run(act),
    };
  }

  #set(change: Partial<SessionState>): void {
    this.#state = { ...this.#state, ...change };
    if (change.unopened) leaveResumeHint(this.#state.order.orderId, change.unopened);
    this.requestUpdate();
  }

  /** @internal What the widget says, for the payment page. */
  say: Say = (key, values) => {
    const english: (Partial<Messages> | undefined)[] = [flow?.enFlow, flow?.amountBundle?.enAmount];
    const texts = [this.messages, this.#language?.messages, ...english];
    // A name of the proxy, such as `constructor`, may be one that every object has.
    return fill(texts.map((each) => each?.[key]).find((text) => typeof text === 'string') ?? '', {
      wallet: this.#state.claims?.walletName || this.walletName || undefined,
      ...values,
    });
  };

  /**
   * Loads the second bundle, then runs `act`, unless the element was removed meanwhile. If the bundle cannot be
   * loaded, the proxy cannot be reached either.
   */
  async #run(act: (session: Session) => void): Promise<void> {
    try {
      flow ??= await loadFlow();
      flow.provide({ ...shared, loadAmount });
    } catch {
      return this.#set({
        hasResumeHint: false,
        activity: { at: 'choosing', trouble: { code: 'network', retryable: true } },
      });
    }
    if (!this.isConnected) return;
    if (!this.#flow) {
      this.#flow = flow.start({
        element: this,
        state: () => this.#state,
        set: (change) => this.#set(change),
        language: () => this.#tag,
      });
      // Before the first update the token is not read yet; that update opens the order.
      if (this.hasUpdated) this.#open();
    }
    act(this.#flow.session);
  }

  #open(): void {
    this.#flow?.session.open(this.order, this.#proxyUrl);
  }

  get #proxyUrl(): string {
    return this.proxy || new URL('.', SCRIPT_URL).href;
  }

  #findLanguage(): void {
    const tag = chooseTag([this.lang, nearestLang(this), this.#state.claims?.language, ...navigator.languages]);
    if (tag === this.#tag) return;
    this.#tag = tag;
    const language = loadLanguage(tag);
    if (language instanceof Promise) {
      void this.#useLanguage(language, tag);
      setTimeout(() => void (this.#language ?? this.#useLanguage(loadLanguage('en'), tag)), LANGUAGE_TIMEOUT_MS);
    } else this.#language = language;
  }

  async #useLanguage(language: Language | Promise<Language>, tag: string): Promise<void> {
    const loaded = await language;
    if (tag !== this.#tag) return;
    this.#language = loaded;
    this.requestUpdate();
  }

  #find(selector: string): HTMLElement | null {
    return this.shadowRoot?.querySelector<HTMLElement>(selector) ?? null;
  }
}
