// Webhooks: lists by state, and one with its body.
import { html } from 'hono/html';
import type { Webhook, WebhookState } from '../ledger/ledger.ts';
import { cards } from './cards.ts';
import { NOTHING, details, linkToOrder, plural, time, walletEnd, type Html } from './format.ts';

export const STATES: Record<WebhookState, string> = { dead: 'Failed', pending: 'Queued', delivered: 'Delivered' };

const TONES: Record<WebhookState, string> = { dead: 'bad', pending: 'wait', delivered: 'good' };

export function isState(text: string | undefined): text is WebhookState {
  return text !== undefined && Object.hasOwn(STATES, text);
}

interface List {
  state: WebhookState;
  webhooks: readonly Webhook[];
  nextCursor: string | null;
  form: string;
}

export function webhooksPage({ state, webhooks, nextCursor, form }: List): Html {
  const tabs = Object.entries(STATES).map(
    ([each, name]) =>
      html`<li>
        <a href="/admin/webhooks?state=${each}" ${each === state ? html` aria-current="true"` : ''}>${name}</a>
      </li>`,
  );
  return html`<nav class="tabs" aria-label="States">
      <ul>
        ${tabs}
      </ul>
    </nav>
    ${webhookTable(`${STATES[state]} webhooks, newest first`, webhooks, form)}
    ${
      nextCursor === null
        ? ''
        : html`<nav class="pager" aria-label="Pages of the list">
            <a href="/admin/webhooks?state=${state}&amp;cursor=${encodeURIComponent(nextCursor)}">Older</a>
          </nav>`
    }`;
}

export function webhookTable(caption: string, webhooks: readonly Webhook[], form: string): Html {
  if (webhooks.length === 0) return html`<p class="empty">No webhooks.</p>`;
  return cards(
    caption,
    ['Type', 'Order', 'State', 'Last answer', 'Created', ['Action', 'action']],
    webhooks.map((webhook) => [
      html`<a href="/admin/webhooks/${webhook.id}">${webhook.type}</a>`,
      linkToOrder(webhook.orderId),
      stateOf(webhook),
      webhook.lastAnswer ?? NOTHING,
      time(webhook.createdAt),
      redeliverForm(webhook, form),
    ]),
  );
}

function stateOf({ state: name, attempts }: Webhook): Html {
  const tries = attempts === 0 ? '' : plural(attempts, 'attempt');
  return html`<span class="status ${TONES[name]}">${STATES[name]}</span> <span class="reason">${tries}</span>`;
}

/** Empty if the body was erased, because it cannot be sent. */
export function redeliverForm({ id, type, orderId, state: name, body }: Webhook, form: string): Html {
  if (body === '') return html``;
  return html`<form method="post" action="/admin/webhooks/${id}/redeliver">
    <input type="hidden" name="form" value="${form}" />
    <button class="${name === 'dead' ? '' : 'quiet'}" aria-label="Send again: ${type} of ${orderId}">Send again</button>
  </form>`;
}

export function webhookPage(webhook: Webhook, form: string): Html {
  const { id, orderId, transactionId, lastAnswer, nextAt, createdAt } = webhook;
  return html`<p class="lead">${stateOf(webhook)}</p>
    ${redeliverForm(webhook, form)}
    ${details([
      ['Webhook ID', id],
      ['Order', linkToOrder(orderId)],
      ['Gateway ID', transactionId],
      ['Last answer', lastAnswer ?? NOTHING],
      ['Next attempt', webhook.state === 'pending' ? time(nextAt) : NOTHING],
      ['Created', time(createdAt)],
    ])}
    <h2>Body</h2>
    <p class="hint">Laid out for reading; wallet ids are shown only by their ends, but sent in full.</p>
    <pre tabindex="0" aria-label="Body">${shownBody(webhook.body)}</pre>`;
}

const WALLETS = new Set(['customer', 'payer']);

function shownBody(body: string): string {
  const hide = (key: string, value: unknown) =>
    WALLETS.has(key) && typeof value === 'string' ? `•••• ${walletEnd(value)}` : value;
  try {
    return JSON.stringify(JSON.parse(body), hide, 2);
  } catch {
    return 'The body was erased.';
  }
}
