// The floor for the library: an element that shows four radios with Lit, without styles or requests.
import { LitElement, html } from 'lit';

class LitAlone extends LitElement {
  protected override render() {
    return html`<form>
      ${['DIRECT', 'CHECKOUT', 'JETGO', 'QR'].map(
        (method) =>
          html`<p>
            <label><input type="radio" name="method" value=${method} /> ${method}</label>
          </p>`,
      )}
    </form>`;
  }
}

customElements.define('lit-alone', LitAlone);
