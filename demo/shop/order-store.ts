// The shop's memory: its orders, and whether each is paid. Owns the one decision that costs money: an order is fulfilled
// once, when `recordPaid` is told (by a verified webhook or by the proxy's own answer) that exactly its amount is in.
// It knows nothing of browsers, and no browser can reach `recordPaid`. It lives in memory, as this shop is a demo;
// a real one keeps the same few columns in its database.
import { randomInt } from 'node:crypto';
import { CURRENCY, TOP_UP, centsOf, decimal, totalCents, type Line } from './catalogue.ts';

export type Order = Goods | TopUp;

interface Common {
  orderId: string;
  /** Whose order it is: the customer's number at this shop. */
  owner: string;
  createdAt: Date;
  /** When its money was known to be in. Null: it is not paid. */
  paidAt: Date | null;
}

export interface Goods extends Common {
  kind: 'goods';
  lines: Line[];
  amount: string;
}

export interface TopUp extends Common {
  kind: 'top-up';
  /** Null until it is paid: the shopper chooses it in the widget. */
  amount: string | null;
}

/** What the proxy says has been collected. */
export interface Receipt {
  orderId: string;
  amount: string;
  currency: string;
}

/** Of those paid, and of those not: baskets that nobody pays for never push out what was paid. */
const MOST_ORDERS = 10_000;
const ID_ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const ID_LENGTH = 10;

export class OrderStore {
  readonly #orders = new Map<string, Order>();
  readonly #now: () => Date;

  constructor(now: () => Date = () => new Date()) {
    this.#now = now;
  }

  openGoods(owner: string, lines: Line[]): Goods {
    return this.#keep({ ...this.#fresh(owner), kind: 'goods', lines, amount: decimal(totalCents(lines)) });
  }

  openTopUp(owner: string): TopUp {
    return this.#keep({ ...this.#fresh(owner), kind: 'top-up', amount: null });
  }

  /** The order, if it is this owner's: to anyone else it does not exist. */
  find(orderId: string, owner: string): Order | undefined {
    const order = this.#orders.get(orderId);
    return order?.owner === owner ? order : undefined;
  }

  byOwner(owner: string): Order[] {
    return this.newest().filter((order) => order.owner === owner);
  }

  newest(): Order[] {
    return [...this.#orders.values()].toReversed();
  }

  /** What the owner's coffee card holds: the top-ups that are paid. */
  balance(owner: string): string {
    const paid = this.byOwner(owner).filter((order) => order.kind === 'top-up' && order.paidAt !== null);
    return decimal(paid.reduce((sum, { amount }) => sum + centsOf(amount ?? '0.00'), 0));
  }

  /** Marks the order as paid, once. Refuses a receipt of another amount or currency than was asked for. */
  recordPaid({ orderId, amount, currency }: Receipt): 'recorded' | 'already' | 'refused' {
    const order = this.#orders.get(orderId);
    if (order === undefined || currency !== CURRENCY || !isAmountOf(order, amount)) return 'refused';
    if (order.paidAt !== null) return 'already';
    order.amount = amount;
    order.paidAt = this.#now();
    this.#forgetOldest((other) => other.paidAt !== null);
    return 'recorded';
  }

  #fresh(owner: string): Common {
    return { orderId: newId('ST'), owner, createdAt: this.#now(), paidAt: null };
  }

  #keep<Kind extends Order>(order: Kind): Kind {
    this.#orders.set(order.orderId, order);
    this.#forgetOldest((other) => other.paidAt === null);
    return order;
  }

  /** Of its kind, where there are more than are kept. */
  #forgetOldest(isOfKind: (order: Order) => boolean): void {
    if (this.#orders.size <= MOST_ORDERS) return;
    const [oldest, ...others] = [...this.#orders.values()].filter(isOfKind);
    if (oldest !== undefined && others.length >= MOST_ORDERS) this.#orders.delete(oldest.orderId);
  }
}

/** Short enough to read out on the phone, too many to guess; unique at the gateway as well. */
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
