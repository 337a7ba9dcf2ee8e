// The protocol, implemented a second time and small: the ten stages, and what a start, an answer, a status check, a
// person and the clock do to them. It sees every exchange with the gateway exactly as the proxy did, and predicts what
// the proxy must show. It shares no code with the proxy; if the two differ, one of them is wrong.
import { H } from '../backend-proxy/time.ts';
import {
  answerKind,
  isAbsent,
  isIncomplete,
  isMismatch,
  outcomeOf,
  readCheck,
  type Delivered,
  type Fields,
} from './model-answers.ts';
import { ModelUnknownProof } from './model-unknown-proof.ts';
import { provenUnknown, failed, found, isPending, limitCheckout, markedReported, timePassed } from './model-rules.ts';
import {
  flag,
  open,
  raise,
  wasReportedFailed,
  type Method,
  type ModelTransaction,
  type Opening,
} from './model-transaction.ts';

const TYPES = ['PAY', 'PAYOUT'] as const;

/** A shopper's start; `customer` is the wallet id of a DIRECT payment. */
export interface ModelStart {
  orderId: string;
  method: Method;
  key: string;
  amount: number;
  customer: string;
  payWithinMs: number | null;
}

export class Model {
  readonly transactions = new Map<string, ModelTransaction>();
  prefix = '';
  #proof = new ModelUnknownProof();

  paymentsOf(orderId: string): ModelTransaction[] {
    return [...this.transactions.values()].filter((one) => one.type === 'PAY' && one.orderId === orderId);
  }

  payoutOf(orderId: string): ModelTransaction | undefined {
    return [...this.transactions.values()].find((one) => one.type === 'PAYOUT' && one.orderId === orderId);
  }

  /** Returns the status of the answer, and adds the payment. */
  start({ orderId, method, key, amount, customer, payWithinMs }: ModelStart, now: number): number {
    const earlier = this.paymentsOf(orderId);
    const same = earlier.find((one) => one.key === key);
    if (same) return same.asked === method ? 200 : 422;
    if (earlier.some(({ stage }) => stage === 'succeeded')) return 409;
    const refused = this.#refuseTooMany(earlier, orderId, method, now);
    if (refused !== undefined) return refused;
    for (const one of earlier) {
      const isOver = one.expiresAt !== null && now >= one.expiresAt;
      raise(one, 'replaced', isOver ? 'EXPIRED' : null);
    }
    const id = this.prefix + (earlier.length === 0 ? orderId : `${orderId}-${earlier.length + 1}`);
    const asked = method === 'DIRECT' ? customer : null;
    this.#open(
      { id, type: 'PAY', orderId, asked: method, amount, currency: 'EUR', customer: asked, key, payWithinMs },
      now,
    );
    return 201;
  }

  /** Five payments of an order, three of them DIRECT, without expired ones and, up to ten, without duplicates. */
  #refuseTooMany(earlier: ModelTransaction[], orderId: string, method: Method, now: number): number | undefined {
    const inTime = earlier.filter(({ stage, endedBy }) => stage !== 'expired' && endedBy !== 'EXPIRED');
    const counted = inTime.filter(({ answer }) => answer !== 'duplicate');
    if (counted.length >= 5 || inTime.length >= 10 || earlier.length >= 20) return 429;
    if (method !== 'DIRECT') return undefined;
    if (counted.filter(({ asked }) => asked === 'DIRECT').length >= 3) return 422;
    const prompts = [...this.transactions.values()].filter(
      ({ asked, createdAt, answer, stage }) =>
        asked === 'DIRECT' &&
        createdAt > now - H &&
        answer !== 'duplicate' &&
        stage !== 'rejected' &&
        stage !== 'not_created',
    );
    // Each order here has a customer of its own, with the same wallet.
    const isTooMany = prompts.length >= 10 || prompts.filter((one) => one.orderId === orderId).length >= 3;
    return isTooMany ? 429 : undefined;
  }

  payout(orderId: string, amount: number, customer: string, now: number): number {
    const same = this.payoutOf(orderId);
    if (same) return same.amount === amount ? 202 : 409;
    const id = this.prefix + orderId;
    const opening = { id, type: 'PAYOUT', orderId, asked: null, amount, currency: 'EUR', customer, key: '' } as const;
    this.#open({ ...opening, payWithinMs: null }, now);
    return 202;
  }

  /** The one POST has reached the network. */
  sent(id: string, now: number): void {
    const one = this.#known(id);
    if (one.sentAt !== null) throw new Error(`${id} was sent twice`);
    one.sentAt = now;
    if (one.payWithinMs !== null) one.expiresAt = now + one.payWithinMs;
    raise(one, 'sending');
  }

  answered(id: string, answer: Delivered): void {
    const one = this.#known(id);
    one.answer = answerKind(one, answer);
    if (one.answer === 'identified' || one.answer === 'accepted') {
      const fields = answer?.fields ?? {};
      if (one.answer === 'identified') one.answeredId = one.paymentId = String(fields['paymentId']);
      if (one.type === 'PAY') one.method = fields['method'] as Method;
      limitCheckout(one);
      raise(one, 'pending');
    } else raise(one, one.answer === 'refused' && one.type === 'PAY' ? 'rejected' : 'uncertain');
  }

  ringReceived(id: string): void {
    const one = this.transactions.get(id);
    if (one) one.hasRing = true;
  }

  checked(id: string, answer: Delivered, now: number): void {
    const one = this.#known(id);
    const seen = readCheck(one, answer);
    if (typeof seen === 'object') this.#reported(one, seen, now);
    timePassed(one, seen === 'unknown' || (typeof seen === 'object' && isPending(one, seen)), now);
    if (seen === 'unknown') this.#proof.unknown(one, now);
    if (typeof seen === 'object' && seen['type'] === one.type) this.#applyProven(one.type, now);
  }

  /** A check made to learn what "unknown" means: its answer proves the path and says nothing about the transaction. */
  checkedForProof(id: string, answer: Delivered, now: number): void {
    const one = this.#known(id);
    if (!one.isFound) throw new Error(`${id} was checked to prove the path, and no check has found it before`);
    const seen = readCheck(one, answer);
    this.#proof.asked(one.type, now);
    if (seen === 'unknown') this.#proof.disproven(one.type);
    if (typeof seen === 'object') this.#applyProven(one.type, now);
  }

  /** The proxy has done all work that was due. */
  ticked(now: number): void {
    const all = [...this.transactions.values()];
    for (const type of TYPES) {
      const isAnyFound = all.some((one) => one.type === type && one.isFound);
      this.#proof.ticked(type, isAnyFound, now);
    }
  }

  /** Answers that wait for proof are in memory only. */
  restarted(prefix: string): void {
    this.#proof = new ModelUnknownProof();
    this.prefix = prefix;
  }

  /** A person resolves a transaction, which is allowed only if it needs a review. */
  resolve(id: string, status: 'SUCCESS' | 'FAILED'): number {
    const one = this.transactions.get(id);
    if (one === undefined) return 404;
    if (!one.needsReview) return 409;
    one.needsReview = false;
    one.events.push('resolved');
    one.resolved = status === 'SUCCESS' ? 'succeeded' : 'declined';
    raise(one, one.resolved, status === 'FAILED' ? 'RESOLVED' : null);
    return 200;
  }

  #open(opening: Opening, now: number): void {
    this.transactions.set(opening.id, open(opening, now));
  }

  #known(id: string): ModelTransaction {
    const one = this.transactions.get(id);
    if (one === undefined) throw new Error(`The gateway was asked about ${id}, which the model does not know`);
    return one;
  }

  #applyProven(type: ModelTransaction['type'], now: number): void {
    for (const { one, at } of this.#proof.found(type, now)) provenUnknown(one, at);
  }

  #reported(one: ModelTransaction, fields: Fields, now: number): void {
    const failedBefore = one.failedAt;
    const differs = isMismatch(one, fields);
    one.isFound = true;
    one.unknownAt = null;
    if (differs || isIncomplete(one, fields) || outcomeOf(one, fields) !== 'failed') one.failedAt = null;
    if (one.answer === 'duplicate') return markedReported(one, fields, failedBefore, now);
    if (differs) return flag(one, 'mismatch');
    if (isIncomplete(one, fields)) return;
    one.paymentId ??= isAbsent(fields['paymentId']) ? null : String(fields['paymentId']);
    const outcome = outcomeOf(one, fields);
    if (outcome === 'failed') return failed(one, fields, now);
    if (outcome === 'pending') return found(one);
    const isContrary = wasReportedFailed(one) || one.resolved === 'declined';
    raise(one, 'succeeded');
    if (isContrary) flag(one, 'conflict');
  }
}
