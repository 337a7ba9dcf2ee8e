// The gateway's payment rules: creates payments and payouts, confirms, declines and expires them, and moves the
// money. The only writer of a transaction's status; transaction-store.ts keeps the transactions. A final status never
// changes, and money moves in the same step that sets SUCCESS. `onFinal` reports each final transaction, for its IPN.
import type { Clock } from './sandbox-clock.ts';
import { type Customer, demoCustomers } from './customers.ts';
import { ANSWER, NAMES, WITHOUT_WALLET } from './methods.ts';
import { Refusal } from './refusal.ts';
import { TransactionStore } from './transaction-store.ts';
import type { CollectionRequest, PayoutRequest } from './requests.ts';
import {
  isFinal,
  isPayment,
  type Payment,
  type Payout,
  type TransactionFields,
  type Status,
  type Step,
  type Transaction,
} from './transaction.ts';

export const TOKEN_LIFETIME_MS = 15 * 60_000;
export const PAYOUT_STEP_MS = 400;

export interface ProcessorOptions {
  clock: Clock;
  /** Returns an unguessable, URL-safe token. */
  newToken: () => string;
  onChange: () => void;
  onFinal: (transaction: Transaction) => void;
}

export class PaymentProcessor {
  readonly customers: readonly Customer[];
  readonly #options: ProcessorOptions;
  readonly #clock: Clock;
  readonly #store = new TransactionStore();

  constructor(options: ProcessorOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.customers = demoCustomers(this.#clock.now());
  }

  /** @throws Refusal */
  collect(request: CollectionRequest): Payment {
    this.#store.refuseDuplicate(request.orderId);
    const { customer, customerReferenceNo } = request;
    const known = this.customer(customer) !== undefined;
    if (known) this.#store.refuseOtherWallet(customerReferenceNo, customer);
    const method = known ? request.method : WITHOUT_WALLET[request.method];
    const token = ANSWER[method] === 'link' ? this.#options.newToken() : null;
    const expiresAt = this.#clock.now() + TOKEN_LIFETIME_MS;
    const payment: Payment = {
      ...this.#fieldsOf(request),
      type: 'PAY',
      askedMethod: request.method,
      method,
      returnUrl: request.returnUrl,
      customerReferenceNo,
      language: request.language,
      checkout: token === null ? null : { token, expiresAt, step: 'LOGIN_STEP' },
      code: ANSWER[method] === 'code' ? this.#options.newToken() : null,
      openedBy: null,
    };
    this.#add(payment);
    if (payment.checkout) this.#clock.at(expiresAt, () => this.#expireIfDue(payment));
    return payment;
  }

  /** With `hold` it stays PROCESSING until it is approved or declined by hand. @throws Refusal */
  payOut(request: PayoutRequest, hold = false): Payout {
    this.#store.refuseDuplicate(request.orderId);
    const payout: Payout = { ...this.#fieldsOf(request), type: 'PAYOUT', note: request.note, isHeld: hold };
    this.#add(payout);
    this.#clock.at(payout.createdAt + PAYOUT_STEP_MS, () => this.begin(payout));
    if (!hold) {
      this.#clock.at(payout.createdAt + 2 * PAYOUT_STEP_MS, () => {
        if (!isFinal(payout)) this.#credit(payout);
      });
    }
    return payout;
  }

  customer(walletId: string | null): Customer | undefined {
    return this.customers.find((customer) => customer.walletId === walletId);
  }

  transaction(orderId: string): Transaction | undefined {
    return this.#fresh(this.#store.byOrderId(orderId));
  }

  payment(paymentId: number): Payment | undefined {
    const transaction = this.#fresh(this.#store.byPaymentId(paymentId));
    return transaction && isPayment(transaction) ? transaction : undefined;
  }

  checkout(token: string): Payment | undefined {
    return this.#fresh(this.#store.byToken(token));
  }

  orderOf(payment: Payment): string {
    return this.#store.orderOf(payment);
  }

  isRefund(payout: Pick<Payout, 'orderId'> & Partial<Payout>): boolean {
    return this.#store.refundedBy(payout) !== undefined;
  }

  /** Newest first. */
  transactions(): Transaction[] {
    const all = this.#store.all();
    for (const transaction of all) this.#fresh(transaction);
    return all;
  }

  byCode(code: string): Payment | undefined {
    return this.#store.byCode(code);
  }

  /** The customer scans the code, or opens its link on the same device. */
  scan(code: string, customer: Customer): Payment | undefined {
    const payment = this.byCode(code);
    if (payment && !isFinal(payment)) this.open(payment, customer);
    return payment;
  }

  /** The customer has scanned the code, logged in at the checkout, or answered. */
  open(payment: Payment, { walletId }: Customer): void {
    payment.openedBy = walletId;
    this.begin(payment);
    this.#options.onChange();
  }

  /** The customer has left the checkout, or was logged out there. */
  leave(payment: Payment): void {
    payment.openedBy = null;
    this.reach(payment, 'LOGIN_STEP');
  }

  /** The payments that this customer can confirm on the phone, newest first. */
  prompts({ walletId }: Customer): Payment[] {
    const open = this.transactions().filter((transaction) => !isFinal(transaction));
    return open
      .filter(isPayment)
      .filter(({ checkout, customer, openedBy }) => checkout === null && (customer ?? openedBy) === walletId);
  }

  /** Another one, by which this customer has paid the same order. */
  paidBefore(payment: Payment, { walletId }: Customer): Payment | undefined {
    const payments = this.transactions().filter(isPayment);
    const theirs = payments.filter(({ status, customer }) => status === 'SUCCESS' && customer === walletId);
    return theirs.find((paid) => this.orderOf(paid) === this.orderOf(payment));
  }

  /** The payments of this customer that were declined, newest first. */
  declined({ walletId }: Customer): Payment[] {
    const payments = this.transactions().filter(isPayment);
    return payments
      .filter(({ message }) => message === 'DECLINED' || message === 'INSUFFICIENT_BALANCE')
      .filter(({ customer, openedBy }) => (customer ?? openedBy) === walletId);
  }

  /** Sets PROCESSING: the customer has scanned the code, logged in or answered, or the payout is under way. */
  begin(transaction: Transaction): void {
    if (transaction.status === 'INITIALIZED') this.#enter(transaction, 'PROCESSING', 'PROCESSING');
  }

  reach(payment: Payment, step: Step): void {
    if (!payment.checkout || payment.checkout.step === step) return;
    payment.checkout.step = step;
    this.#options.onChange();
  }

  /** Ends as FAILED if the balance is too low. @throws Refusal if it is final, or another customer's */
  approve(payment: Payment, customer: Customer): void {
    this.#refuseFinal(payment);
    this.#refuseOtherCustomer(payment, customer);
    payment.customer = customer.walletId;
    const { minor, currency } = payment;
    if (customer.balance(currency) < minor) {
      this.#end(payment, 'FAILED', 'INSUFFICIENT_BALANCE');
      return;
    }
    this.#store.bindReference(payment.customerReferenceNo, customer.walletId);
    const at = this.#clock.now();
    const { paymentId, method } = payment;
    const how = this.paidBefore(payment, customer) ? 'Another payment of this order' : NAMES[method];
    customer.move({ at, kind: 'PAYMENT', minor: -minor, currency, about: [this.orderOf(payment), how], paymentId });
    this.reach(payment, 'PAYMENT_FINALIZED');
    this.#end(payment, 'SUCCESS', 'SUCCESS');
  }

  /** Approves after topping up a balance that is too low; credits a payout at once. @throws Refusal */
  settle(transaction: Transaction, customer: Customer): void {
    this.#refuseFinal(transaction);
    if (!isPayment(transaction)) {
      this.#credit(transaction);
      return;
    }
    this.#refuseOtherCustomer(transaction, customer);
    const { currency } = transaction;
    const missing = customer.missing(transaction);
    if (missing > 0n) {
      const at = this.#clock.now();
      customer.move({ at, kind: 'TOP_UP', minor: missing, currency, about: ['Top-up'] });
    }
    this.approve(transaction, customer);
  }

  /** Without a customer, the wallet itself declines. @throws Refusal */
  decline(transaction: Transaction, customer?: Customer): void {
    this.#refuseFinal(transaction);
    if (isPayment(transaction) && customer) {
      this.#refuseOtherCustomer(transaction, customer);
      transaction.customer = customer.walletId;
    }
    this.#end(transaction, 'FAILED', 'DECLINED');
  }

  /** The customer cancels at the hosted checkout. @throws Refusal */
  cancel(payment: Payment): void {
    this.#refuseFinal(payment);
    this.reach(payment, 'USER_CANCELLED');
    this.#end(payment, 'FAILED', 'USER_CANCELLED');
  }

  /** Expires the checkout token before its 15 minutes are over. @throws Refusal */
  expire(transaction: Transaction): void {
    this.#refuseFinal(transaction);
    if (!isPayment(transaction) || !transaction.checkout) {
      throw new Refusal(409, 'NO_TOKEN', 'Only a CHECKOUT has a token that can expire.');
    }
    this.#end(transaction, 'FAILED', 'TOKEN_EXPIRED');
  }

  #expireIfDue(payment: Payment): void {
    const isDue = payment.checkout && payment.checkout.expiresAt <= this.#clock.now();
    if (isDue && !isFinal(payment)) this.#end(payment, 'FAILED', 'TOKEN_EXPIRED');
  }

  #fresh<T extends Transaction>(transaction: T | undefined): T | undefined {
    if (transaction && isPayment(transaction)) this.#expireIfDue(transaction);
    return transaction;
  }

  #credit(payout: Payout): void {
    const customer = this.customer(payout.customer);
    if (!customer) {
      this.#end(payout, 'FAILED', 'UNKNOWN_CUSTOMER');
      return;
    }
    const { paymentId, minor, currency, orderId, note } = payout;
    const refunded = this.#store.refundedBy(payout);
    const order = refunded && this.orderOf(refunded);
    // Such as “Refund for ST-1”, which says that it is a refund.
    const about = !order ? ['Payout', note ?? orderId] : note?.includes(order) ? [note] : ['Refund', order, note ?? ''];
    const kind = refunded ? 'REFUND' : 'PAYOUT';
    const refunds = refunded?.paymentId;
    customer.move({ at: this.#clock.now(), kind, minor, currency, about, paymentId, refunds });
    this.#end(payout, 'SUCCESS', 'SUCCESS');
  }

  #fieldsOf(request: CollectionRequest | PayoutRequest): TransactionFields {
    const now = this.#clock.now();
    return {
      paymentId: this.#store.nextPaymentId,
      orderId: request.orderId,
      amount: request.amount,
      minor: request.minor,
      currency: request.currency,
      status: 'INITIALIZED',
      message: 'INITIALIZED',
      customer: request.customer,
      createdAt: now,
      updatedAt: now,
      history: [{ at: now, status: 'INITIALIZED', message: 'INITIALIZED' }],
    };
  }

  #add(transaction: Transaction): void {
    this.#store.add(transaction);
    this.#options.onChange();
  }

  #refuseFinal(transaction: Transaction): void {
    if (isPayment(transaction)) this.#expireIfDue(transaction);
    if (isFinal(transaction))
      throw new Refusal(409, 'ALREADY_FINAL', `The transaction is already final: ${transaction.status}.`);
  }

  #refuseOtherCustomer(payment: Payment, customer: Customer): void {
    if (ANSWER[payment.method] !== 'prompt' || payment.customer === customer.walletId) return;
    throw new Refusal(403, 'NOT_THEIRS', 'Only the customer it was sent to can confirm a DIRECT payment.');
  }

  #enter(transaction: Transaction, status: Status, message: string): void {
    const at = this.#clock.now();
    transaction.status = status;
    transaction.message = message;
    transaction.updatedAt = at;
    transaction.history.push({ at, status, message });
    this.#options.onChange();
  }

  #end(transaction: Transaction, status: 'SUCCESS' | 'FAILED', message: string): void {
    this.#enter(transaction, status, message);
    this.#options.onFinal(transaction);
  }
}
