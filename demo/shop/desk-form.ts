// The page that sends a payout, or refunds a payment, in two steps; and the one that closes an order.
import { html } from 'hono/html';
import type { Payment } from '../../backend-proxy/client.ts';
import { formatMoney, money } from './catalog.ts';
import { WHOLE, deskFrame, paidBy, walletEnd, wayOf } from './desk-list.ts';
import type { Markup, Site } from './page.ts';

export interface DeskForm extends Record<'amount' | 'customer' | 'note', string> {
  /** The payout's order id, or the refund's key. */
  id: string;
  /** Of the payment whose money goes back; empty of a payout. */
  order: string;
  payment: string;
  /** The payment whose money goes back, the cents of it that can, and the others that are left; undefined if unknown. */
  back?: Payment | undefined;
  left?: number;
  rest?: number;
  problems?: Partial<Record<'amount' | 'customer' | 'all', string>>;
  bought?: string | undefined;
  /** The second step, before money leaves. */
  isReview?: boolean;
}

export function deskForm(form: DeskForm, site: Site): Markup {
  const { id, order, payment, problems, isReview } = form;
  const [verb, what] = order ? ['Refund', 'Refund'] : ['Send', 'Send a payout'];
  const title = isReview ? `${verb} ${formatMoney(form.amount)}?` : what;
  const body = html`<form class="stack" method="post" action="/desk/send" autocomplete="off" novalidate>
    ${hidden('id', id)} ${order && html`${hidden('order', order)} ${hidden('payment', payment)}`}
    ${isReview ? review(form) : fields(form)}
  </form>`;
  return card(title, problems?.all, body, site);
}

function card(title: string, problem: string | undefined, body: Markup, site: Site): Markup {
  return deskFrame(
    title,
    site,
    html`<section class="send card stack" aria-labelledby="title">
      <h1 id="title">${title}</h1>
      ${problem && alert(problem)} ${body}
    </section>`,
  );
}

const about = (...parts: (string | undefined)[]) => html`<p>${parts.filter(Boolean).join('\u00A0· ')}</p>`;
export const alert = (text: string) => html`<p class="message bad" role="alert">${text}</p>`;
const hidden = (name: string, value: string) => html`<input type="hidden" name="${name}" value="${value}" />`;

function fields(form: DeskForm): Markup {
  const { order, back, note, left = 0 } = form;
  const part = back && `Up to ${money(left)} of the ${formatMoney(back.amount)} can be refunded to that wallet.`;
  return html`${order && about(form.payment, back && paidBy(back), form.bought)}
    ${part && html`<p class="quiet">${part} ${restOf(form)}</p>`} ${field(form, 'amount', 'Amount (whole euros)')}
    ${order === '' && field(form, 'customer', 'Wallet ID')}
    <label>Note to the customer <input name="note" value="${note}" maxlength="120" placeholder="Optional" /></label>
    <div class="buttons">
      <button class="button">Continue</button>
      <a href="/desk">Cancel</a>
    </div>`;
}

const restOf = ({ left = 0, rest = 0 }: DeskForm) =>
  rest > 0 && `Once ${money(left)} has arrived, ${money(rest)} goes on the customer’s coffee card: ${WHOLE}.`;

function field({ problems, ...form }: DeskForm, name: 'amount' | 'customer', label: string): Markup {
  const problem = problems?.[name];
  const wrong = problem && html`aria-invalid="true" aria-describedby="${name}-problem" autofocus`;
  return html`<label>
    ${label} <input name="${name}" value="${form[name]}" inputmode="numeric" maxlength="40" ${wrong} />
    ${problem && html`<small class="problem" id="${name}-problem" role="alert">${problem}</small>`}
  </label>`;
}

/** A typed wallet id is in groups, to be compared. */
function review(form: DeskForm): Markup {
  const { amount, customer, note, back } = form;
  const rest = 100 * Number(amount) === form.left && restOf(form);
  const wallet = back ? walletEnd(back.payer ?? '') : customer.replaceAll(/\d{4}(?=\d)/g, '$&\u00A0');
  return html`${hidden('amount', amount)} ${hidden('customer', customer)} ${hidden('note', note)}
    <p>To the wallet <b>${wallet}</b>${back && ` that paid ${formatMoney(back.amount)} for ${back.gatewayOrderId}`}.</p>
    ${note === '' ? '' : html`<p>The customer reads “${note}”.</p>`} ${rest && html`<p>${rest}</p>`}
    <p class="message warn">Sent money cannot be called back.</p>
    <div class="buttons">
      <button class="button" name="step" value="send">${form.order ? 'Refund' : 'Send'} ${formatMoney(amount)}</button>
      <button class="button plain" name="step" value="edit">Change</button>
      <a href="/desk">Cancel</a>
    </div>`;
}

/** Asks before it closes, and says what may still come. `waits`: the payment, if it is known. */
export function closing(form: Partial<Record<string, string>>, site: Site, waits?: Payment): Markup {
  const { order = '', payment = '', problem, bought } = form;
  const body = html`${about(order, bought, waits && formatMoney(waits.amount, waits.currency), waits && wayOf(waits))}
    <p>
      Nobody can start a payment for it any more, and it cannot be reopened. A code or request that is already out may
      still be paid: the list then says so, and you can refund it.
    </p>
    <form class="buttons" method="post" action="/desk/close">
      ${hidden('order', order)} ${hidden('payment', payment)} <button class="button">Close the order</button>
      <a href="/desk">Cancel</a>
    </form>`;
  return card('Close the order?', problem, body, site);
}
