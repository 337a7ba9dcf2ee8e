// What the merchant's staff see: every payment and payout with its history, and the form that sends a payout. Pure. The order
// id of the next payout is made by the server and travels in the form, so sending the same form twice is the same payout.
import { html } from 'hono/html';
import { CURRENCY, formatMoney } from './catalogue.ts';
import { page, type Markup, type Site } from './page.ts';
import { isPayment, type Payment, type Payout, type Status, type Transaction } from './proxy-client.ts';

/** What was typed, and what the proxy had against it. */
export interface PayoutForm {
  orderId: string;
  amount?: string | undefined;
  customer?: string | undefined;
  note?: string | undefined;
  /** The payment whose customer gets money back. */
  back?: Payment | undefined;
  trouble?: string | undefined;
}

export interface Desk {
  payments: readonly Payment[];
  payouts: readonly Payout[];
  /** Why the tables may be out of date. */
  trouble?: string | undefined;
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

export function deskPage(desk: Desk, form: PayoutForm, site: Site): Markup {
  return page(
    { title: 'The desk', place: 'desk', scripts: ['/assets/desk.js'], site },
    html`<h1>The desk</h1>
      <p class="quiet">All money in and out, of the last seven days. Times are UTC.</p>
      <p class="quiet">
        Whoever can open this page can send money. So it is served on this machine alone, or with DESK_PASSWORD, which
        stands in for the sign-in of your staff.
      </p>
      <div class="stack">
        <div class="stack" data-live>${deskTables(desk)}</div>
        ${payoutForm(form)}
      </div>`,
  );
}

/** The part that `desk.js` fetches anew, so that a status changes in front of the reader. */
export function deskTables({ payments, payouts, trouble }: Desk): Markup {
  return html`${trouble === undefined ? '' : html`<p class="message bad" role="alert">${trouble}</p>`}
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
        payments.map((payment) => transaction(payment, payment.method ?? 'Payment', null, moneyBack(payment, payouts))),
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

/** How far it is; else a link to the form and no more, by the payment's id, because an address is no place for a wallet ID. */
function moneyBack(payment: Payment, payouts: readonly Payout[]): Markup | '' {
  const { orderId, gatewayOrderId } = payment;
  const sent = sentBack(gatewayOrderId, payouts).find(isUnderway);
  if (sent !== undefined) return html`<p class="back">Money back: ${CHIPS[sent.status].label.toLowerCase()}</p>`;
  if (!canGoBack(payment)) return '';
  return html`<a
    class="back"
    href="/desk?back=${encodeURIComponent(gatewayOrderId)}#send"
    aria-label="Send money back for ${orderId}"
    >Send money back</a
  >`;
}

/** Whether a payout could: it needs a wallet, and takes whole amounts of the shop's own currency. */
export function canGoBack({ status, customer, amount, currency }: Payment): boolean {
  return status === 'SUCCESS' && customer !== null && currency === CURRENCY && wholeOf(amount) > 0;
}

/** Never more than came in. */
export function wholeOf(amount: string): number {
  return Math.floor(Number(amount));
}

/** The id of the payout that sends a payment's money back, after so many that failed: whoever sends it makes the same one. */
export function backId(gatewayOrderId: string, failed: number): string {
  return `BACK${failed + 1}-${gatewayOrderId}`;
}

/** The payouts that sent this payment's money back, or tried to. */
export function sentBack(gatewayOrderId: string, payouts: readonly Payout[]): Payout[] {
  return payouts.filter(({ orderId }) => orderId.replace(/^BACK\d+-/, '') === gatewayOrderId);
}

/** Money that is back, or may still get there. */
export function isUnderway({ status }: Payout): boolean {
  return status !== 'FAILED';
}

function payoutForm({ orderId, amount = '', customer = '', note = '', back, trouble }: PayoutForm): Markup {
  return html`<section class="send stack card" aria-labelledby="send">
    <h2 id="send">${back === undefined ? 'Send a payout' : 'Send money back'}</h2>
    ${
      back === undefined
        ? ''
        : html`<p class="quiet">
            ${formatMoney(back.amount, back.currency)} came in for ${back.orderId}. A payout is a whole amount.
          </p>`
    }
    ${trouble === undefined ? '' : html`<p class="message bad" role="alert">${trouble}</p>`}
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
      <small>As ${orderId}</small>
    </form>
  </section>`;
}
