// Tests the tools of the fault tests: a comparison that finds no problem in anything proves nothing. Each promise of
// compare() is broken once and must be found, as must an unsigned webhook and an undocumented answer, and each fault of
// the TCP fault proxy must happen as described.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { Agent, request } from 'undici';
import type { OrderRow, TransactionRow } from './database-reader.ts';
import { undocumented } from '../backend-proxy/documented.ts';
import { D } from '../backend-proxy/time.ts';
import { startFaultProxy, type Fault } from './fault-proxy.ts';
import { addressOf, closeServer } from '../loopback.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { compare, RANK, type AllRecords } from './compare-records.ts';
import { passTime, type InProcessProxy } from './in-process-proxy.ts';
import { createManualClock } from './manual-clock.ts';
import { isSigned, type ReceivedWebhook } from './merchant-server.ts';
import { leaksIn, SECRETS } from './canary-secrets.ts';

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
      closings: new Map(),
      refunds: new Map(),
      ipns: new Map([['digest', 2]]),
      unavailable: 0,
      lastUnavailableAt: -Infinity,
    },
    merchant: [webhook('msg_1', 'payment.succeeded')],
    database: {
      orders: [{ order_id: 'a', paid_by: 'a', closed_at: null, version: 3 }],
      transactions: [{ ...ROW }],
      history: [],
      ipns: [{ id: 'digest', transaction_id: 'a', matched: 1, seen: 2 }],
      webhooks: [],
    },
  };
}

function order(all: AllRecords): OrderRow {
  const [first] = all.database.orders;
  assert.ok(first);
  return first;
}

function row(all: AllRecords): TransactionRow {
  const [first] = all.database.transactions;
  assert.ok(first);
  return first;
}

const CLOSED = { paid_by: null, closed_at: 1 };

const BROKEN: [kind: string, what: string, breaks: (all: ReturnType<typeof agreeingRecords>) => void][] = [
  ['lost', 'a transaction of the gateway is not in the database', (all) => (all.database.transactions = [])],
  ['lost', 'a success at the gateway is pending in the database', (all) => (row(all).rank = RANK.pending)],
  ['lost', 'a transaction of the gateway is stored as never created', (all) => (row(all).rank = RANK.not_created)],
  ['lost', 'an order shown as paid is unpaid in the database', (all) => (order(all).paid_by = null)],
  ['lost', 'an acknowledged IPN is missing', (all) => (all.database.ipns = [])],
  ['lost', 'a repeat of an acknowledged IPN is missing', (all) => (all.clients.ipns = new Map([['digest', 3]]))],
  ['lost', 'the merchant received no webhook', (all) => (all.merchant = [])],
  [
    'lost',
    'an accepted payout is not in the database',
    (all) => all.clients.payouts.set('p', { accepted: true, status: 'INITIALIZED' }),
  ],
  [
    'doubled',
    'a payment was sent twice',
    (all) => (all.gateway = all.gateway.map((one) => ({ ...one, createRequests: 2 }))),
  ],
  ['doubled', 'the merchant received two webhooks', (all) => all.merchant.push(webhook('msg_2', 'payment.succeeded'))],
  [
    'doubled',
    'one key made two payments',
    (all) => all.database.transactions.push({ ...ROW, id: 'a-2', rank: RANK.replaced }),
  ],
  ['doubled', 'an order was credited twice', (all) => all.database.transactions.push({ ...ROW, id: 'a-2' })],
  [
    'forged',
    'a success that the gateway does not have',
    (all) => (all.gateway = all.gateway.map((one) => ({ ...one, status: 'PROCESSING' }))),
  ],
  ['forged', 'the merchant received a success that is none', (all) => (row(all).rank = RANK.declined)],
  ['differing', 'the amount differs', (all) => (row(all).amount_minor = 1011)],
  ['differing', 'the payment id differs', (all) => (row(all).payment_id = '2')],
  ['lost', 'an order that was answered as closed is open', (all) => all.clients.closings.set('a', true)],
  [
    'forged',
    'an order was answered as paid, and is not',
    (all) => {
      all.clients.closings.set('a', false);
      order(all).paid_by = null;
    },
  ],
  ['forged', 'an order is closed and paid', (all) => (order(all).closed_at = 1)],
  ['forged', 'the merchant received a success of a closed order', (all) => Object.assign(order(all), CLOSED)],
  [
    'lost',
    'the merchant received no webhook that a closed order was paid',
    (all) => {
      Object.assign(order(all), CLOSED);
      row(all).after_close = 1;
      all.merchant = [];
    },
  ],
  ['open', 'a payment never ends', (all) => (row(all).rank = RANK.pending)],
];

describe('compare()', () => {
  it('compare() finds no problem if all records agree', () => {
    assert.deepEqual(Object.values(compare(agreeingRecords())).flat(), []);
  });

  for (const [kind, what, breaks] of BROKEN) {
    it(`compare() finds as ${kind}: ${what}`, () => {
      const all = agreeingRecords();
      breaks(all);
      assert.notEqual(compare(all)[kind as 'lost'].length, 0);
    });
  }
});

describe('isSigned()', () => {
  const at = Date.UTC(2026, 10, 20);
  const signed = (key: string, atMs = at) => {
    const timestamp = String(atMs / 1000);
    const mac = createHmac('sha256', Buffer.from(key, 'base64')).update(`msg_1.${timestamp}.{}`).digest('base64');
    return { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${mac}` };
  };
  const key = SECRETS.webhookSecret.slice('whsec_'.length);

  it('isSigned() accepts the signed webhook and nothing else', () => {
    assert.equal(isSigned(signed(key), '{}', at), true);
    assert.equal(isSigned(signed(key), '{ }', at), false);
    assert.equal(isSigned(signed('AAAA'), '{}', at), false);
    assert.equal(isSigned(signed(key, at - 600_000), '{}', at), false);
    assert.equal(isSigned({}, '{}', at), false);
  });
});

describe('passTime()', () => {
  it('passTime() does what falls due while the work before it takes time', async (t) => {
    const path = join(temporaryFolder(t), 'due.db');
    const database = new DatabaseSync(path);
    t.after(() => database.close());
    database.exec('create table webhooks (state, next_at, lease_until)');
    database.exec('create table transactions (next_check_at, lease_until)');
    const clock = createManualClock();
    database.prepare('insert into transactions values (?, 0)').run(clock.now() + 1_000);
    async function tick(): Promise<void> {
      await Promise.resolve();
      database.prepare('update transactions set next_check_at = null where next_check_at <= ?').run(clock.now());
      clock.advance(2_000);
    }
    const proxy = { tick, log: [] } as unknown as InProcessProxy;
    await passTime(proxy, { tickOthers: async () => {}, databaseUrl: `file:${path}`, clock }, D);
    assert.deepEqual(
      database
        .prepare('select next_check_at as at from transactions')
        .all()
        .map(({ at }) => at),
      [null],
    );
  });
});

describe('undocumented()', () => {
  const operation = {
    responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/One' } } } } },
  };
  const document = {
    components: {
      schemas: { One: { type: 'object', properties: { a: { type: ['string', 'null'] } }, required: ['a'] } },
    },
  };
  const judge = (status: number, body: string, type = 'application/json') =>
    undocumented(document, operation, new Response(body, { status, headers: { 'Content-Type': type } }), body);

  it('undocumented() accepts a documented answer and names what differs in others', () => {
    assert.equal(judge(200, '{"a":null}'), undefined);
    assert.match(judge(201, '{"a":null}') ?? '', /status 201/);
    assert.match(judge(200, '{"a":null}', 'text/html') ?? '', /media type/);
    assert.match(judge(200, '{}') ?? '', /expected string, received undefined/);
    assert.match(judge(200, '{"a":1}') ?? '', /expected null, received number/);
    assert.match(judge(200, '{"a":"x","b":1}') ?? '', /unrecognized_keys[^]*"b"/);
  });
});

it('leaksIn() finds a secret inside other text', () => {
  assert.deepEqual(leaksIn('no secret'), []);
  for (const [name, secret] of Object.entries(SECRETS)) assert.deepEqual(leaksIn(`x${secret}y`), [name]);
});

it('a process that resets a connection while it is ending exits', async () => {
  const program = `
    import { connect, createServer } from 'node:net';
    import { resetConnection } from ${JSON.stringify(new URL('../reset-connection.ts', import.meta.url).href)};
    const server = createServer((socket) => {
      socket.on('error', () => undefined).end();
      process.nextTick(() => resetConnection(socket));
      server.close();
    });
    server.listen(0, '127.0.0.1', () => connect(server.address().port).on('error', () => undefined).resume());`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'inherit' });
  const limit = setTimeout(() => child.kill('SIGKILL'), 60_000);
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  clearTimeout(limit);
});

describe('the fault proxy', () => {
  /** What a caller receives, and how many requests reached the server. */
  async function seen(t: TestContext, fault: Fault): Promise<{ answer: string; arrived: number }> {
    let arrived = 0;
    const server = createServer((_request, response) => {
      arrived += 1;
      response.end('{"ok":true}');
    }).listen(0, '127.0.0.1');
    const network = await startFaultProxy(await addressOf(server), () => fault);
    const dispatcher = new Agent();
    t.after(async () => {
      await dispatcher.destroy();
      await network.close();
      await closeServer(server);
    });
    const answer = await request(`${network.url}/pay`, {
      method: 'POST',
      body: '{}',
      dispatcher,
      signal: AbortSignal.timeout(fault.kind === 'silent' ? 500 : 30_000),
    })
      .then(async ({ statusCode, body }) => `${statusCode} ${await body.text()}`)
      .catch((error: unknown) => (error instanceof Error ? error.name : 'no error'));
    assert.equal(network.counts.get(fault.kind), 1);
    return { answer, arrived };
  }

  it('the fault proxy passes requests on, also with a delay', async (t) => {
    assert.deepEqual(await seen(t, { kind: 'none' }), { answer: '200 {"ok":true}', arrived: 1 });
    assert.deepEqual(await seen(t, { kind: 'late', ms: 20 }), { answer: '200 {"ok":true}', arrived: 1 });
    assert.deepEqual(await seen(t, { kind: 'dripped', everyMs: 1 }), { answer: '200 {"ok":true}', arrived: 1 });
  });

  it('the fault proxy drops a request, which then never arrives', async (t) => {
    assert.deepEqual(await seen(t, { kind: 'unsent' }), { answer: 'SocketError', arrived: 0 });
  });

  it('the fault proxy drops an answer whose request has arrived', async (t) => {
    assert.deepEqual(await seen(t, { kind: 'lost' }), { answer: 'SocketError', arrived: 1 });
    assert.equal((await seen(t, { kind: 'reset' })).arrived, 1);
    assert.equal((await seen(t, { kind: 'cut', share: 0.9 })).arrived, 1);
    assert.doesNotMatch((await seen(t, { kind: 'cut', share: 0.99 })).answer, /ok/);
    assert.deepEqual(await seen(t, { kind: 'silent' }), { answer: 'TimeoutError', arrived: 1 });
  });

  it('the fault proxy replaces the bytes of an answer', async (t) => {
    const bytes = Buffer.from('HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n');
    assert.deepEqual(await seen(t, { kind: 'replaced', bytes }), { answer: '302 ', arrived: 1 });
  });
});
