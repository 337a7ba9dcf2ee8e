// The desk's actions: list the transactions, send a payout, and send a payment's money back, each after a second step.
// The order id of a payout is stored before it is sent, so after a lost answer the same id can be checked or sent
// again, and money moves once. If the proxy has no list of transactions, the shop reads its own orders one by one.
import { CURRENCY } from './catalog.ts';
import { newId, type OrderStore } from './order-store.ts';
import type { PayoutForm } from './payout-form.ts';
import { isPayment, isRefund, ProxyError, type Payment, type ProxyClient, type Transaction } from './proxy-client.ts';
import { refundable } from './refunds.ts';

const SHOWN_FOR_MS = 7 * 24 * 60 * 60 * 1000;
const ASKED_ONE_BY_ONE = 25;
const AGAIN = 'Send it again unchanged: it is sent at most once.';

/** Of the last seven days, newest first. */
export interface DeskList {
  entries: readonly Transaction[];
  /** Why there are none. */
  problem?: string | undefined;
}

export class StaffDesk {
  readonly #orders: OrderStore;
  readonly #proxy: ProxyClient;
  readonly #now: () => Date;
  readonly #sent = new Set<string>();

  constructor(orders: OrderStore, proxy: ProxyClient, now: () => Date) {
    this.#orders = orders;
    this.#proxy = proxy;
    this.#now = now;
  }

  emptyForm(): PayoutForm {
    return { orderId: newId('PO') };
  }

  /** Filled in with all that can be sent back of the payment; the empty form of a payout if that is nothing. */
  formFor(gatewayOrderId: string | undefined, { entries }: DeskList): PayoutForm {
    const back = entries.filter(isPayment).find((payment) => payment.gatewayOrderId === gatewayOrderId);
    const left = back === undefined ? 0 : refundable(back, entries.filter(isRefund));
    if (back === undefined || left === 0) return this.emptyForm();
    return { orderId: newId('BACK'), amount: String(left), note: `Money back for ${back.orderId}`, back };
  }

  /** Undefined if the proxy accepted it; else the form: its second step, or with a message about the error. */
  async sendRefund(typed: Record<string, unknown>): Promise<PayoutForm | undefined> {
    const back = await this.#paymentOf(typed);
    const { orderId: key, amount, note } = formOf(typed);
    if (back === undefined || !/^BACK-[2-9A-HJ-NP-Z]{10}$/.test(key))
      return { ...this.emptyForm(), problem: 'This form is out of date: open the payment again.' };
    const form = { orderId: key, amount, note, back };
    const problem = problemInAmount(amount);
    if (problem !== undefined || typed['step'] !== 'send')
      return { ...form, problem, isReview: isReview(typed, problem) };
    const { orderId, gatewayOrderId } = back;
    try {
      await this.#proxy.refund(orderId, { gatewayOrderId, amount: Number(amount), ...(note && { note }) }, key);
      return undefined;
    } catch (error) {
      if (!(error instanceof ProxyError)) throw error;
      if (error.kind === 'refused') return { ...form, problem: error.message };
      return { ...form, isReview: true, problem: `${error.message} ${AGAIN}` };
    }
  }

  /** Of the order, because the list has only the last days. */
  async #paymentOf({ order, payment }: Record<string, unknown>): Promise<Payment | undefined> {
    if (typeof order !== 'string' || order === '') return undefined;
    const report = await this.#proxy.order(order).catch(() => null);
    return report?.payments.find(({ gatewayOrderId }) => gatewayOrderId === payment);
  }

  /** Undefined if the proxy accepted it; else the form: its second step, or with a message about the error. */
  async sendPayout(typed: Record<string, unknown>): Promise<PayoutForm | undefined> {
    const form = formOf(typed);
    const problem = problemIn(form);
    if (problem !== undefined || typed['step'] !== 'send')
      return { ...form, problem, isReview: isReview(typed, problem) };
    const { orderId, amount, customer, note } = form;
    this.#sent.add(orderId);
    try {
      await this.#proxy.sendPayout({
        orderId,
        amount: Number(amount),
        currency: CURRENCY,
        customer,
        ...(note && { note }),
      });
      return undefined;
    } catch (error) {
      if (!(error instanceof ProxyError)) throw error;
      if (error.kind === 'refused') {
        return { ...form, ...this.emptyForm(), problem: error.message };
      }
      return { ...form, isReview: true, problem: `${error.message} ${AGAIN}` };
    }
  }

  async list(): Promise<DeskList> {
    try {
      const since = new Date(this.#now().getTime() - SHOWN_FOR_MS);
      const all = (await this.#proxy.transactions(since)) ?? (await this.#oneByOne());
      return { entries: all.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt)) };
    } catch (error) {
      if (!(error instanceof ProxyError)) throw error;
      return { entries: [], problem: error.message };
    }
  }

  async #oneByOne(): Promise<Transaction[]> {
    const orders = this.#orders.newest().slice(0, ASKED_ONE_BY_ONE);
    const payouts = [...this.#sent].slice(-ASKED_ONE_BY_ONE);
    const reports = await Promise.all(orders.map(({ orderId }) => this.#proxy.order(orderId)));
    const sent = await Promise.all(payouts.map((orderId) => this.#proxy.payout(orderId)));
    return [
      ...reports.flatMap((report) => [...(report?.payments ?? []), ...(report?.refunds ?? [])]),
      ...sent.filter((payout) => payout !== null),
    ];
  }
}

/** Whether the second step comes next: the first has no `step`, and "Change" goes back to it. */
const isReview = ({ step }: Record<string, unknown>, problem?: string) => problem === undefined && step !== 'edit';

type Typed = Required<Record<'orderId' | 'amount' | 'customer' | 'note', string>>;

function formOf(typed: Record<string, unknown>): Typed {
  const text = (name: string) => {
    const value = typed[name];
    return typeof value === 'string' ? value.trim() : '';
  };
  return { orderId: text('orderId'), amount: text('amount'), customer: text('customer'), note: text('note') };
}

function problemIn({ orderId, amount, customer }: Typed): string | undefined {
  if (!/^PO-[2-9A-HJ-NP-Z]{10}$/.test(orderId)) return 'This form is out of date: open the desk again.';
  const problem = problemInAmount(amount);
  if (problem !== undefined) return problem;
  if (!/^\d{1,32}$/.test(customer)) return 'The wallet ID is digits only.';
  return undefined;
}

function problemInAmount(amount: string): string | undefined {
  return /^[1-9]\d{0,6}$/.test(amount) ? undefined : `The amount is a whole number of ${CURRENCY}, at least 1.`;
}
