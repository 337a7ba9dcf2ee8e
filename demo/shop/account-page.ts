// The customer's account: the orders, each with what became of it and of its money, and the coffee card.
import { html } from 'hono/html';
import { card, picture } from './artwork.ts';
import { CURRENCY, PRODUCTS, centsOf, formatMoney, money } from './catalog.ts';
import { onCardOf, stateOf, type Order, type OrderState } from './order-store.ts';
import { page, type Markup, type Site } from './page.ts';
import { CHECKED, COMING, KEPT, boughtIn, coffeeCard, comingIn, dayOf, restOf } from './shop-pages.ts';

/** What the account says of an order that is not paid; on its page the widget does. */
const TRIES: Record<Order['tries'], string> = {
  none: '',
  open: 'Started, not paid yet',
  failed: 'Last payment did not go through',
  expired: 'Time ran out for your last payment',
  closed: 'Last payment not confirmed',
};
/** One without a label is a way to pay. */
const CHIPS: Record<OrderState, { tone: string; label?: string }> = {
  paid: { tone: 'good', label: 'Paid' },
  refunded: { tone: '', label: 'Refunded' },
  checking: { tone: 'warn', label: 'Being checked' },
  unrefunded: { tone: 'warn', label: 'Refund failed' },
  denied: { tone: 'warn', label: 'Not confirmed' },
  closed: { tone: '', label: 'Closed' },
  unpaid: { tone: '' },
};

export interface AccountPage {
  balance: string;
  orders: readonly Order[];
  site: Site;
}

export function accountPage({ balance, orders, site }: AccountPage): Markup {
  return page(
    { title: 'Your account', place: 'account', scripts: ['/assets/dates.js'], site },
    html`<div class="stack">
      <section class="stack" aria-labelledby="orders">
        <h1 id="orders">Your orders</h1>
        ${
          orders.length === 0
            ? noOrders
            : html`<ul class="orders">
                  ${orders.map(orderItem)}
                </ul>
                <p class="quiet">You find your orders here ${KEPT}.</p>`
        }
      </section>
      <section class="stack" aria-labelledby="card">
        <h2 id="card">Your coffee card</h2>
        ${coffeeCard(balance)}
        <p class="quiet">Pay with it at the counter of our café. This online shop does not take it.</p>
        <form method="post" action="/account/top-ups"><button class="button">Top up your balance</button></form>
      </section>
    </div>`,
  );
}

const noOrders = html`<div class="card empty">
  <p>${PRODUCTS.map(({ artwork }) => picture(artwork))}</p>
  <p>Nothing yet. You find your orders here ${KEPT}.</p>
  <a class="button" href="/">See the coffee</a>
</div>`;

function orderItem(order: Order): Markup {
  const { orderId } = order;
  const { tone, label } = chipOf(order);
  const href = `/orders/${orderId}`;
  const way = order.tries === 'open' ? 'Continue' : 'Pay now';
  return html`<li>
    ${order.kind === 'goods' ? order.lines.slice(0, 1).map(({ product }) => picture(product.artwork)) : card}
    <a href="${href}">${boughtIn(order)}</a>
    <span>${order.amount === null ? '' : formatMoney(order.amount, CURRENCY)}</span>
    <small>${orderId} · ${dayOf(order)}${notesOf(order)}</small>
    ${
      label === undefined
        ? html`<a class="button" href="${href}" aria-label="${way} ${orderId}">${way}</a>`
        : html`<span class="chip ${tone}">${label}</span>`
    }
  </li>`;
}

function chipOf(order: Order): { tone: string; label?: string } {
  const owed = owedOf(order);
  const chip = stateChip(order);
  if (chip.label === undefined || owed === 0) return chip;
  const said = order.extra.inReview ? `${money(owed)} being checked` : `we owe you ${money(owed)}`;
  return { tone: 'warn', label: `${chip.label}\u00a0· ${said.replaceAll(' ', '\u00a0')}` };
}

/** Cents alone go on the card. */
function owedOf(order: Order): number {
  const [most, rest] = restOf(order.extra);
  return most > 0 ? most + rest : 0;
}

function stateChip(order: Order) {
  const { amount, back, failedRefund } = order;
  const chip = CHIPS[stateOf(order)];
  const say = (what: string, part: string) => (part === amount ? what : `${what}: ${formatMoney(part, CURRENCY)}`);
  if ((chip === CHIPS.paid || chip === CHIPS.unrefunded) && failedRefund !== '0.00')
    return { ...CHIPS.unrefunded, label: say('Refund failed', failedRefund) };
  const coming = comingIn(back);
  const isChecked = chip === CHIPS.paid && coming?.what === CHECKED;
  if (coming && (chip === CHIPS.refunded || isChecked))
    return { ...CHIPS.refunded, label: say(coming.what, coming.part) };
  return chip === CHIPS.paid && back.sentBack !== '0.00' ? { ...chip, label: 'Partly refunded' } : chip;
}

/** What happened to its money, on a line of its own. */
function notesOf(order: Order): Markup | '' {
  const { paidAt, back, extra, tries } = order;
  const notes: string[] = [];
  const add = (cents: number, words: string) => {
    if (cents > 0) notes.push(`${money(cents)} ${words}`);
  };
  if (stateOf(order) === 'unpaid') notes.push(TRIES[tries]);
  if (paidAt === null && extra.received !== '0.00') notes.push('Paid after closing');
  // While all of it is owed, the chip says so.
  if (paidAt !== null && owedOf(order) !== centsOf(extra.received)) add(centsOf(extra.received), 'too much');
  // Of the payment that pays the order and of others.
  add(centsOf(back.sentBack) + centsOf(extra.sentBack), 'sent back');
  // Of the payment that pays the order, one may be what the chip says.
  const said = stateChip(order).label?.replace(/:.*/, '');
  add((said === COMING ? 0 : centsOf(back.onItsWay)) + centsOf(extra.onItsWay), 'on its way back');
  add((said === CHECKED ? 0 : centsOf(back.inDoubt)) + centsOf(extra.inDoubt), 'refund being checked');
  add(centsOf(extra.settled) - centsOf(extra.onCard), 'settled another way');
  add((stateOf(order) === 'refunded' ? onCardOf(order) : 0) + centsOf(extra.onCard), 'on your card');
  const shown = notes.filter(Boolean).map((note) => note.replaceAll(' ', '\u00a0'));
  return shown.length === 0 ? '' : html`<br />${shown.join(' · ')}`;
}
