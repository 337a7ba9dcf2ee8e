// The markup of the desk: all payments and payouts with their history, and the form that sends a payout. The server
// creates the payout's order id and the form contains it, so submitting a form twice sends one payout.
import { html } from 'hono/html';
import { CURRENCY, formatMoney } from './catalogue.ts';
import { page, type Markup, type Site } from './page.ts';
import { canRefund, hasNotFailed, refundsOf } from './refunds.ts';
import { isPayment, type Payment, type Payout, type Status, type Transaction } from './proxy-client.ts';

/** The values typed so far, and the error message. */
export interface PayoutForm {
  orderId: string;
  amount?: string | undefined;
  customer?: string | undefined;
  note?: string | undefined;
  /** The payment that the payout refunds. */
  back?: Payment | undefined;
  problem?: string | undefined;
}

export interface DeskTables {
  payments: readonly Payment[];
  payouts: readonly Payout[];
  /** Why the tables are empty or out of date. */
  problem?: string | undefined;
}

const CHIPS = {
  INITIALIZED: { tone: '', label: 'Being sent' },
  PROCESSING: { tone: '', label: 'Processing' },
  SUCCESS: { tone: 'good', label: 'Success' },
  FAILED: { tone: 'bad', label: 'Failed' },
} satisfies Record<Status, { tone: string; label: string }>;

const times = new Intl.DateTimeFormat('en', {
  timeZone: 'UTC',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

export function deskPage(desk: DeskTables, form: PayoutForm, site: Site): Markup {
  return page(
    { title: 'The desk', place: 'desk', scripts: ['/assets/desk.js'], site },
    html`<h1>The desk</h1>
      <p class="quiet">All money in and out in the last seven days. Times are UTC.</p>
      <p class="quiet">
        Anyone who can open this page can send money. So it is served only on this machine, or with DESK_PASSWORD, in
        place of your staff's sign-in.
      </p>
      <div class="stack">
        <div class="stack" data-live>${deskTables(desk)}</div>
        ${payoutForm(form)}
      </div>`,
  );
}

/** The part that `desk.js` refreshes. */
export function deskTables({ payments, payouts, problem }: DeskTables): Markup {
  return html`${problem === undefined ? '' : html`<p class="message bad" role="alert">${problem}</p>`}
    <section class="stack" aria-labelledby="payouts">
      <h2 id="payouts">Payouts</h2>
      ${list(
        payouts.map((payout) => transaction(payout, 'Payout', payout.note)),
        'None sent yet.',
      )}
    </section>
    <section class="stack" aria-labelledby="payments">
      <h2 id="payments">Payments</h2>
      ${list(
        payments.map((payment) =>
          transaction(payment, payment.method ?? 'Payment', null, refundLink(payment, payouts)),
        ),
        'None yet. They appear as soon as a customer starts one.',
      )}
    </section>`;
}

function list(rows: readonly Markup[], none: string): Markup {
  return rows.length === 0
    ? html`<p class="quiet">${none}</p>`
    : html`<ul class="transactions card">
        ${rows}
      </ul>`;
}

function transaction(entry: Transaction, what: string, note: string | null, foot: Markup | '' = ''): Markup {
  const isSurplus = isPayment(entry) && entry.surplus;
  const isForReview = entry.needsReview || isSurplus;
  const review = { tone: 'warn', label: isSurplus ? 'Paid twice' : 'Needs review' };
  const chip = entry.reason === 'REPLACED' ? { tone: '', label: 'Replaced' } : CHIPS[entry.status];
  const { tone, label } = isForReview ? review : chip;
  const key = `${entry.orderId} ${entry.createdAt}`;
  return html`<li class="${isForReview ? 'warn' : ''}" data-status="${entry.status}" data-key="${key}">
    <details>
      <summary>
        <span class="what"><b>${what}</b> <small>${entry.orderId}</small></span>
        <small>${[entry.reason, entry.customer && `wallet ${entry.customer}`, note].filter(Boolean).join(' · ')}</small>
        <b class="amount">${formatMoney(entry.amount, entry.currency)}</b>
        <span class="chip ${tone}">${label}</span>
        <small><time datetime="${entry.createdAt}">${times.format(new Date(entry.createdAt))}</time></small>
      </summary>
      <ol class="stack history">
        ${entry.history.map(
          ({ at, event, source, detail }) =>
            html`<li>
              <time class="quiet" datetime="${at}">${at.slice(11, 19)}</time>
              <b>${event.replaceAll('_', ' ')}</b>
              <span class="quiet">${source}${detail === null ? '' : html`: ${detail}`}</span>
            </li>`,
        )}
      </ol>
    </details>
    ${foot}
  </li>`;
}

/** The status of the refund, or a link to the form. The link has the payment's id: a URL must not have a wallet id. */
function refundLink(payment: Payment, payouts: readonly Payout[]): Markup | '' {
  const { orderId, gatewayOrderId } = payment;
  const sent = refundsOf(gatewayOrderId, payouts).find(hasNotFailed);
  if (sent !== undefined) return html`<p class="back">Money back: ${CHIPS[sent.status].label.toLowerCase()}</p>`;
  if (!canRefund(payment)) return '';
  return html`<a
    class="back"
    href="/desk?back=${encodeURIComponent(gatewayOrderId)}#send"
    aria-label="Send money back for ${orderId}"
    >Send money back</a
  >`;
}

function payoutForm({ orderId, amount = '', customer = '', note = '', back, problem }: PayoutForm): Markup {
  return html`<section class="send stack card" aria-labelledby="send">
    <h2 id="send">${back === undefined ? 'Send a payout' : 'Send money back'}</h2>
    ${
      back === undefined
        ? ''
        : html`<p class="quiet">
            ${formatMoney(back.amount, back.currency)} came in for ${back.orderId}. A payout is a whole amount.
          </p>`
    }
    ${problem === undefined ? '' : html`<p class="message bad" role="alert">${problem}</p>`}
    <form class="stack" method="post" action="/desk/payouts">
      <input type="hidden" name="orderId" value="${orderId}" />
      <label
        >Amount, in whole ${CURRENCY}
        <input
          name="amount"
          value="${amount}"
          inputmode="numeric"
          pattern="[1-9][0-9]{0,6}"
          title="A whole amount"
          required
      /></label>
      <label
        >Wallet ID
        <input name="customer" value="${customer}" inputmode="numeric" pattern="[0-9]+" maxlength="32" required
      /></label>
      <label>Note to the customer <input name="note" value="${note}" maxlength="120" placeholder="Optional" /></label>
      <button class="button">Send payout</button>
      <small>Order id ${orderId}</small>
    </form>
  </section>`;
}
