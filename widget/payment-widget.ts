// The element: attributes, slots, parts, states and the form, around one state. What to show is view.ts's to decide, what to do the
// session's; this renders and hands over. Only what the first paint needs is in this module's bundle: the choice, from the token's
// own claims. The rest (later.ts) is fetched at once and is there before anybody has read the methods' names.
import { LitElement, html, type PropertyValues, type TemplateResult } from 'lit';
import type { Method, OrderView } from '../backend-proxy/protocol/wire.ts';
import { formatAmount } from './shell/localized-amount.ts';
import type { Session } from './flow/session.ts';
import { chooseTag, fill, loadLanguage, nearestLang, type Language, type Say } from './shell/language.ts';
import type { Engine } from './flow/flow.ts';
import type { Messages } from './locales/en.ts';
import { isNoted } from './shell/resume-hint.ts';
import { choose } from './shell/choose.ts';
import { tools, type Surroundings } from './shell/panel.ts';
import { styles } from './shell/shell.styles.ts';
import type { SessionState } from './shell/state.ts';
import { chosenMethod, showChoice } from './shell/choice.ts';
import { BLANK, stateFor } from './shell/state.ts';
import type { Shown } from './flow/view.ts';

/** A dictionary that takes longer than this to come is no reason not to take a payment: until then in English. */
const LANGUAGE_PATIENCE_MS = 3_000;

/** Not `new URL('.', import.meta.url)` as one expression: bundlers take that for an asset and inline it. */
const SCRIPT_URL = import.meta.url;

/**
 * For all widgets of the page: whether one was painted. The first Intl.NumberFormat costs 16 ms (60 on a slow phone), so the first
 * frame has the methods, with the amount's place kept free, and the next one the amount.
 */
let isPainted = false;

/** For all widgets of the page; undefined until it is there. */
let later: typeof import('./flow/flow.ts') | undefined;

/**
 * Collects one payment for one order, and follows it until it is settled.
 *
 * @tagname payment-widget
 *
 * @attr {string} order - The order token.
 * @attr {string} proxy - The proxy's URL. Default: where the script came from.
 * @attr {string} methods - Which of the order's methods to show, in this order, separated by spaces or commas.
 * @attr {DIRECT|CHECKOUT|JETGO|QR} method - The method chosen at first. Default: the first one.
 * @attr {string} lang - Language. Default: the nearest `lang` of the page, then the order's, then the browser's.
 * @attr {_self|_blank|_top} checkout-target - Where the checkout opens: in place of the page (default; out of a frame), or in a new tab.
 * @attr {boolean} required - Holds the form around it back until the order is paid.
 *
 * @fires {CustomEvent<PaymentEventDetails['payment-submit']>} payment-submit - Before a payment is started; cancelable.
 * @fires {CustomEvent<PaymentEventDetails['payment-redirect']>} payment-redirect - Before the checkout is opened; cancelable.
 * @fires {CustomEvent<OrderView>} payment-change - Each new view of the order.
 * @fires {CustomEvent<OrderView>} payment-success - The order is paid.
 * @fires {CustomEvent<OrderView>} payment-failed - The payment failed; the shopper may try again.
 * @fires {CustomEvent<PaymentEventDetails['payment-error']>} payment-error - Something did not work that is no outcome of a payment.
 *
 * @slot header - Above the amount.
 * @slot footer - Below the panel.
 * @slot success - Below the facts of a paid order.
 * @slot failed - Below what is said of a failed payment.
 * @slot help - Where a payment failed or cannot go on, in place of the link to the shop's help (the token's `supportUrl`).
 * @slot icon-DIRECT - A picture in place of DIRECT's icon.
 * @slot icon-CHECKOUT - A picture in place of CHECKOUT's icon.
 * @slot icon-JETGO - A picture in place of JETGO's icon.
 * @slot icon-QR - A picture in place of QR's icon.
 *
 * @csspart sheet - The whole widget.
 * @csspart description - What is paid for.
 * @csspart total - The amount, above each panel.
 * @csspart heading - The panel's heading.
 * @csspart methods - The group of methods.
 * @csspart method - One method: a label around its radio input.
 * @csspart icon - A drawing: a method's, or the sign of success or failure.
 * @csspart amount - The amount's input, where the shopper enters it.
 * @csspart wallet - The wallet id's input.
 * @csspart help - What a field expects.
 * @csspart pay - The button that pays.
 * @csspart checkout - The link to the checkout.
 * @csspart code - The tile with the QR code.
 * @csspart app-link - The link into the wallet app.
 * @csspart copy - The button that copies the code's text.
 * @csspart save - The button that saves the code as a picture.
 * @csspart share - The button that shares the code as a picture.
 * @csspart countdown - The time left.
 * @csspart status - What is awaited.
 * @csspart error - What went wrong.
 * @csspart details - The facts of a paid order.
 * @csspart again - The button that tries a method again or asks for a new code, or loads the page anew.
 * @csspart support - The link to the shop's help.
 * @csspart other - The button that leads back to the choice.
 * @csspart back - The button that leads from the choice to the open payment.
 * @csspart retry - The button that looks for the connection again.
 *
 * @cssprop --payment-color-text - Text.
 * @cssprop --payment-color-muted - Secondary text and icons.
 * @cssprop --payment-color-surface - Background.
 * @cssprop --payment-color-line - Quiet borders.
 * @cssprop --payment-color-field - Borders of fields and second buttons.
 * @cssprop --payment-color-accent - Main button, chosen method, links, focus.
 * @cssprop --payment-color-on-accent - Text on the accent.
 * @cssprop --payment-color-success - Sign of success.
 * @cssprop --payment-color-danger - Errors and the sign of failure.
 * @cssprop --payment-radius - Radius of rows, fields and buttons; the sheet's is one and a half of it.
 * @cssprop --payment-space - Unit of space.
 * @cssprop --payment-padding - Space inside the sheet.
 * @cssprop --payment-font - Font shorthand. Default: the page's.
 * @cssprop --payment-max-width - Greatest width.
 *
 * @cssstate ready - Something is shown.
 * @cssstate choosing - The shopper chooses.
 * @cssstate waiting - A payment is under way.
 * @cssstate paid - The order is paid.
 * @cssstate failed - The payment failed.
 */
export class PaymentWidget extends LitElement {
  static readonly formAssociated = true;
  static override styles = styles;
  static override properties = {
    order: {},
    proxy: {},
    methods: {},
    method: {},
    lang: { reflect: true, useDefault: true },
    checkoutTarget: { attribute: 'checkout-target' },
    required: { type: Boolean },
    messages: { attribute: false },
  };

  /** The order token. */
  declare order: string;
  /** The proxy's URL. */
  declare proxy: string;
  /** Names of methods: a list, or a text of them separated by spaces or commas. */
  declare methods: string | readonly Method[] | null;
  declare method: Method | null;
  declare lang: string;
  declare checkoutTarget: '_self' | '_blank' | '_top';
  /** Whether the form around it is invalid until the order is paid. */
  declare required: boolean;
  /** Strings in place of the language's own. */
  declare messages: Partial<Messages> | null;

  readonly #internals = this.attachInternals();
  #state = BLANK;
  #engine: Engine | undefined;
  /** Undefined until the first one is there. */
  #language: Language | undefined;
  #tag = '';
  #shown: Shown | undefined;
  /** Of the update under way. */
  #around: Surroundings | undefined;
  /** Before the update under way. */
  #hadFocus = false;

  constructor() {
    super();
    this.order = this.proxy = this.lang = '';
    this.methods = this.method = this.messages = null;
    this.checkoutTarget = '_self';
    this.required = false;
  }

  /** The current view of the order, as the proxy last told it; null until it did. */
  get view(): OrderView | null {
    const { order } = this.#state;
    return order.version < 0 ? null : order;
  }

  /** The order id once the order is paid, as the form around it sends it; else null. */
  get value(): string | null {
    return this.#state.order.paid ? this.#state.order.orderId : null;
  }

  /** The form around it. */
  get form(): HTMLFormElement | null {
    return this.#internals.form;
  }

  /** `valueMissing` where it is required and not paid. */
  get validity(): ValidityState {
    return this.#internals.validity;
  }

  /** Starts a payment by the chosen method, as the button does. */
  pay(): void {
    // With what the page has just set.
    void this.updateComplete.then(() => (this.inert ? undefined : this.#run((session) => session.pay())));
  }

  /** Leads back to the choice. */
  reset(): void {
    void this.#run((session) => session.reset());
  }

  /** Puts the focus on the chosen method, else on the panel's heading. */
  override focus(options?: FocusOptions): void {
    (this.#find('input:checked') ?? this.#find('h2'))?.focus(options);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#run(() => {});
  }

  /** Within a disabled fieldset nothing can be pressed. */
  protected formDisabledCallback(isDisabled: boolean): void {
    this.inert = isDisabled;
  }

  /** The first in a task of its own: with the script's evaluation it would hold up a slow phone. */
  protected override async scheduleUpdate(): Promise<unknown> {
    if (!this.hasUpdated) await new Promise((resolve) => setTimeout(resolve));
    return super.scheduleUpdate();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const wishes = { methods: this.methods ? String(this.methods).split(/[\s,]+/) : null, method: this.method };
    this.#state = { ...this.#state, wishes };
    if (changed.has('order') || changed.has('proxy')) {
      this.#state = stateFor(this.order, this.#state, isNoted);
      this.#open();
    }
    this.#findLanguage();
    const { claims, resuming } = this.#state;
    const isReady = later || (claims && !resuming);
    this.#shown =
      this.order && this.#language && isReady
        ? (later?.show(this.#state, Date.now()) ?? showChoice(this.#state))
        : undefined;
    this.#hadFocus = !!this.shadowRoot?.activeElement;
  }

  protected override render(): TemplateResult | '' {
    const shown = this.#shown;
    if (!shown || !this.#language) return '';
    const around = (this.#around = this.#surroundings(this.#language.tag));
    const { description, amount } = around.order;
    const total = around.money(amount) || '\u00a0';
    const hasTotal = amount && !(shown.panel === 'choose' && shown.askAmount);
    return html`<div class="sheet" part="sheet" lang=${around.language} dir=${this.#language.direction}>
      <slot name="header"></slot>
      <section>
        ${description ? html`<p part="description"><bdi>${description}</bdi></p>` : ''}
        ${hasTotal ? html`<p class=${total.length > 12 ? 'total long' : 'total'} part="total">${total}</p>` : ''}
      </section>
      <div class="panel">${shown.panel === 'choose' ? choose(shown, around) : later?.panel(shown, around)}</div>
      <slot name="footer"></slot>
      <div class="live" role="status"></div>
    </div>`;
  }

  protected override updated(): void {
    const shown = this.#shown;
    const state = shown?.panel === 'choose' ? 'choosing' : shown && later?.STATES[shown.panel];
    const { states } = this.#internals;
    states.clear();
    if (state) states.add(state);
    if (shown) states.add('ready');
    const isPaid = state === 'paid';
    this.#internals.setFormValue(this.value);
    this.#internals.setValidity(
      { valueMissing: this.required && !isPaid },
      this.#say('unpaid') || ' ',
      this.#find('h2') ?? undefined,
    );
    if (!shown || !this.#around) return;
    this.#engine?.painted(shown, this.#around, this.#hadFocus);
    if (!isPainted)
      requestAnimationFrame(() =>
        setTimeout(() => {
          isPainted = true;
          this.requestUpdate();
        }),
      );
  }

  #surroundings(language: string): Surroundings {
    const state = this.#state;
    const { order } = state;
    return {
      tools,
      later,
      say: this.#say,
      money: (amount) => (amount && isPainted ? formatAmount(amount, order.currency, language) : ''),
      language,
      order,
      state,
      amount: later ? later.draftAmount(state, language) : order.amount,
      target: this.checkoutTarget,
      run: (act) => void this.#run(act),
    };
  }

  #set(change: Partial<SessionState>): void {
    if (change.stage?.at === 'sending') isNoted(this.#state.order.orderId, true);
    this.#state = { ...this.#state, ...change };
    this.requestUpdate();
  }

  #say: Say = (key, values) =>
    fill(
      this.messages?.[key] ?? this.#language?.messages[key] ?? (later?.english as Partial<Messages>)?.[key] ?? '',
      values,
    );

  /** Does it as soon as the rest is there, unless the element is gone by then. Where that cannot be had, the proxy cannot either. */
  async #run(act: (session: Session) => void): Promise<void> {
    try {
      later ??= await import('./flow/flow.ts');
    } catch {
      return this.#set({
        resuming: false,
        stage: { at: 'choosing', trouble: { code: 'network', retryable: true } },
      });
    }
    if (!this.isConnected) return;
    if (!this.#engine) {
      this.#engine = later.start({
        element: this,
        state: () => this.#state,
        set: (change) => this.#set(change),
        chosen: () => chosenMethod(this.#state),
        language: () => this.#tag,
      });
      // Before the first update the token was not read yet; that update opens.
      if (this.hasUpdated) this.#open();
    }
    act(this.#engine.session);
  }

  #open(): void {
    this.#engine?.session.open(this.order, this.proxy || new URL('.', SCRIPT_URL).href);
  }

  #findLanguage(): void {
    const tag = chooseTag([this.lang, nearestLang(this), this.#state.claims?.language, ...navigator.languages]);
    if (tag === this.#tag) return;
    this.#tag = tag;
    const language = loadLanguage(tag);
    if (language instanceof Promise) {
      void this.#take(language, tag);
      setTimeout(() => void (this.#language ?? this.#take(loadLanguage('en'), tag)), LANGUAGE_PATIENCE_MS);
    } else this.#language = language;
  }

  async #take(language: Language | Promise<Language>, tag: string): Promise<void> {
    const taken = await language;
    if (tag !== this.#tag) return;
    this.#language = taken;
    this.requestUpdate();
  }

  #find(selector: string): HTMLElement | null {
    return this.shadowRoot?.querySelector<HTMLElement>(selector) ?? null;
  }
}
