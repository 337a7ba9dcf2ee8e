// Keeps the transactions in memory and finds them by order id, payment id, checkout token or code, and what belongs
// together by the proxy's order ids. Refuses an order
// id that is in use, by a payment or a payout, and a customerReferenceNo that belongs to another customer.
import { Refusal } from './refusal.ts';
import { isPayment, type Payment, type Payout, type Transaction } from './transaction.ts';

/** Transactions are never deleted, so their number needs a limit. */
const MAX_TRANSACTIONS = 100_000;
const FIRST_PAYMENT_ID = 100_001;

export class TransactionStore {
  /** In order of creation. */
  readonly #byOrderId = new Map<string, Transaction>();
  readonly #byPaymentId = new Map<number, Transaction>();
  readonly #byToken = new Map<string, Payment>();
  readonly #byCode = new Map<string, Payment>();
  readonly #customerByReference = new Map<string, string>();

  get nextPaymentId(): number {
    return FIRST_PAYMENT_ID + this.#byOrderId.size;
  }

  add(transaction: Transaction): void {
    this.#byOrderId.set(transaction.orderId, transaction);
    this.#byPaymentId.set(transaction.paymentId, transaction);
    if (!isPayment(transaction)) return;
    if (transaction.checkout) this.#byToken.set(transaction.checkout.token, transaction);
    if (transaction.code !== null) this.#byCode.set(transaction.code, transaction);
  }

  byOrderId(orderId: string): Transaction | undefined {
    return this.#byOrderId.get(orderId);
  }

  byPaymentId(paymentId: number): Transaction | undefined {
    return this.#byPaymentId.get(paymentId);
  }

  byToken(token: string): Payment | undefined {
    return this.#byToken.get(token);
  }

  byCode(code: string): Payment | undefined {
    return this.#byCode.get(code);
  }

  /** The payment that a payout sends back, whose order id the proxy has extended: `ST-1-r1`. A refused one is not kept. */
  refundedBy({ orderId, customer }: Pick<Payout, 'orderId'> & Partial<Payout>): Payment | undefined {
    const payment = this.#paymentNamed(/^(.+)-r\d+$/, orderId);
    const isTheirs = customer === undefined || payment?.customer === customer;
    return payment?.status === 'SUCCESS' && isTheirs ? payment : undefined;
  }

  /** The order as the shopper knows it: the proxy names its second payment `ST-1-2`. */
  orderOf({ orderId, returnUrl }: Payment): string {
    const first = this.#paymentNamed(/^(.+)-(?:[2-9]|[1-9]\d+)$/, orderId);
    return first?.returnUrl === returnUrl ? first.orderId : orderId;
  }

  #paymentNamed(pattern: RegExp, orderId: string): Payment | undefined {
    const transaction = this.#byOrderId.get(pattern.exec(orderId)?.[1] ?? '');
    return transaction && isPayment(transaction) ? transaction : undefined;
  }

  /** Newest first. */
  all(): Transaction[] {
    return [...this.#byOrderId.values()].toReversed();
  }

  /** @throws Refusal if the order id is in use, or the store is full */
  refuseDuplicate(orderId: string): void {
    if (this.#byOrderId.has(orderId)) {
      throw new Refusal(409, 'DUPLICATE_ORDER', 'A transaction with this orderId already exists.', 'orderId');
    }
    if (this.#byOrderId.size >= MAX_TRANSACTIONS) {
      throw new Refusal(503, 'SANDBOX_FULL', `The sandbox keeps at most ${MAX_TRANSACTIONS} transactions: restart it.`);
    }
  }

  /** @throws Refusal if another customer has paid with the reference */
  refuseOtherWallet(reference: string | null, walletId: string | null): void {
    const bound = reference === null ? undefined : this.#customerByReference.get(reference);
    if (bound === undefined || bound === walletId) return;
    const message = 'This customerReferenceNo belongs to another customer.';
    throw new Refusal(400, 'CUSTOMER_REFERENCE_TAKEN', message, 'customerReferenceNo');
  }

  /** A reference belongs to the first customer that pays with it: a typing error must not take it for ever. */
  bindReference(reference: string | null, walletId: string): void {
    if (reference !== null && !this.#customerByReference.has(reference)) {
      this.#customerByReference.set(reference, walletId);
    }
  }
}
