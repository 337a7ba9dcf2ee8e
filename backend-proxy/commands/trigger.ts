// `payment-proxy trigger TYPE --to URL`: makes, signs and sends a sample webhook, to try a merchant's endpoint.
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { iso, MINUTE_MS } from '../protocol/durations.ts';
import { WEBHOOKS, merchantView, type WebhookType } from '../protocol/merchant-view.ts';
import { refundId } from '../protocol/refundable.ts';
import {
  TRANSACTION_TYPES,
  TYPES,
  type HistoryEntry,
  type Transaction,
  type TransactionType,
} from '../protocol/transaction.ts';
import { UsageError, type Call } from './report.ts';
import { createTarget, createVisitor } from './requests.ts';

export async function trigger({ args, env, print }: Call): Promise<number> {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: { to: { type: 'string' }, show: { type: 'boolean' } },
  });
  const [type = '', ...more] = positionals;
  if (!isWebhookType(type) || more.length > 0) {
    throw new UsageError(`TYPE is one of ${Object.keys(WEBHOOKS).join(', ')}.`);
  }
  const visitor = createVisitor();
  try {
    const target = createTarget(values.to, { env, visitor, print });
    const now = Date.now();
    const id = `msg_sample_${randomBytes(12).toString('hex')}`;
    const body = JSON.stringify({ type, timestamp: iso(now), data: merchantView(sampleTransaction(type, now)) });
    if (values.show === true) print(JSON.stringify(JSON.parse(body), null, 2));
    const answer = await target.send({ id, body });
    print(`${type} ${id} ${answer}`);
    return /^HTTP 2\d\d$/.test(answer) ? 0 : 1;
  } finally {
    await visitor.close();
  }
}

function isWebhookType(text: string): text is WebhookType {
  return Object.hasOwn(WEBHOOKS, text);
}

// Sample transactions for `trigger`: the state of the database when it sends a webhook of this type.

type EventName = WebhookType extends `${string}.${infer Name}` ? Name : never;

interface Sample {
  /** What differs from a transaction that the gateway has accepted. */
  is: Partial<Transaction>;
  /** What happened a minute later. */
  event: Omit<HistoryEntry, 'at'>;
}

const WALLET = '12345678';

const SAMPLES = {
  succeeded: {
    is: { stage: 'succeeded', payer: WALLET },
    event: { event: 'succeeded', source: 'check', detail: null },
  },
  failed: {
    is: { stage: 'declined' },
    event: { event: 'declined', source: 'check', detail: 'INSUFFICIENT_BALANCE' },
  },
  surplus: {
    is: { stage: 'succeeded', surplus: true, payer: WALLET },
    event: { event: 'surplus', source: 'check', detail: null },
  },
  after_close: {
    is: { stage: 'succeeded', afterClose: true, needsReview: true },
    event: { event: 'after_close', source: 'check', detail: null },
  },
  mismatch: {
    is: { mismatch: true },
    event: { event: 'mismatch', source: 'check', detail: 'amount: asked 10.10 EUR, reported 10.00 EUR as pending' },
  },
  conflict: {
    is: { stage: 'succeeded', conflict: true, payer: WALLET },
    event: { event: 'conflict', source: 'check', detail: null },
  },
  needs_review: {
    is: { stage: 'uncertain', needsReview: true },
    event: { event: 'needs_review', source: 'clock', detail: null },
  },
} as const satisfies Record<EventName, Sample>;

/** What differs between the types. */
const OF_TYPE = {
  PAY: { asked: 'QR', method: 'QR', customer: null },
  PAYOUT: { asked: null, method: null, customer: WALLET },
  REFUND: { asked: null, method: null, customer: WALLET },
} as const satisfies Record<TransactionType, Partial<Transaction>>;

function sampleTransaction(webhook: WebhookType, now: number): Transaction {
  const [prefix, name] = webhook.split('.') as [string, EventName];
  const type = TRANSACTION_TYPES.find((each) => TYPES[each].webhooks === prefix) ?? 'PAY';
  const { isRefund } = TYPES[type];
  const { is, event } = SAMPLES[name];
  const orderId = `SAMPLE-${randomBytes(3).toString('hex').toUpperCase()}`;
  const createdAt = now - MINUTE_MS;
  return {
    id: isRefund ? refundId(orderId, 1) : orderId,
    type,
    orderId,
    attempt: 1,
    refundOf: isRefund ? orderId : null,
    ...OF_TYPE[type],
    amountMinor: 1400,
    currency: 'EUR',
    payer: null,
    note: null,
    metadata: null,
    fingerprint: '',
    startId: null,
    stage: 'pending',
    endedBy: null,
    version: 4,
    answer: 'identified',
    seen: true,
    resolved: null,
    paymentId: String(100_000 + (createdAt % 900_000)),
    checkoutUrl: null,
    qr: null,
    appUrl: null,
    expiresAt: null,
    late: false,
    surplus: false,
    afterClose: false,
    settledMinor: 0,
    mismatch: false,
    conflict: false,
    needsReview: false,
    checking: false,
    failedAt: null,
    createdAt,
    erasedAt: null,
    updatedAt: now,
    history: [
      { at: createdAt, event: 'created', source: TYPES[type].isOutgoing ? 'merchant' : 'shopper', detail: null },
      { at: createdAt, event: 'sending', source: TYPES[type].isOutgoing ? 'merchant' : 'shopper', detail: null },
      { at: createdAt + 1_000, event: 'pending', source: 'answer', detail: null },
      { at: now, ...event },
    ],
    ...is,
  };
}
