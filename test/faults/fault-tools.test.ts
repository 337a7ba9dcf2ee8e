// Tests the comparison and the network of the fault tests: one that finds no problem in anything proves nothing.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { OrderRow, TransactionRow } from './database-reader.ts';
import { serveOnLoopback } from '../loopback.ts';
import { compare, RANK, type AllRecords } from './compare-records.ts';
import { startFaultProxy } from './fault-proxy.ts';
import type { ReceivedWebhook } from './merchant-server.ts';

const ROW: TransactionRow = {
  id: 'a',
  type: 'PAY',
  order_id: 'a',
  amount_minor: 1010,
  currency: 'EUR',
  idempotency_key: 'k',
  rank: RANK.succeeded,
  payment_id: '1',
  late: 0,
  surplus: 0,
  after_close: 0,
  mismatch: 0,
  conflict: 0,
  needs_review: 0,
  answer: 'identified',
};

function webhook(id: string, type: string, orderId = 'a'): ReceivedWebhook {
  const data = {
    orderId,
    gatewayOrderId: orderId,
    type: 'PAY',
    status: 'SUCCESS',
    amount: '10.10',
    currency: 'EUR',
  } as const;
  return { id, type, body: '', data, times: 1 };
}

type All = ReturnType<typeof agreeingRecords>;

/** One paid order, on which all records agree. */
function agreeingRecords(): AllRecords & { merchant: ReceivedWebhook[] } {
  return {
    gateway: [
      {
        orderId: 'a',
        paymentId: 1,
        type: 'PAY',
        amount: '10.10',
        currency: 'EUR',
        customer: null,
        status: 'SUCCESS',
        createRequests: 1,
      },
    ],
    clients: {
      orders: new Map([['a', { keys: new Set(['k']), started: true, paid: true }]]),
      payouts: new Map(),
      refunds: new Map(),
      ipns: new Map([['digest', 2]]),
      unavailable: 0,
      lastUnavailableAt: -Infinity,
    },
    merchant: [webhook('msg_1', 'payment.succeeded')],
    database: {
      orders: [{ order_id: 'a', paid_by: 'a', version: 3 }],
      transactions: [{ ...ROW }],
      history: [],
      ipns: [{ id: 'digest', transaction_id: 'a', matched: 1, seen: 2 }],
      webhooks: [],
    },
  };
}

const order = ({ database }: All) => database.orders[0] as OrderRow;
const row = ({ database }: All) => database.transactions[0] as TransactionRow;

const BROKEN: [kind: 'lost' | 'doubled' | 'forged' | 'differing' | 'open', what: string, breaks: (all: All) => void][] =
  [
    ['lost', 'a transaction of the gateway is not in the database', (all) => (all.database.transactions = [])],
    ['lost', 'a success at the gateway is pending in the database', (all) => (row(all).rank = RANK.pending)],
    ['lost', 'an order shown as paid is unpaid in the database', (all) => (order(all).paid_by = null)],
    ['lost', 'an acknowledged IPN is missing', (all) => (all.database.ipns = [])],
    ['lost', 'the merchant received no webhook', (all) => (all.merchant = [])],
    ['doubled', 'a payment was sent twice', (all) => Object.assign(all.gateway[0] ?? {}, { createRequests: 2 })],
    ['doubled', 'two webhooks', (all) => all.merchant.push(webhook('msg_2', 'payment.succeeded'))],
    ['doubled', 'an order credited twice', (all) => all.database.transactions.push({ ...ROW, id: 'a-2' })],
    ['forged', 'a success that is none', (all) => Object.assign(all.gateway[0] ?? {}, { status: 'PROCESSING' })],
    ['differing', 'the amount differs', (all) => (row(all).amount_minor = 1011)],
    ['open', 'a payment never ends', (all) => (row(all).rank = RANK.pending)],
  ];

it('compare() finds no problem if all records agree, and each that was broken', () => {
  assert.deepEqual(Object.values(compare(agreeingRecords())).flat(), []);
  for (const [kind, what, breaks] of BROKEN) {
    const all = agreeingRecords();
    breaks(all);
    assert.notEqual(compare(all)[kind].length, 0, `${kind}: ${what}`);
  }
});

it('the fault proxy drops an answer whose request has arrived', async (t) => {
  let arrived = 0;
  const served = await serveOnLoopback((_, response) => void response.end(String((arrived += 1))));
  const network = await startFaultProxy(served.url, () => ({ kind: 'lost' }));
  t.after(() => Promise.all([network.close(), served.close()]));
  await assert.rejects(fetch(`${network.url}/pay`, { method: 'POST', body: '{}' }));
  assert.equal(arrived, 1);
});
