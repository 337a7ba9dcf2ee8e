// What the protocol says, written a second time and small: the ten stages, and what a start, an answer, a status check and
// the clock each do to them. It is told every exchange with the gateway exactly as the proxy was, and then says what the
// proxy must show. It shares no code with the proxy; where the two differ, one of them is wrong.
export type Method = 'DIRECT' | 'CHECKOUT' | 'JETGO' | 'QR';

const STAGES = [
  'created',
  'sending',
  'uncertain',
  'pending',
  'replaced',
  'expired',
  'rejected',
  'not_created',
  'declined',
  'succeeded',
] as const;
type Stage = (typeof STAGES)[number];

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DOCUMENTED_REFUSALS = new Set([400, 401, 403, 404, 405, 406, 410, 411, 413, 414, 415, 422]);

export interface ModelTransaction {
  id: string;
  type: 'PAY' | 'PAYOUT';
  orderId: string;
  asked: Method | null;
  method: Method | null;
  /** As the gateway writes it, without needless zeros. */
  amount: number;
  currency: string;
  key: string;
  stage: Stage;
  createdAt: number;
  sentAt: number | null;
  expiresAt: number | null;
  paymentId: string | null;
  unknownAt: number | null;
  failedAt: number | null;
  late: boolean;
  flags: Set<'mismatch' | 'conflict' | 'needs_review'>;
  /** The webhooks that must have been sent; a success is `succeeded`, whether it paid the order or was a surplus. */
  told: Set<string>;
  /** The history's events. */
  events: Set<string>;
}

/** An answer as it reached the proxy: undefined where none did, fields undefined where it was no JSON object. */
export type Delivered = { status: number; fields: Record<string, unknown> | undefined } | undefined;

const rank = (stage: Stage) => STAGES.indexOf(stage);
const isFailure = (stage: Stage) => rank(stage) >= rank('replaced') && rank(stage) <= rank('declined');

export const HAS_ENDED: Record<Stage, boolean> = {
  created: false,
  sending: false,
  uncertain: false,
  pending: false,
  replaced: true,
  expired: true,
  rejected: true,
  not_created: true,
  declined: true,
  succeeded: true,
};

export class Model {
  readonly transactions = new Map<string, ModelTransaction>();

  paymentsOf(orderId: string): ModelTransaction[] {
    return [...this.transactions.values()].filter((one) => one.type === 'PAY' && one.orderId === orderId);
  }

  /** What a start has to be answered, with what it leaves behind. */
  start(orderId: string, method: Method, key: string, amount: number, now: number): number {
    const earlier = this.paymentsOf(orderId);
    const same = earlier.find((one) => one.key === key);
    if (same) return same.asked === method ? 200 : 422;
    if (earlier.some(({ stage }) => stage === 'succeeded')) return 409;
    if (earlier.length >= 5) return 429;
    if (method === 'DIRECT') {
      if (earlier.filter(({ asked }) => asked === 'DIRECT').length >= 3) return 422;
      const prompts = [...this.transactions.values()].filter(
        (one) => one.asked === 'DIRECT' && one.createdAt > now - HOUR,
      );
      if (prompts.length >= 5) return 429;
    }
    for (const one of earlier) this.#raise(one, 'replaced');
    const id = earlier.length === 0 ? orderId : `${orderId}-${earlier.length + 1}`;
    this.#open({ id, type: 'PAY', orderId, asked: method, method, amount, currency: 'EUR', key }, now);
    return 201;
  }

  payout(orderId: string, amount: number, now: number): number {
    const same = this.transactions.get(orderId);
    if (same) return same.amount === amount ? 202 : 409;
    this.#open(
      { id: orderId, type: 'PAYOUT', orderId, asked: null, method: null, amount, currency: 'EUR', key: '' },
      now,
    );
    return 202;
  }

  /** The one POST has arrived somewhere on its way. */
  sent(id: string, now: number): void {
    const one = this.#known(id);
    if (one.sentAt !== null) throw new Error(`${id} was sent twice`);
    one.sentAt = now;
    this.#raise(one, 'sending');
  }

  answered(id: string, answer: Delivered): void {
    const one = this.#known(id);
    const fields = answer?.fields;
    const isRefusal = answer !== undefined && DOCUMENTED_REFUSALS.has(answer.status);
    // Without a code of the gateway's own, whoever stands between may have written it.
    if (isRefusal && /^[A-Z][A-Z0-9_]+$/.test(String(fields?.['code']))) this.#raise(one, 'rejected');
    else if ((answer?.status === 200 || answer?.status === 202) && fields && isDocumented(one, fields)) {
      one.paymentId ??= String(fields['paymentId']);
      if (one.type === 'PAY') one.method = fields['method'] as Method;
      if (one.method === 'CHECKOUT' && one.sentAt !== null) one.expiresAt = one.sentAt + 15 * MINUTE;
      this.#raise(one, 'pending');
    } else this.#raise(one, 'uncertain');
  }

  checked(id: string, answer: Delivered, now: number): void {
    const one = this.#known(id);
    if (answer?.status === 404) this.#unknown(one, now);
    else if (answer?.status === 200 && isReport(answer.fields, id)) this.#reported(one, answer.fields, now);
    this.#timePassed(one, now);
  }

  #open(
    opened: Pick<ModelTransaction, 'id' | 'type' | 'orderId' | 'asked' | 'method' | 'amount' | 'currency' | 'key'>,
    now: number,
  ) {
    this.transactions.set(opened.id, {
      ...opened,
      stage: 'created',
      createdAt: now,
      sentAt: null,
      expiresAt: null,
      paymentId: null,
      unknownAt: null,
      failedAt: null,
      late: false,
      flags: new Set(),
      told: new Set(),
      events: new Set(['created']),
    });
  }

  #known(id: string): ModelTransaction {
    const one = this.transactions.get(id);
    if (one === undefined) throw new Error(`The gateway was asked about ${id}, which there is no reason to know of`);
    return one;
  }

  #raise(one: ModelTransaction, stage: Stage): void {
    if (rank(stage) <= rank(one.stage)) return;
    const wasFailure = isFailure(one.stage);
    if (stage === 'succeeded' && wasFailure) one.late = true;
    one.stage = stage;
    one.events.add(stage);
    if (stage === 'succeeded') one.told.add('succeeded');
    else if (isFailure(stage) && !wasFailure) one.told.add('failed');
  }

  #flag(one: ModelTransaction, flag: 'mismatch' | 'conflict' | 'needs_review'): void {
    one.flags.add(flag);
    one.events.add(flag);
  }

  #unknown(one: ModelTransaction, now: number): void {
    if (one.paymentId !== null || one.sentAt === null || now < one.sentAt + 90 * SECOND) return;
    if (one.unknownAt === null) one.unknownAt = now;
    else if (now >= one.unknownAt + MINUTE && one.stage !== 'pending') this.#raise(one, 'not_created');
  }

  #reported(one: ModelTransaction, fields: Record<string, unknown>, now: number): void {
    if (isMismatch(one, fields)) {
      this.#flag(one, 'mismatch');
      one.told.add('mismatch');
      return;
    }
    const { status } = fields;
    if (status === 'SUCCESS' && isAbsent(fields['amount']) && !isOurs(one, fields)) return;
    one.paymentId ??= isAbsent(fields['paymentId']) ? null : String(fields['paymentId']);
    one.unknownAt = null;
    if (status === 'FAILED' || (status === 'ERROR' && one.type === 'PAY')) return this.#failed(one, now);
    one.failedAt = null;
    if (status === 'SUCCESS') return this.#raise(one, 'succeeded');
    const isNews = rank(one.stage) < rank('pending');
    this.#raise(one, 'pending');
    if (isNews && one.method === 'CHECKOUT' && one.sentAt !== null) one.expiresAt ??= one.sentAt + 15 * MINUTE;
  }

  #failed(one: ModelTransaction, now: number): void {
    if (one.stage === 'succeeded') {
      this.#flag(one, 'conflict');
      one.told.add('conflict');
    } else if (one.type === 'PAY') this.#raise(one, 'declined');
    else if (one.failedAt === null) one.failedAt = now;
    else if (now >= one.failedAt + 30 * SECOND) this.#raise(one, 'declined');
  }

  /** What the clock says is written down when a check ends. */
  #timePassed(one: ModelTransaction, now: number): void {
    if (one.stage === 'pending' && one.expiresAt !== null && now >= one.expiresAt + 2 * MINUTE)
      this.#raise(one, 'expired');
    const isOpen = rank(one.stage) <= rank('pending');
    const reviewAfter = one.type === 'PAYOUT' ? 24 * HOUR : 7 * 24 * HOUR;
    if (!isOpen || now < one.createdAt + reviewAfter) return;
    this.#flag(one, 'needs_review');
    if (one.type === 'PAYOUT') one.told.add('needs_review');
  }
}

function isDocumented(one: ModelTransaction, fields: Record<string, unknown>): boolean {
  if (fields['orderId'] !== one.id) return false;
  if (one.type === 'PAYOUT' || fields['method'] === 'DIRECT') return true;
  if (fields['method'] === 'CHECKOUT') return String(fields['checkout']).startsWith('http://127.0.0.1');
  return (fields['method'] === 'QR' || fields['method'] === 'JETGO') && /^[A-Za-z0-9+/]+=*$/.test(String(fields['qr']));
}

/** Only the order id and the type are sure to be there; a null is a field that is not. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

/** Without its sum a success counts only for the payment id that the books have. */
function isOurs(one: ModelTransaction, { paymentId }: Record<string, unknown>): boolean {
  return !isAbsent(paymentId) && String(paymentId) === one.paymentId;
}

function isReport(fields: Record<string, unknown> | undefined, id: string): fields is Record<string, unknown> {
  return fields?.['orderId'] === id && (fields['type'] === 'PAY' || fields['type'] === 'PAYOUT');
}

function isMismatch(one: ModelTransaction, fields: Record<string, unknown>): boolean {
  const { type, paymentId, currency, amount } = fields;
  return (
    type !== one.type ||
    (!isAbsent(paymentId) && one.paymentId !== null && String(paymentId) !== one.paymentId) ||
    (!isAbsent(currency) && currency !== one.currency) ||
    (!isAbsent(amount) && amount !== one.amount)
  );
}
