// Where transactions are kept and found, and the owner of all that is unique: an orderId across payments and payouts, a
// payment id, a checkout token, a code, and a customerReferenceNo per customer. Knows nothing of statuses or money.
import { Refusal } from './refusal.ts';
import { isPayment, type Payment, type Transaction } from './transaction.ts';

/** A sandbox forgets nothing while it runs, so it has an end. */
const MOST_TRANSACTIONS = 100_000;
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

  /** Newest first. */
  all(): Transaction[] {
    return [...this.#byOrderId.values()].toReversed();
  }

  /** @throws Refusal where the order is known already, or where there is no room left */
  refuseDuplicate(orderId: string): void {
    if (this.#byOrderId.has(orderId)) {
      throw new Refusal(409, 'DUPLICATE_ORDER', 'There is a transaction with this orderId already.', 'orderId');
    }
    if (this.#byOrderId.size >= MOST_TRANSACTIONS) {
      throw new Refusal(503, 'SANDBOX_FULL', `It remembers ${MOST_TRANSACTIONS} transactions: restart it.`);
    }
  }

  /** The first customer that comes with a reference keeps it. @throws Refusal for another one */
  bindReference(reference: string, walletId: string): void {
    const bound = this.#customerByReference.get(reference) ?? walletId;
    if (bound !== walletId) {
      const message = 'This customerReferenceNo belongs to another customer.';
      throw new Refusal(400, 'CUSTOMER_REFERENCE_TAKEN', message, 'customerReferenceNo');
    }
    this.#customerByReference.set(reference, bound);
  }
}
