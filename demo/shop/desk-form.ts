// The page that sends a payout, or a payment's money back, in two steps; and the one that closes an order.
import { html } from 'hono/html';
import type { Payment } from '../../backend-proxy/client.ts';
import { CURRENCY, centsOf, decimal, formatMoney } from './catalog.ts';
import { deskFrame, walletEnd } from './desk-list.ts';
import type { Markup, Site } from './page.ts';

export interface DeskForm {
  /** The payout's order id, or the refund's key. */
  id: string;
  /** The values typed so far. */
  amount: string;
  customer: string;
  note: string;
  /** The payment whose money goes back, and the cents that are left of it; undefined of a payout. */
  back?: Payment | undefined;
  left?: number;
  problem?: { text: string; field?: 'amount' | 'customer' } | undefined;
  /** The second step, before money leaves. */
  isReview: boolean;
}

export function deskForm(form: DeskForm, site: Site): Markup {
  const { id, back, problem, isReview } = form;
  const title = isReview ? question(form) : back === undefined ? 'Send a payout' : 'Send money back';
  return deskFrame(
    title,
    site,
    html`<section class="send card stack" aria-labelledby="title">
      <h1 id="title">${title}</h1>
      ${back === undefined ? '' : origin(back, form.left ?? 0)}
      ${problem === undefined || problem.field ? '' : html`<p class="message bad" role="alert">${problem.text}</p>`}
      <form class="stack" method="post" action="/desk/send" autocomplete="off" novalidate>
        ${hidden('id', id)}
        ${back === undefined ? '' : html`${hidden('order', back.orderId)} ${hidden('payment', back.gatewayOrderId)}`}
        ${isReview ? review(form) : fields(form)}
      </form>
    </section>`,
  );
}

function hidden(name: string, value: string): Markup {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}

const moneyOf = ({ amount }: DeskForm) => formatMoney(amount, CURRENCY);

/** `Send €40.00 to 1234 5678?`: a typed id in groups, to be checked. */
const question = (form: DeskForm) =>
  `Send ${moneyOf(form)} to ${form.back ? walletEnd(form.back.payer ?? '') : form.customer.replaceAll(/\d{4}(?=\d)/g, '$&\u00A0')}?`;

function origin({ amount, currency, orderId, payer }: Payment, left: number): Markup {
  const money = (cents: number) => formatMoney(decimal(cents), currency);
  const gone = centsOf(amount) - left;
  return html`<p class="quiet">
    ${formatMoney(amount, currency)} came in for
    ${orderId}${gone === 0 ? '' : `, of which ${money(gone)} was sent back`}. Up to ${money(left - (left % 100))} can go
    back to the wallet that paid, ${walletEnd(payer ?? '')}: this gateway sends whole amounts only.
  </p>`;
}

function fields(form: DeskForm): Markup {
  const { back, note } = form;
  return html`${field(form, 'amount', 'Amount (whole euros)')}
    ${back === undefined ? field(form, 'customer', 'Wallet ID') : ''}
    <label>Note to the customer <input name="note" value="${note}" maxlength="120" placeholder="Optional" /></label>
    <div class="buttons">
      <button class="button">${back === undefined ? 'Review payout' : 'Review'}</button>
      <a href="/desk">Cancel</a>
    </div>`;
}

function field({ problem, ...form }: DeskForm, name: 'amount' | 'customer', label: string): Markup {
  const isWrong = problem?.field === name;
  return html`<label
    >${label}
    <input
      name="${name}"
      value="${form[name]}"
      inputmode="numeric"
      maxlength="40"
      ${isWrong ? html`aria-invalid="true" aria-describedby="problem" autofocus` : ''}
    />
    ${isWrong ? html`<span class="problem" id="problem">${problem.text}</span>` : ''}
  </label>`;
}

function review(form: DeskForm): Markup {
  const { amount, customer, note, back, left = 0 } = form;
  const kept = left - Number(amount) * 100;
  return html`${hidden('amount', amount)} ${hidden('customer', customer)} ${hidden('note', note)}
    <p>
      ${back && kept >= 0 ? `${formatMoney(decimal(kept), back.currency)} of the payment stays with you.` : ''}
      ${note === '' ? '' : html`The customer reads “${note}”.`} Sent money cannot be called back.
    </p>
    <div class="buttons">
      <button class="button" name="step" value="send">Send ${moneyOf(form)}</button>
      <button class="button plain" name="step" value="edit">Change</button>
      <a href="/desk">Cancel</a>
    </div>`;
}

/** Asks before it closes, and says what may still come. */
export function closing({ order = '', payment = '', problem }: Partial<Record<string, string>>, site: Site): Markup {
  return deskFrame(
    `Close ${order}?`,
    site,
    html`<section class="send card stack" aria-labelledby="title">
      <h1 id="title">Close ${order}?</h1>
      ${problem === undefined ? '' : html`<p class="message bad" role="alert">${problem}</p>`}
      <p>
        No payment of it starts after that, and it cannot be reopened. A code or request that is already out may still
        be paid: the list then says so, and you can send the money back.
      </p>
      <form class="buttons" method="post" action="/desk/close">
        ${hidden('order', order)} ${hidden('payment', payment)} <button class="button">Close the order</button>
        <a href="/desk">Cancel</a>
      </form>
    </section>`,
  );
}
