// One transaction: its data, its history, its webhooks, and the form for a review.
import { html } from 'hono/html';
import type { Order, Preview, Resolution, Webhook } from '../ledger/ledger.ts';
import { TYPES, mayBeResolved, type HistoryEntry, type Transaction } from '../protocol/transaction.ts';
import type { RefundRules } from '../protocol/refundable.ts';
import { effectOf, resolutionTitle } from './resolution.ts';
import { closing } from './closing-page.ts';
import { refunding } from './refund-page.ts';
import { NOTHING, amount, details, linkToOrder, status, time, wallet, type Html } from './format.ts';
import { linkTo } from './transaction-table.ts';
import { webhookTable } from './webhooks-page.ts';
import { detailOf, eventName, explanationOf, kindOf, moved, reviewReason, sourceName } from './words.ts';

const DUPLICATE =
  'The gateway says that it had this id before, so what it reports may be about somebody else’s payment and credits nothing.';

export interface ResolutionForm {
  status: string;
  by: string;
  note: string;
  /** Why the form was refused, by field. */
  refused: Readonly<Record<string, string>>;
}

interface Given {
  transaction: Transaction;
  /** Of a payment; undefined for anything else. */
  order: Order | undefined;
  refundRules: RefundRules;
  webhooks: readonly Webhook[];
  form: string;
  resolution?: ResolutionForm;
}

export function transactionPage({ transaction, order, refundRules, webhooks, form, resolution }: Given): Html {
  const { id, orderId, paymentId, refundOf, note, createdAt, updatedAt } = transaction;
  return html`${lead(transaction)} ${mayBeResolved(transaction) ? reviewForm(transaction, form, resolution) : ''}
    ${refunding(transaction, order, refundRules, form)} ${closing(transaction, order, form)}
    ${details([
      ['Order', linkToOrder(orderId)],
      ['Gateway ID', id],
      ...(refundOf === null
        ? []
        : [['Refund of', html`<a href="${linkTo({ id: refundOf })}">${refundOf}</a>`] as const]),
      ['Payment ID', paymentId ?? NOTHING],
      ['Wallet asked', wallet(transaction.customer)],
      ['Payer', wallet(transaction.payer)],
      ['Note', note ?? NOTHING],
      ['Created', time(createdAt)],
      ['Changed', time(updatedAt)],
    ])}
    <h2>History</h2>
    ${historyList(transaction.history)}
    <h2>Webhooks</h2>
    ${webhookTable('Webhooks of this transaction', webhooks, form)}`;
}

function lead(transaction: Transaction): Html {
  return html`<p class="lead">
    ${amount(transaction)} · ${kindOf(transaction)} ${status(transaction)}
    <span class="reason">${explanationOf(transaction)}</span>
  </p>`;
}

function historyList(history: readonly HistoryEntry[]): Html {
  return html`<ol class="history" aria-label="What happened, oldest first">
    ${history.map((entry) => {
      const detail = detailOf(entry);
      return html`<li>
        ${time(entry.at)}
        <span><b>${eventName(entry.event)}</b> ${sourceName(entry)}${detail && html` · ${detail}`}</span>
      </li>`;
    })}
  </ol>`;
}

function reviewForm(transaction: Transaction, form: string, given: ResolutionForm | undefined): Html {
  const { status: chosen = '', by = '', note = '', refused = {} } = given ?? {};
  const done = TYPES[transaction.type].isOutgoing ? 'sent' : 'received';
  const radio = (value: string, label: string) =>
    html`<label class="choice">
      <input type="radio" name="status" value="${value}" required ${chosen === value ? 'checked' : ''} />
      ${label}</label
    >`;
  const problem = (field: string) =>
    refused[field] === undefined ? '' : html`<p class="problem" id="${field}-problem">${refused[field]}</p>`;
  const described = (field: string) =>
    refused[field] === undefined ? '' : html`aria-invalid="true" aria-describedby="${field}-problem"`;
  return html`<section class="panel" aria-labelledby="review">
    <h2 id="review">${transaction.needsReview ? 'Needs review' : 'A duplicate'}</h2>
    <p>
      ${transaction.needsReview ? reviewReason(transaction) : DUPLICATE} Ask the gateway’s support about
      <b>${transaction.id}</b>, then say what you know.
    </p>
    <form method="post" action="${linkTo(transaction)}/resolve">
      <input type="hidden" name="form" value="${form}" />
      <input type="hidden" name="version" value="${transaction.version}" />
      <fieldset>
        <legend>What happened?</legend>
        ${radio('SUCCESS', `The money was ${done}`)} ${radio('FAILED', `No money was ${done}`)} ${problem('status')}
      </fieldset>
      <div class="field">
        <label for="by">Your name</label>
        <input
          id="by"
          name="by"
          value="${by}"
          maxlength="100"
          required
          autocomplete="name"
          ${described('by')}
        />${problem('by')}
      </div>
      <div class="field wide">
        <label for="note">How you know</label>
        <input
          id="note"
          name="note"
          value="${note}"
          maxlength="500"
          required
          autocomplete="off"
          ${described('note')}
        />${problem('note')}
      </div>
      <button>Continue</button>
      <p class="hint">Nothing changes yet: the next page says what will happen.</p>
    </form>
  </section>`;
}

interface Confirmation {
  preview: Preview;
  resolution: Resolution;
  /** Whether the form was confirmed before, when it would have had another effect. */
  hasChanged: boolean;
  form: string;
  /** False if no WEBHOOK_URL is set. */
  sendsWebhooks: boolean;
}

export function confirmationPage(confirmation: Confirmation): Html {
  const { preview, resolution, hasChanged, form, sendsWebhooks } = confirmation;
  const { transaction, expected, webhook, gatewayReports } = preview;
  const hidden = (name: string, value: string | number) =>
    html`<input type="hidden" name="${name}" value="${value}" />`;
  return html`${lead(transaction)}
    ${
      hasChanged
        ? html`<p class="message bad" role="alert">
            Nothing was done: the payment or its order has changed since you looked. This is what would happen now.
          </p>`
        : ''
    }
    ${
      gatewayReports === null
        ? ''
        : html`<p class="message bad" role="alert">
            The gateway reports that ${moved(gatewayReports)}, and you say that ${moved(resolution.status)}. The same
            report once more will not ask for a review.
          </p>`
    }
    <section class="panel" aria-labelledby="effect">
      <h2 id="effect">Order ${transaction.orderId}</h2>
      <ul class="effect">
        ${effectOf(preview, resolution.status).map((sentence) => html`<li>${sentence}</li>`)}
        ${webhook !== null && !sendsWebhooks ? html`<li>No WEBHOOK_URL is set, so it is not sent now.</li>` : ''}
        <li>The history shows “${moved(resolution.status)}, says ${resolution.by}: ${resolution.note}”.</li>
        <li>If the gateway later says otherwise, this comes back for review.</li>
      </ul>
      <form method="post" action="${linkTo(transaction)}/resolve">
        ${hidden('form', form)} ${hidden('version', expected.version)} ${hidden('paidBy', expected.paidBy ?? '')}
        ${hidden('closed', expected.closed ? 'yes' : 'no')} ${hidden('confirmed', 'yes')}
        ${hidden('status', resolution.status)} ${hidden('by', resolution.by)} ${hidden('note', resolution.note)}
        ${gatewayReports === null ? '' : hidden('gatewayReports', gatewayReports)}
        <div class="buttons">
          <button>${resolutionTitle(transaction, resolution.status)}</button>
          <a href="${linkTo(transaction)}">Cancel</a>
        </div>
      </form>
    </section>`;
}
