// The floor for the widget: a bare custom element with the same methods, the same code and the widget's styles. It
// starts a payment, follows the order and draws the code, but has no errors, retries, languages, focus, countdown or
// resuming. The difference to the widget's figures is the cost of these features.
import { qrPath } from '../../../widget/flow/qr-code.ts';

/** The minified styles of the widget's first paint; the build inserts them. */
declare const STYLES: string;

const METHODS = [
  ['DIRECT', 'Wallet', 'Confirm in your wallet app', 'M4 8V7a2 2 0 0 1 2-2h11v3M4 8v9a2 2 0 0 0 2 2h14V8zm12 5.5h.01'],
  ['CHECKOUT', 'Online checkout', 'Log in on the wallet’s website', 'M3 5h18v14H3zM3 9h18m-9 7 3-2-3-2m3 2H8'],
  ['JETGO', 'JetGo', 'A JetGo code for your wallet app', 'M7 2.5h10v19H7zM13 7l-3 5h4l-3 5'],
  ['QR', 'QR code', 'A code for your wallet app', 'M4 4h6v6H4zm10 0h6v6h-6zM4 14h6v6H4zm10 0h2v2h-2zm4 4h2v2h-2z'],
];

class BareElement extends HTMLElement {
  readonly #root = this.attachShadow({ mode: 'open' });
  readonly #headers = { authorization: `Bearer ${this.getAttribute('order')}`, 'content-type': 'application/json' };

  connectedCallback(): void {
    const rows = METHODS.map(
      ([method, name, help, path], index) =>
        `<label class="method"><input type="radio" name="method" value="${method}"${index ? '' : ' checked'}><svg class="icon" viewBox="0 0 24 24"><path d="${path}"/></svg><span><b>${name}</b><small>${help}</small></span></label>`,
    );
    this.#show(
      `<p class="total">€10.10</p><form><fieldset><legend><h2>How would you like to pay?</h2></legend>${rows.join('')}</fieldset><button part="pay" class="primary">Pay €10.10</button></form>`,
    );
    const form = this.#root.querySelector('form');
    form?.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#start(form.querySelector<HTMLInputElement>(':checked')?.value ?? '');
    });
    void this.#follow();
  }

  async #start(method: string): Promise<void> {
    const headers = { ...this.#headers, 'idempotency-key': crypto.randomUUID() };
    const answer = await fetch('order/payments', { method: 'POST', headers, body: JSON.stringify({ method }) });
    this.#draw(await answer.json());
  }

  async #follow(): Promise<void> {
    const { body } = await fetch('order/events', { headers: this.#headers });
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ''; reader;) {
      const { done, value } = await reader.read();
      if (done) return;
      const events = (text + value).split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const data = /^data:(.*)/m.exec(event)?.[1];
        if (data) this.#draw(JSON.parse(data));
      }
    }
  }

  #draw({ paid, payment }: { paid: boolean; payment: { qr: { size: number; modules: string } | null } | null }): void {
    if (paid) this.#show('<h2>Paid</h2>');
    else if (payment?.qr && !this.#root.querySelector('.code')) {
      const side = payment.qr.size + 8;
      this.#show(
        `<h2>Scan the code to pay</h2><div class="code" part="code"><svg viewBox="0 0 ${side} ${side}"><path d="${qrPath(payment.qr)}"/></svg></div>`,
      );
    }
  }

  #show(panel: string): void {
    this.#root.innerHTML = `<style>${STYLES}.code{inline-size:15rem;justify-self:center;background:#fff}</style><div class="sheet">${panel}</div>`;
  }
}

customElements.define('bare-element', BareElement);
