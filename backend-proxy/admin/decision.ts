// The second step of what an operator does: how much and to whom, what happens then, and one button that does it.
import { html } from 'hono/html';
import type { Html } from './format.ts';

interface Decision {
  /** Large, such as an amount. */
  sum?: string;
  /** Whose it is: a wallet or an order. */
  subject: Html | string;
  /** What changes, each under its name. */
  rows: readonly (readonly [name: string, sentences: readonly string[]])[];
  action: string;
  /** The hidden fields of the form. */
  fields: Html;
  button: string;
  back: string;
}

export function decision({ sum, subject, rows, action, fields, button, back }: Decision): Html {
  return html`<section class="panel decision">
    ${sum === undefined ? '' : html`<p class="sum">${sum}</p>`}
    <p>${subject}</p>
    <dl>
      ${rows.map(
        ([name, sentences]) =>
          html`<div>
            <dt>${name}</dt>
            ${sentences.map((sentence) => html`<dd>${sentence}</dd>`)}
          </div>`,
      )}
    </dl>
    <form method="post" action="${action}">
      ${fields}
      <div class="buttons"><button>${button}</button> <a href="${back}">Cancel</a></div>
    </form>
  </section>`;
}

/** What was confirmed is not what would happen now. */
export function changedMessage(what: string): Html {
  return html`<p class="message bad" role="alert">
    Nothing was done: ${what} has changed since you looked. This is what would happen now.
  </p>`;
}
