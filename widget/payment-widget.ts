// The element: attributes, slots, parts, states and the form, around a session. render() is one switch from what view.ts decides
// to a panel. It holds no payment state of its own; it moves the focus, speaks to screen readers and fetches the language.
import { LitElement, html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Method, OrderView } from '../backend-proxy/protocol/wire.ts';
import { formatAmount } from './amount.ts';
import { Countdown } from './controllers/countdown.ts';
import { Session, type Errand } from './controllers/session.ts';
import { draftAmount } from './draft.ts';
import type { Emit } from './events.ts';
import { ENGLISH, chooseTag, fill, loadLanguage, spokenTime, type Language, type Say } from './language.ts';
import type { Messages } from './locales/en.ts';
import { choose } from './panels/choose.ts';
import type { Surroundings } from './panels/pieces.ts';
import { redirect } from './panels/redirect.ts';
import { scan } from './panels/scan.ts';
import { failed, paid } from './panels/settled.ts';
import { trouble } from './panels/trouble.ts';
import { checking, wallet } from './panels/wallet.ts';
import { styles } from './payment-widget.styles.ts';
import { show, type Shown } from './view.ts';

const STATES: Record<Shown['panel'], 'choosing' | 'waiting' | 'paid' | 'failed' | null> = {
  choose: 'choosing',
  checking: 'waiting',
  redirect: 'waiting',
  scan: 'waiting',
  wallet: 'waiting',
  paid: 'paid',
  failed: 'failed',
  trouble: null,
};

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
 * @attr {_self|_blank} checkout-target - Where the checkout opens: in place of the page (default), or in a new tab.
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
 * @csspart countdown - The time left at the checkout.
 * @csspart status - What is awaited.
 * @csspart error - What went wrong.
 * @csspart details - The facts of a paid order.
 * @csspart again - The button that tries a failed method again.
 * @csspart other - The button that leads back to the choice.
 * @csspart back - The button that leads from the choice to the open payment.
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
 * @cssstate choosing - The shopper chooses.
 * @cssstate waiting - A payment is under way.
 * @cssstate paid - The order is paid.
 * @cssstate failed - The payment failed.
 */
export class PaymentWidget extends LitElement {
  static readonly formAssociated = true;
  static override shadowRootOptions: ShadowRootInit = { ...LitElement.shadowRootOptions, delegatesFocus: true };
  static override styles = styles;
  static override properties = {
    order: {},
    proxy: {},
    methods: {},
    method: {},
    lang: {},
    checkoutTarget: { attribute: 'checkout-target' },
    messages: { attribute: false },
  };

  /** The order token. */
  declare order: string;
  /** The proxy's URL. */
  declare proxy: string;
  /** Names of methods, separated by spaces or commas. */
  declare methods: string | null;
  declare method: string | null;
  declare lang: string;
  declare checkoutTarget: '_self' | '_blank';
  /** Strings in place of the language's own. */
  declare messages: Partial<Messages> | null;

  readonly #internals = this.attachInternals();
  readonly #countdown = new Countdown(this);
  readonly #session: Session;
  /** Undefined until the first one is there; English is at once. */
  #language: Language | undefined;
  #wishedTag = '';
  #shown: Shown | undefined;
  #copied = '';
  #notes = '';
  /** Of the update under way. */
  #hadFocus = false;
  #panelBefore: Shown['panel'] | undefined;
  #spoken: string | undefined;

  constructor() {
    super();
    this.order = '';
    this.proxy = '';
    this.methods = null;
    this.method = null;
    this.lang = '';
    this.checkoutTarget = '_self';
    this.messages = null;
    this.#session = new Session(this, {
      emit: this.#emit,
      language: () => this.#tag,
      prepareRedirect: (method) => this.#prepareRedirect(method),
      storage: sessionStorageOf(window),
      page: window,
    });
  }

  /** The current view of the order, as the proxy last told it; null until it did. */
  get view(): OrderView | null {
    const { order } = this.#session.state;
    return order && order.version >= 0 ? order : null;
  }

  /** Starts a payment by the chosen method, as the button does. */
  pay(): void {
    this.#session.pay();
  }

  /** Leads back to the choice. */
  reset(): void {
    this.#session.reset();
  }

  /** Puts the focus on the chosen method, else on the panel's heading. */
  override focus(options?: FocusOptions): void {
    const target = this.renderRoot?.querySelector<HTMLElement>('input:checked') ?? this.#find('h2');
    target?.focus(options);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('methods') || changed.has('method')) {
      this.#session.wish({ methods: this.methods?.split(/[\s,]+/) ?? null, method: this.method });
    }
    if (changed.has('order') || changed.has('proxy')) {
      this.#session.open(this.order, new URL(this.proxy || DEFAULT_PROXY, document.baseURI).href);
    }
    this.#findLanguage();
    this.#shown = this.order && this.#language ? show(this.#session.state, Date.now()) : undefined;
    this.#hadFocus = this.shadowRoot?.activeElement != null;
    const seconds = this.#countdown.show(this.#shown?.panel === 'redirect' ? this.#shown.remainingMs : null);
    this.#spoken = seconds === null ? undefined : this.#say('timeLeft', { time: spokenTime(seconds, this.#tag) });
  }

  protected override render(): TemplateResult | typeof nothing {
    const shown = this.#shown;
    if (!shown) return nothing;
    const { order, lost } = this.#session.state;
    const around = order && this.#surroundings(order);
    const showTotal = shown.panel !== 'choose' || !shown.askAmount;
    return html`<div class="sheet" part="sheet" lang=${this.#tag} dir=${this.#language?.direction ?? 'ltr'}>
      <slot name="header"></slot>
      ${
        around && (order.description || showTotal)
          ? html`<div>
              ${order.description ? html`<p class="muted" part="description">${order.description}</p>` : nothing}
              ${showTotal ? html`<p class="total" part="total">${around.money(order.amount)}</p>` : nothing}
            </div>`
          : nothing
      }
      <div class="panel">
        ${around ? this.#panel(shown, around) : shown.panel === 'trouble' ? trouble(shown.trouble, this.#say) : nothing}
      </div>
      ${
        lost && STATES[shown.panel] === 'waiting'
          ? html`<div class="note" part="status">
              ${this.#say('lost')}
              <button class="quiet" type="button" @click=${() => this.#session.refresh()}>${this.#say('retry')}</button>
            </div>`
          : nothing
      }
      <slot name="footer"></slot>
      <p class="live" role="status"></p>
    </div>`;
  }

  protected override updated(): void {
    const shown = this.#shown;
    if (!shown) return;
    this.#reflect(shown);
    const changed = shown.panel !== this.#panelBefore;
    this.#panelBefore = shown.panel;
    if (changed && this.#hadFocus) this.#find('h2')?.focus();
    else if (this.#hadFocus && shown.panel === 'choose' && shown.errors !== this.#errorsBefore) {
      this.#find('[aria-invalid=true]')?.focus();
    }
    this.#errorsBefore = shown.panel === 'choose' ? shown.errors : undefined;
    this.#announce(changed);
  }
  #errorsBefore: object | undefined;

  #panel(shown: Shown, around: Surroundings): TemplateResult {
    switch (shown.panel) {
      case 'choose':
        return choose(shown, around);
      case 'checking':
        return checking(around);
      case 'redirect':
        return redirect(shown, around);
      case 'scan':
        return scan(shown, around);
      case 'wallet':
        return wallet(around);
      case 'paid':
        return paid(shown, around);
      case 'failed':
        return failed(shown, around);
      case 'trouble':
        return trouble(shown.trouble, this.#say);
      default:
        return shown satisfies never;
    }
  }

  #surroundings(order: OrderView): Surroundings {
    const session = this.#session;
    const { claims, draft } = session.state;
    return {
      say: this.#say,
      money: (amount) => (amount ? formatAmount(amount, order.currency, this.#tag) : ''),
      language: this.#tag,
      order,
      claims,
      draft,
      amount: draftAmount(session.state, this.#tag),
      target: this.checkoutTarget,
      copied: this.#copied !== '',
      act: {
        edit: (change) => session.edit(change),
        pay: (event) => {
          event?.preventDefault();
          session.pay();
        },
        again: (method) => session.again(method),
        reset: () => session.reset(),
        follow: () => session.follow(),
        copy: (text) => void this.#copy(text),
      },
    };
  }

  /** States for the page's styles; value and validity for its form. */
  #reflect({ panel }: Shown): void {
    const { states } = this.#internals;
    for (const state of Object.values(STATES)) if (state) states[STATES[panel] === state ? 'add' : 'delete'](state);
    const isPaid = panel === 'paid';
    this.#internals.setFormValue(isPaid ? (this.view?.orderId ?? null) : null);
    if (isPaid) this.#internals.setValidity({});
    else this.#internals.setValidity({ valueMissing: true }, this.#say('unpaid'), this.#find('h2') ?? this);
  }

  /** One polite region: a new panel's heading and first words, what went wrong, the time at its steps. */
  #announce(panelChanged: boolean): void {
    const texts = (selector: string) =>
      [...this.renderRoot.querySelectorAll(selector)].map((each) => each.textContent?.trim()).join(' ');
    const notes = texts('.note, .wrong');
    let spoken = this.#spoken;
    if (panelChanged) spoken = `${this.#hadFocus ? '' : texts('h2')} ${texts('.panel > p, .beside > p')}`;
    else if (notes !== this.#notes) spoken = notes;
    this.#notes = notes;
    const live = this.#find('.live');
    if (live && spoken !== undefined) live.textContent = spoken;
  }

  #findLanguage(): void {
    const { claims } = this.#session.state;
    const tag = chooseTag([this.lang, nearestLang(this), claims?.language, ...navigator.languages]);
    if (tag === this.#wishedTag) return;
    this.#wishedTag = tag;
    if (/^en\b/.test(tag)) {
      this.#language = { ...ENGLISH, tag };
      return;
    }
    void this.#loadLanguage(tag);
  }

  async #loadLanguage(tag: string): Promise<void> {
    const language = await loadLanguage(tag);
    if (tag !== this.#wishedTag) return;
    this.#language = language;
    this.requestUpdate();
  }

  get #tag(): string {
    return this.#language?.tag ?? ENGLISH.tag;
  }

  #say: Say = (key, values) => fill(this.messages?.[key] ?? this.#language?.messages[key] ?? '', values);

  #emit: Emit = (name, detail) =>
    this.dispatchEvent(
      new CustomEvent(name, {
        detail,
        bubbles: true,
        composed: true,
        cancelable: name === 'payment-submit' || name === 'payment-redirect',
      }),
    );

  /** A new tab is only allowed within the click, so it is opened empty and cut off from this page before anything loads in it. */
  #prepareRedirect(method: Method): Errand {
    const apart = this.checkoutTarget === '_blank';
    const tab = apart && method === 'CHECKOUT' ? window.open('about:blank', '_blank') : null;
    if (tab) {
      tab.opener = null;
      tab.document.title = this.#say('redirect');
    }
    return {
      go: (url) => {
        if (tab) tab.location.replace(url);
        else if (!apart) location.assign(url);
      },
      drop: () => tab?.close(),
    };
  }

  async #copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      return;
    }
    this.#copied = text;
    this.requestUpdate();
    const live = this.#find('.live');
    if (live) live.textContent = this.#say('copied');
  }

  #find(selector: string): HTMLElement | null {
    return this.renderRoot?.querySelector<HTMLElement>(selector) ?? null;
  }
}

// Not `new URL('.', import.meta.url)` as one expression: bundlers take that for an asset and inline it.
const SCRIPT_URL = import.meta.url;
const DEFAULT_PROXY = new URL('.', SCRIPT_URL).href;

/** The `lang` of the nearest ancestor, out of every shadow root. */
function nearestLang(element: Element): string | undefined {
  for (let from: Element | undefined = element; from;) {
    const found: HTMLElement | null = from.closest<HTMLElement>('[lang]:not([lang=""])');
    if (found) return found.lang;
    const root: Node = from.getRootNode();
    from = root instanceof ShadowRoot ? root.host : undefined;
  }
  return undefined;
}

/** A sandboxed frame has none, and says so by throwing. */
function sessionStorageOf(page: Window): Storage | null {
  try {
    return page.sessionStorage;
  } catch {
    return null;
  }
}
