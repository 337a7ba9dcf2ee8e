// The shop's orders, and whether each is paid, or its payment checked by a person. An order is fulfilled once: when
// `recordPaid` is called with exactly its amount, after a verified webhook or the proxy's answer. No browser request
// leads there. The orders are in memory, because this shop is a demo; a real one has the same columns in its database.
import { randomInt } from 'node:crypto';
import { CURRENCY, TOP_UP, centsOf, decimal, totalCents, type Line } from './catalog.ts';

export type Order = Goods | TopUp;

interface Common {
  orderId: string;
  /** The customer's number at this shop. */
  owner: string;
  createdAt: Date;
  /** When the shop learned of the payment; null if it is not paid. */
  paidAt: Date | null;
  /** A person checks the payment that pays it; while it is not paid, any that may have been paid. */
  inReview: boolean;
  /** A person has denied the payment that pays it. */
  isDenied: boolean;
  /** Of its payments while it is not paid: whether one can still be paid, or how the last one failed. */
  tries: 'none' | 'open' | 'failed' | 'expired' | 'closed';
  isClosed: boolean;
  /** Of the payment that paid it. */
  back: Back;
  /** Of its last refund, if that has failed; else 0.00. */
  failedRefund: string;
  /** What came in when it was paid or closed already, and what of it goes back. */
  extra: Back & {
    received: string;
    /** What of it the gateway can send back: of each payment whole units only. */
    whole: string;
    /** What of it was given back in another way; of that, the cents that are on the card. */
    settled: string;
    onCard: string;
    /** A person checks a payment of it that has not all gone back. */
    inReview: boolean;
  };
}

/** Money that goes back to the customer, as decimal strings. */
export interface Back {
  sentBack: string;
  onItsWay: string;
  /** May have arrived, or have failed. */
  inDoubt: string;
}

export type OrderState = 'paid' | 'refunded' | 'unrefunded' | 'checking' | 'denied' | 'closed' | 'unpaid';

export function stateOf(order: Order): OrderState {
  const { paidAt, inReview, isDenied, isClosed } = order;
  if (paidAt !== null && isRefunded(order)) return 'refunded';
  if (paidAt === null && isClosed) return 'closed';
  if (isDenied) return 'denied';
  if (inReview) return 'checking';
  if (paidAt === null) return 'unpaid';
  return isUnrefunded(order) ? 'unrefunded' : 'paid';
}

/** Cents of `received` that do not go back. */
export const leftOf = (received: string, { sentBack, onItsWay, inDoubt }: Back) =>
  centsOf(received) - centsOf(sentBack) - centsOf(onItsWay) - centsOf(inDoubt);

/** Some of it has neither arrived nor failed for certain. */
export const isComing = ({ onItsWay, inDoubt }: Back) => centsOf(onItsWay) + centsOf(inDoubt) > 0;

/** All of it that the gateway can send: it takes whole units only. Until it has arrived, it may fail. */
function isRefunded({ amount, back }: Pick<Order, 'amount' | 'back'>): boolean {
  const left = leftOf(amount ?? '0.00', back);
  return amount !== null && left < 100 && left < centsOf(amount);
}

/** It would be refunded if its last refund had not failed. */
function isUnrefunded({ amount, back, failedRefund }: Order): boolean {
  const sentBack = decimal(centsOf(back.sentBack) + centsOf(failedRefund));
  return failedRefund !== '0.00' && isRefunded({ amount, back: { ...back, sentBack } });
}

/** Cents of the payment that paid it which are on the card. */
export function onCardOf(order: Order): number {
  const { kind, amount, back } = order;
  const states = kind === 'top-up' ? ['paid', 'refunded', 'unrefunded'] : isComing(back) ? [] : ['refunded'];
  return states.includes(stateOf(order)) ? leftOf(amount ?? '0.00', back) : 0;
}

export interface Goods extends Common {
  kind: 'goods';
  lines: Line[];
  amount: string;
}

export interface TopUp extends Common {
  kind: 'top-up';
  /** Null until it is paid, because the shopper chooses it in the widget. */
  amount: string | null;
}

/** A collected amount, as the proxy reports it. */
export interface Receipt {
  orderId: string;
  amount: string;
  currency: string;
}

/** Each of paid and unpaid orders, so that unpaid baskets never replace a paid order. */
const MAX_ORDERS = 10_000;
const ID_ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const ID_LENGTH = 10;

export class OrderStore {
  readonly #orders = new Map<string, Order>();
  readonly #now: () => Date;

  constructor(now: () => Date = () => new Date()) {
    this.#now = now;
  }

  openGoods(owner: string, lines: Line[]): Goods {
    return this.#add({ ...this.#fresh(owner), kind: 'goods', lines, amount: decimal(totalCents(lines)) });
  }

  openTopUp(owner: string): TopUp {
    return this.#add({ ...this.#fresh(owner), kind: 'top-up', amount: null });
  }

  /** Undefined for another customer's order too. */
  find(orderId: string, owner: string): Order | undefined {
    const order = this.#orders.get(orderId);
    return order?.owner === owner ? order : undefined;
  }

  /** Whoever owns it: not for what a browser asks. */
  get(orderId: string): Order | undefined {
    return this.#orders.get(orderId);
  }

  byOwner(owner: string): Order[] {
    return this.newest().filter((order) => order.owner === owner);
  }

  newest(): Order[] {
    return [...this.#orders.values()].toReversed();
  }

  /** What of the owner's paid top-ups has not gone back, and the cents of other payments that cannot. */
  balance(owner: string): string {
    return decimal(this.byOwner(owner).reduce((sum, order) => sum + onCardOf(order) + centsOf(order.extra.onCard), 0));
  }

  /** Marks the order as paid, once. Refuses a receipt with another amount or currency. */
  recordPaid({ orderId, amount, currency }: Receipt): 'recorded' | 'already' | 'refused' {
    const order = this.#orders.get(orderId);
    if (order === undefined || currency !== CURRENCY || !isAmountOf(order, amount)) return 'refused';
    if (order.paidAt !== null) return 'already';
    order.amount = amount;
    order.paidAt = this.#now();
    this.#deleteOldest((other) => other.paidAt !== null);
    return 'recorded';
  }

  #fresh(owner: string): Common {
    const back = { sentBack: '0.00', onItsWay: '0.00', inDoubt: '0.00' };
    const extra = { received: '0.00', whole: '0.00', settled: '0.00', onCard: '0.00', inReview: false, ...back };
    const none = {
      paidAt: null,
      inReview: false,
      isDenied: false,
      isClosed: false,
      failedRefund: '0.00',
      back,
      extra,
    };
    return { orderId: newId('ST'), owner, createdAt: this.#now(), tries: 'none', ...none };
  }

  #add<Kind extends Order>(order: Kind): Kind {
    this.#orders.set(order.orderId, order);
    this.#deleteOldest((other) => other.paidAt === null);
    return order;
  }

  /** Deletes the oldest order of the kind if there are more than MAX_ORDERS. */
  #deleteOldest(isOfKind: (order: Order) => boolean): void {
    if (this.#orders.size <= MAX_ORDERS) return;
    const [oldest, ...others] = [...this.#orders.values()].filter(isOfKind);
    if (oldest !== undefined && others.length >= MAX_ORDERS) this.#orders.delete(oldest.orderId);
  }
}

/** Short enough to read out on the phone, long enough that it cannot be guessed; also unique at the gateway. */
export function newId(prefix: string): string {
  const characters = Array.from({ length: ID_LENGTH }, () => ID_ALPHABET[randomInt(ID_ALPHABET.length)]);
  return `${prefix}-${characters.join('')}`;
}

function isAmountOf(order: Order, amount: string): boolean {
  if (order.kind === 'goods') return amount === order.amount;
  if (order.amount !== null) return amount === order.amount;
  return (
    /^\d+\.\d{2}$/.test(amount) && centsOf(amount) >= centsOf(TOP_UP.least) && centsOf(amount) <= centsOf(TOP_UP.most)
  );
}
