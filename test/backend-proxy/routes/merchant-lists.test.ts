// The lists of transactions, webhooks and IPNs: their order, pages and filters; and a webhook that does not exist.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { NOON, S } from '../time.ts';
import { createWorld, SECRETS } from '../world.ts';
import { createSome, allPages } from './merchant-kit.ts';
import { parse } from 'csv-parse/sync';
import { csvLine, type Cell } from '../../../backend-proxy/routes/merchant-schemas.ts';
import type { Ledger } from '../../../backend-proxy/ledger/ledger.ts';
import type { Transaction } from '../../../backend-proxy/protocol/transaction.ts';
import type { Refusal } from '../../../backend-proxy/errors.ts';
import { createExports } from '../../../backend-proxy/routes/transactions.ts';
import { words } from '../in-words.ts';

const at = (ms: number) => encodeURIComponent(new Date(ms).toISOString());
const CSV = { Authorization: `Bearer ${SECRETS.merchant}`, Accept: 'text/csv' };

interface List {
  transactions: { orderId: string; gatewayOrderId: string; updatedAt: string }[];
  nextCursor: string | null;
}

const ids = ({ transactions }: List) => transactions.map(({ orderId }) => orderId);

it('GET /transactions filters by order, time, status and type', async (t) => {
  const world = await createSome(t);
  const list = async (query: string) =>
    ids((await world.merchant<List>('GET', `/transactions?${query}`)).body).toSorted();
  assert.deepEqual(await list('sort=-createdAt&orderId=A-2'), ['A-2']);
  assert.deepEqual(await list(`from=${at(NOON + S)}&to=${at(NOON + 3 * S)}`), ['=A-3', 'A-2']);
  assert.deepEqual(await list('status=SUCCESS'), ['A-1', 'P-1']);
  assert.deepEqual(await list('status=FAILED'), ['A-2']);
  assert.deepEqual(await list('status=PROCESSING&type=PAY'), ['=A-3']);
  assert.deepEqual(await list('type=PAYOUT'), ['P-1']);
  const [oldest] = (await world.merchant<List>('GET', '/transactions')).body.transactions;
  const since = Date.parse(oldest?.updatedAt ?? '');
  const later = new Date(since + 1).toISOString();
  assert.deepEqual(await list(`updatedSince=${new Date(since).toISOString()}`), ['=A-3', 'A-1', 'A-2', 'P-1']);
  assert.deepEqual(await list(`updatedSince=${later}`), ['A-1', 'A-2', 'P-1']);
  assert.deepEqual(await list(`updatedSince=${later.replace('T12', 'T13').replace('Z', '%2B01:00')}`), ['A-1', 'A-2', 'P-1']); // prettier-ignore
});

it('GET /transactions refuses unknown parameters and values', async (t) => {
  const world = await createWorld(t);
  const limits = ['limit=0', 'limit=201', 'limit=x', 'limit=1.5', 'limit=', 'limit=1&limit=2'];
  const cursors = ['cursor=x', 'cursor=1', 'cursor=1~%00', `cursor=1~${'x'.repeat(101)}`];
  const others = ['since=2026-11-20', 'status=PAID', 'type=CHARGE', 'updatedSince=2026-11-20', 'a'];
  for (const query of [...limits, ...cursors, ...others])
    assert.equal((await world.merchant('GET', `/transactions?${query}`)).status, 400, query);
  for (const query of ['state=alive', 'limit=201', 'offset=1', 'cursor=x'])
    assert.equal((await world.merchant('GET', `/webhooks?${query}`)).status, 400, query);
  assert.equal((await world.merchant('GET', '/transactions?limit=200')).status, 200);
});

it('GET /webhooks/:id answers one webhook with the bytes that are sent', async (t) => {
  const world = await createWorld(t);
  await world.start(world.token(), { method: 'QR' });
  await world.settleAfter('decline', 'A-1');
  const { body: list } = await world.merchant<{ webhooks: { id: string }[] }>('GET', '/webhooks?state=pending');
  const [listed] = list.webhooks;
  const { body } = await world.merchant<{ body: string }>('GET', `/webhooks/${listed?.id}`);
  const { body: sent, ...rest } = body;
  assert.deepEqual(rest, listed);
  assert.equal((JSON.parse(sent) as { type: string }).type, 'payment.failed');
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/redeliver'],
  ] as const) {
    assert.equal((await world.merchant(method, `/webhooks/msg_nothing${path}`)).status, 404);
    assert.equal((await world.merchant(method, `/webhooks/a%20b${path}`)).status, 400);
  }
});

it('GET /ipns lists unmatched IPNs with their content, newest first', async (t) => {
  const world = await createWorld(t);
  await world.ipn({ orderId: 'X-1', type: 'PAY', paymentId: 7, amount: 10.1, currency: 'EUR', status: 'SUCCESS' });
  world.skip(1000);
  await world.ipn({ orderId: 'X-2', type: 'PAYOUT' });
  await world.start(world.token(), { method: 'QR' });
  await world.ipn({ orderId: 'A-1', type: 'PAY' });
  const { body } = await world.merchant<{ ipns: { gatewayOrderId: string; firstAt: string }[] }>('GET', '/ipns');
  const none = { paymentId: null, amount: null, currency: null, status: null };
  const [first, second] = [new Date(NOON).toISOString(), new Date(NOON + 1000).toISOString()];
  assert.deepEqual(body.ipns, [
    { gatewayOrderId: 'X-2', type: 'PAYOUT', ...none, seen: 1, firstAt: second, lastAt: second },
    {
      gatewayOrderId: 'X-1',
      type: 'PAY',
      paymentId: '7',
      amount: '10.1',
      currency: 'EUR',
      status: 'SUCCESS',
      seen: 1,
      firstAt: first,
      lastAt: first,
    },
  ]);
});

it('GET /transactions refuses what no list can be, and says which field', async (t) => {
  const world = await createSome(t);
  const { body } = await world.merchant<List>('GET', '/transactions?sort=createdAt&limit=1');
  for (const [query, field, headers] of [
    [`from=${at(NOON)}&to=${at(NOON)}`, 'to'],
    [`from=${at(NOON)}&updatedSince=${at(NOON)}`, 'updatedSince'],
    [`from=${at(NOON)}&sort=updatedAt`, 'sort'],
    [`sort=-createdAt&updatedSince=${at(NOON)}`, 'updatedSince'],
    [`sort=-createdAt&cursor=${body.nextCursor}`, 'cursor'],
    [`cursor=${body.nextCursor}`, 'cursor'],
    ['sort=amount', 'sort'],
    ['orderId=', 'orderId'],
    ['from=2026-11-20', 'from'],
    ['customer=12345678', 'customer'],
    ['limit=2', 'limit', CSV],
    [`cursor=${body.nextCursor}`, 'cursor', CSV],
    [`updatedSince=${at(NOON)}`, 'updatedSince', CSV],
  ] as const) {
    const response = await world.request('GET', `/transactions?${query}`, { headers: headers ?? { Authorization: CSV.Authorization } }); // prettier-ignore
    const problem = (await response.json()) as { errors: { field: string }[] };
    assert.deepEqual([response.status, problem.errors.map((each) => each.field)], [400, [field]], query);
  }
});

it('GET /transactions/{gatewayOrderId} answers one transaction', async (t) => {
  const world = await createSome(t);
  const { transactions } = (await world.merchant<List>('GET', '/transactions')).body;
  for (const each of transactions) {
    assert.deepEqual((await world.merchant('GET', `/transactions/${encodeURIComponent(each.gatewayOrderId)}`)).body, each); // prettier-ignore
  }
  assert.equal((await world.merchant('GET', '/transactions/A-9')).status, 404);
});

const succeededAt = (row: Transaction | undefined) =>
  new Date(row?.history.find(({ event }) => event === 'succeeded')?.at ?? 0).toISOString();

it('GET /transactions as CSV has every transaction that matches, oldest first, with stable columns', async (t) => {
  const world = await createSome(t);
  const paid = await Promise.all(['A-1', 'P-1'].map((id) => world.ledger.transaction(id)));
  const [paymentAt, payoutAt] = paid.map(succeededAt);
  const response = await world.request('GET', `/transactions?from=${at(NOON)}`, { headers: CSV });
  assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
  assert.equal(response.headers.get('content-disposition'), 'attachment; filename="transactions-from-2026-11-20.csv"');
  const text = await response.text();
  assert.match(text, /^type,orderId,gatewayOrderId,paymentId,method,amount,currency,status,reason,late,surplus,needsReview,customer,note,createdAt,updatedAt,succeededAt,payer,afterClose,refundOf,metadata,settled\r\n/); // prettier-ignore
  const rows = parse(text, { columns: true }) as unknown as Record<string, string>[];
  assert.deepEqual(
    rows.map((row) => [row['type'], row['orderId'], row['amount'], row['status'], row['succeededAt'], row['note'], row['settled']]), // prettier-ignore
    [
      ['PAY', 'A-1', '10.10', 'SUCCESS', paymentAt, '', '0.00'],
      ['PAY', 'A-2', '10.10', 'FAILED', '', '', '0.00'],
      ['PAY', "'=A-3", '10.10', 'PROCESSING', '', '', '0.00'],
      ['PAYOUT', 'P-1', '50.00', 'SUCCESS', payoutAt, 'Thank you, "Ada"', ''],
    ],
  );
});

it('a CSV reads a page when its reader has taken the last one, and no page after the reader has gone', async (t) => {
  let pages = 0;
  const world = await createSome(t, {
    wrapLedger: (ledger) => ({ ...ledger, transactions: (query) => ((pages += 1), endless(ledger, query, pages)) }),
  });
  const url = await world.listen();
  const gone = new AbortController();
  const response = await fetch(`${url}/transactions`, { headers: CSV, signal: gone.signal });
  const reader = response.body?.getReader();
  await reader?.read();
  await settled(() => pages);
  const unread = pages;
  assert.ok(unread < 200, `${unread} pages for a reader that takes nothing`);
  gone.abort();
  await settled(() => pages);
  const afterwards = pages;
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(pages, afterwards);
});

it('a CSV whose filter matches nothing for many pages reads no page after its reader has gone', async (t) => {
  let pages = 0;
  const empty = () => ({ transactions: [], nextCursor: pages < MAX_EMPTY_PAGES ? `c${NOON}~A` : null });
  const world = await createSome(t, {
    wrapLedger: (ledger) => ({ ...ledger, transactions: async () => ((pages += 1), empty()) }),
  });
  const url = await world.listen();
  const readers = {
    'a socket': (signal: AbortSignal) => fetch(`${url}/transactions`, { headers: CSV, signal }),
    'a web stream': async () => world.proxy.app.request('/transactions', { headers: CSV }),
  };
  for (const [name, open] of Object.entries(readers)) {
    pages = 0;
    const gone = new AbortController();
    const reader = (await open(gone.signal)).body?.getReader();
    await reader?.read();
    reader?.read().catch(() => undefined);
    while (pages === 0) await new Promise(setImmediate);
    gone.abort();
    await reader?.cancel().catch(() => undefined);
    await settled(() => pages);
    assert.ok(pages < MAX_EMPTY_PAGES, `${name}: the export went on without a reader`);
  }
});

it('a CSV whose database fails is cut off, so that it cannot be taken for complete', async (t) => {
  let pages = 0;
  const world = await createSome(t, {
    wrapLedger: (ledger) => ({
      ...ledger,
      transactions: async (query) =>
        (pages += 1) > 3 ? Promise.reject(new Error('gone')) : endless(ledger, query, pages),
    }),
  });
  const url = await world.listen();
  const response = await fetch(`${url}/transactions`, { headers: CSV });
  assert.equal(response.status, 200);
  let text = '';
  await assert.rejects(async () => {
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) text += part;
  });
  assert.doesNotMatch(text, /gone|cut off|Error/, 'no text of an error is sent');
  assert.ok(world.log.some(({ level, event }) => level === 'error' && event === 'work failed'));
});

it('four exports run at once; another is refused until one has ended, is left or takes too long', async () => {
  const lines = async function* () {
    yield csvLine(['a']);
    yield csvLine(['b']);
  };
  const exports = createExports();
  const start = () => exports.open(lines());
  const open = Array.from({ length: 4 }, start);
  const refused = ({ kind, retryAfterS }: Refusal) => kind === 'too_many_requests' && retryAfterS === 30;
  assert.throws(start, refused);
  assert.equal(await new Response(open[0]).text(), 'a\r\nb\r\n');
  open.push(start());
  assert.throws(start, refused);
  await open[1]?.cancel();
  open.push(start());
  assert.throws(start, refused);
  exports.close();
  await assert.rejects(new Response(open[2]).text(), /cut off/);
  start();
  const short = createExports({ atOnce: 1, limitMs: 1 });
  await assert.rejects(new Response(short.open(never())).text(), /cut off/);
  assert.equal(await new Response(short.open(lines())).text(), 'a\r\nb\r\n');
});

async function* never(): AsyncGenerator<string> {
  yield await new Promise<string>(() => undefined);
}

const MAX_PAGES = 1_000;
const MAX_EMPTY_PAGES = 50_000;

/** The page `n` of very many, each with many copies. */
async function endless(ledger: Ledger, query: Parameters<Ledger['transactions']>[0], n: number) {
  const { transactions } = await ledger.transactions({ ...query, cursor: undefined });
  const copies = Array.from({ length: 50 }, () => transactions).flat();
  return { transactions: copies, nextCursor: n < MAX_PAGES ? `c${NOON}~A` : null };
}

/** Waits until a number no longer changes. */
async function settled(read: () => number): Promise<void> {
  for (let before = -1; before !== read();) {
    before = read();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

it('GET /webhooks lists those of an order, and pages through all once', async (t) => {
  const world = await createSome(t);
  const all = await allPages<{ orderId: string }>(world, 'webhooks', 200);
  assert.equal(all.length, 3);
  assert.deepEqual(await allPages(world, 'webhooks', 1), all);
  const own = all.filter(({ orderId }) => orderId === 'A-2');
  assert.deepEqual(await allPages(world, 'webhooks', 200, '&orderId=A-2'), own);
});

const unguarded = (cell: string) => cell.replace(/^'/, '');
const TEXTS = ['', 'plain', 'a,b', 'say "hi"', 'two\nlines', 'two\r\nlines', ' padded ', 'ünï', '1.50'];

it('csvLine() writes lines that a CSV reader reads back, whatever their cells contain', () => {
  const rows: Cell[][] = [TEXTS, [1, 2.5, true, false, null, ...TEXTS.slice(5)]];
  const read = parse(rows.map(csvLine).join(''), { record_delimiter: '\r\n' });
  const texts = rows.map((row) => row.map((cell) => String(cell ?? '')));
  assert.deepEqual(read, texts);
  assert.equal(csvLine(['x;=1+1', 'x\t=1', 'plain']), '"x;=1+1","x\t=1",plain\r\n', 'any separator is quoted');
});

it('no cell of csvLine() begins like a formula, and its text is what follows the apostrophe', () => {
  const ascii = [...words`=1+1 +1 -1 @SUM(A1) '=1 ' =HYPERLINK("http://evil.example")`, '\t=1', '\r=1', '\n=1'];
  for (const text of [...ascii, '＝1+1', '＋1', '－1', '＠SUM(A1)']) {
    const [row] = parse(csvLine([text, 'next']), { record_delimiter: '\r\n' });
    const [cell = ''] = row ?? [];
    assert.match(cell, /^'/);
    assert.equal(unguarded(cell), text);
  }
});
