// Fills an empty database with 100,000 transactions, in the SQL that both databases understand. `usual`: a shop after
// ten weeks. `extreme`: every index of something rare lists all rows, and each filter matches all rows or none.
import { D, H, M, NOON } from '../time.ts';

export type Filling = 'usual' | 'extreme';

const SIZE = 100_000;

/** Columns as SQL over `n`, which counts from 1. */
type Columns = Record<string, string | number>;

const CREATED = `${NOON} - (${SIZE} - n) * ${M}`;
const IS_YOUNG = `n > ${SIZE} - ${7 * 24 * 60}`;
/** Of the young, one in five is an abandoned code that checks still follow. */
const IS_PLANNED = `${IS_YOUNG} and n % 5 = 0`;

/** In another order than the rows, so that each is on another page. */
const IPN_AFTER = `n * 7919 % 50000`;

const EVERY = {
  id: `'T' || (1000000 + n)`,
  order_id: `'T' || (1000000 + n)`,
  attempt: 1,
  amount_minor: 1010,
  currency: `'EUR'`,
  fingerprint: `'print'`,
  idempotency_key: `'key-' || n`,
  version: 3,
  checks: `'[]'`,
} satisfies Columns;

const TRANSACTIONS: Record<Filling, Columns> = {
  usual: {
    ...EVERY,
    type: `case when n % 10 = 3 then 'PAYOUT' else 'PAY' end`,
    method: `case when n % 3 = 0 then 'DIRECT' else 'QR' end`,
    asked: `case when n % 3 = 0 then 'DIRECT' else 'QR' end`,
    customer: `case when n % 3 = 0 then 'wallet-' || (n % 5000) end`,
    rank: `case when ${IS_PLANNED} then 3 + n % 2 * 2 when n % 20 = 1 then n / 20 % 6 + 4 else 9 end`,
    needs_review: `case when n % 1000 = 7 then 1 else 0 end`,
    created_at: CREATED,
    updated_at: `${CREATED} + 41000`,
    sent_at: CREATED,
    sent_by: `'host:8787'`,
    answer: `'identified'`,
    found_at: `${CREATED} + 41000`,
    ipn_received_at: `case when n % 5 <> 0 then ${CREATED} + 40000 end`,
    ipns_received: `case when n % 5 <> 0 then 1 else 0 end`,
    ipns_answered: `case when n % 5 <> 0 then 1 else 0 end`,
    next_check_at: `case when ${IS_PLANNED} then ${NOON} + (n % 1440 - 3) * ${M} end`,
  },
  extreme: {
    ...EVERY,
    type: `'PAY'`,
    method: `'DIRECT'`,
    asked: `'DIRECT'`,
    customer: `'wallet-1'`,
    rank: 3,
    needs_review: 1,
    created_at: NOON - H,
    updated_at: NOON - M,
    sent_at: NOON - H,
    sent_by: `'other:8787'`,
    found_at: NOON - M,
    ipn_received_at: `${NOON - M} + ${IPN_AFTER}`,
    ipns_received: 1,
    // Those with the newest IPNs are not due, all others are.
    next_check_at: `case when ${IPN_AFTER} > 40000 then ${NOON + H} else ${NOON - 1} end`,
  },
};

const WEBHOOKS: Record<Filling, Columns> = {
  usual: { state: `case when n % 500 = 0 then 'dead' else 'delivered' end`, next_at: CREATED, created_at: CREATED },
  extreme: { state: `'pending'`, next_at: NOON - M, created_at: NOON - H },
};

const IPNS: Record<Filling, Columns> = {
  usual: { matched: `case when n % 1000 = 0 then 0 else 1 end`, reported: 0, first_at: CREATED, last_at: CREATED },
  // More would take long to report and to delete.
  extreme: {
    matched: 0,
    reported: `case when n % 100 = 0 then 0 else 1 end`,
    first_at: NOON - 9 * D,
    last_at: `case when n % 100 = 0 then ${NOON - 8 * D} else ${NOON} end`,
  },
};

/** `numbers`: SQL for the rows of a table expression that counts `n` from 1. */
export function fillings(filling: Filling, numbers: (most: number) => string): string[] {
  const fill = (table: string, columns: Columns) =>
    `insert into ${table} (${Object.keys(columns).join(', ')})
      select ${Object.values(columns).join(', ')} from ${numbers(SIZE)}`;
  const order = { order_id: EVERY.order_id, amount_minor: 1010, currency: `'EUR'`, version: 3 };
  const reading = `'{"transactionId":"' || ${EVERY.id} || '","type":"PAY","paymentId":null,"amount":null,"currency":null,"outcome":null}'`;
  return [
    fill('orders', order),
    fill('transactions', TRANSACTIONS[filling]),
    fill('history', { transaction_id: EVERY.id, event: `'created'`, at: CREATED, source: `'shopper'` }),
    fill('history', {
      transaction_id: EVERY.id,
      event: `'succeeded'`,
      at: TRANSACTIONS[filling].updated_at ?? CREATED,
      source: `'check'`,
    }),
    fill('webhooks', {
      ...WEBHOOKS[filling],
      id: `'msg_' || n`,
      transaction_id: EVERY.id,
      order_id: EVERY.id,
      type: `'payment.succeeded'`,
      body: `'{}'`,
      attempts: 1,
      lease_until: 0,
    }),
    fill('ipns', { ...IPNS[filling], id: `'ipn-' || n`, transaction_id: EVERY.id, reading, body: `'{}'`, seen: 1 }),
  ];
}
