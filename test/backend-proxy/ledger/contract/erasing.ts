// The contract of erasing: what goes and what stays, what may not be erased yet, and that money is as safe after it.
import assert from 'node:assert/strict';
import type { IpnRow, TransactionRow } from '../../../../backend-proxy/ledger/schema/tables.ts';
import { fingerprintOf } from '../../../../backend-proxy/fingerprint.ts';
import { D, H, S } from '../../time.ts';
import {
  BARE_READING,
  BRING_TO,
  LEASE_MS,
  LIMITS,
  MEANS,
  PAYOUT,
  REFUND,
  type Seen,
  type Setup,
  type Suite,
  openPending,
  openSentPayout,
  payment,
  read,
  refusal,
  uncertain,
  verified,
  PENDING,
  UNKNOWN,
  claimIds,
  differing,
  type LedgerById,
} from '../ledger-kit.ts';

const RETENTION = { afterMs: 8 * D, payersMs: 0, sendsWebhooks: true };
const TABLES = ['orders', 'transactions', 'history', 'ipns', 'webhooks', 'meta'];
/** In every place where personal data may be. */
const PERSONAL = 'canary';
/** Of digits, because nothing else is a payer. */
const PAYER = '88887777';
const CANARY = new RegExp(`${PERSONAL}|${PAYER}`);
const PERSONAL_MEANS = {
  paymentId: '111',
  method: null,
  checkoutUrl: 'https://checkout.example/canary',
  qr: { image: 'data:image/png;base64,canary' },
  appUrl: 'wallet://canary',
} as const;

export function erasingContract({ it, setUp }: Suite): void {
  it('erasing removes all personal data of an ended payment and payout, and keeps ids, amounts, stages and keys', async (t) => {
    const setup = await setUp(t);
    const { ledger, rows } = setup;
    await openPersonal(setup, 'A');
    await ledger.openPayout({ ...PAYOUT, customer: 'canary-1', note: 'canary note' });
    await ledger.record('P', PENDING);
    await settle(setup, 'P', 'canary-1');
    await flagAndResolve(ledger, 'P', 'canary person');
    await tellAll(ledger);
    assert.match(await dump(setup), CANARY, 'the canaries are stored at first');
    await passDays(setup, 10);
    const before = await rows<TransactionRow>('select * from transactions order by id');
    assert.equal(await eraseAll(ledger), 2);
    assert.doesNotMatch(await dump(setup), CANARY);
    const emptied = {
      customer: null,
      payer: null,
      customer_ref: null,
      note: null,
      metadata: null,
      checkout_url: null,
      qr: null,
      app_url: null,
    };
    const after = await rows<TransactionRow>('select * from transactions order by id');
    const kept = before.map((row, at) => ({
      ...row,
      ...emptied,
      fingerprint: after[at]?.fingerprint,
      erased_at: after[at]?.erased_at,
    }));
    assert.deepEqual(after, kept);
    const [resolved] = await rows<{ detail: string }>(`select detail from history where event = 'resolved'`);
    assert.equal(resolved?.detail, 'SUCCESS');
    for (const id of ['A', 'P']) {
      const { erasedAt, history } = await read(ledger, id);
      assert.equal(erasedAt, setup.now());
      assert.deepEqual(history.at(-1), { at: setup.now(), event: 'erased', source: 'clock', detail: null });
    }
    assert.equal(await eraseAll(ledger), 0, 'nothing is left to erase');
  });

  it('a payer stays for refunds when the rest is erased, until their time is over or the merchant asks', async (t) => {
    const setup = await setUp(t);
    const { ledger, skip } = setup;
    for (const orderId of ['A', 'B']) {
      await openPending(ledger, { orderId, customer: PERSONAL });
      await ledger.observe(orderId, verified('succeeded', null, PAYER));
    }
    await tellAll(ledger);
    const longer = { ...RETENTION, payersMs: 180 * D };
    await passDays(setup, 9);
    assert.equal(await eraseAll(ledger, longer), 2);
    const { payer, customer, erasedAt } = await read(ledger, 'A');
    assert.deepEqual([payer, customer, erasedAt], [PAYER, null, setup.now()]);
    const { refund } = await ledger.openRefund({ ...REFUND, orderId: 'A', amount: '1' });
    assert.equal(refund.customer, PAYER);
    await ledger.erase('B', RETENTION);
    assert.equal((await read(ledger, 'B')).payer, null);
    assert.equal((await refusal(ledger.erase('A', RETENTION))).kind, 'not_ended', 'a refund is open');
    skip(180 * D);
    await eraseAll(ledger, longer);
    assert.deepEqual([(await read(ledger, 'A')).payer, (await read(ledger, refund.id)).customer], [null, PAYER]);
    assert.equal(
      (await refusal(ledger.openRefund({ ...REFUND, orderId: 'A', idempotencyKey: 'k2' }))).members.cause,
      'erased',
    );
  });

  it('a payment is not erased while a refund of it is open or under review', async (t) => {
    const setup = await setUp(t);
    const { ledger } = setup;
    await openPending(ledger, { orderId: 'A' });
    await ledger.observe('A', verified('succeeded', null, PAYER));
    await passDays(setup, 9);
    const { refund } = await ledger.openRefund({ ...REFUND, orderId: 'A' });
    await tellAll(ledger);
    assert.equal(await eraseAll(ledger), 0, 'open');
    await ledger.record(refund.id, PENDING);
    await ledger.observe(refund.id, differing());
    await tellAll(ledger);
    assert.equal(await eraseAll(ledger), 0, 'under review');
    await ledger.resolve(refund.id, { status: 'SUCCESS', by: 'ada', note: 'asked' });
    await tellAll(ledger);
    assert.equal(await eraseAll(ledger), 1);
  });

  it('nothing is erased that is young, open, in the sweep, under review, or not reported yet', async (t) => {
    const setup = await setUp(t);
    const { ledger, skip } = setup;
    const { opened } = await ledger.openPayment(payment({ orderId: 'REVIEW' }), LIMITS);
    await BRING_TO.succeeded(setup, opened!.id);
    await ledger.observe('REVIEW', differing());
    await openPending(ledger, { orderId: 'SWEEP' });
    await openPending(ledger, { orderId: 'SWEEP' });
    await tellAll(ledger);
    await openPending(ledger, { orderId: 'UNTOLD' });
    await settle(setup, 'UNTOLD');
    skip(7 * D);
    await openPending(ledger, { orderId: 'OPEN' });
    await openPending(ledger, { orderId: 'YOUNG' });
    await settle(setup, 'YOUNG');
    const [young] = (await ledger.webhooks('pending', 10)).webhooks.filter(({ orderId }) => orderId === 'YOUNG');
    await ledger.recordDelivery(young!, { state: 'delivered', answer: '200' });
    skip(7 * D);
    assert.equal(await eraseAll(ledger), 0);
    for (const id of ['REVIEW', 'SWEEP', 'UNTOLD', 'OPEN', 'YOUNG'])
      assert.equal((await read(ledger, id)).erasedAt, null);
    await tellAll(ledger);
    assert.equal(await eraseAll(ledger), 1, 'once it is reported');
    assert.notEqual((await read(ledger, 'UNTOLD')).erasedAt, null);
    skip(2 * D);
    assert.equal(await eraseAll(ledger), 1, 'once it is old');
    assert.notEqual((await read(ledger, 'YOUNG')).erasedAt, null);
  });

  it('without a webhook URL nothing waits to be reported: a webhook that was never sent ends as dead and is emptied', async (t) => {
    const setup = await setUp(t);
    const { ledger, skip, rows } = setup;
    await openPersonal(setup, 'A');
    skip(9 * D);
    assert.equal(await eraseAll(ledger), 0);
    assert.equal(await eraseAll(ledger, { ...RETENTION, sendsWebhooks: false }), 1);
    assert.deepEqual(await rows('select state, body from webhooks'), [{ state: 'dead', body: '' }]);
    assert.deepEqual((await ledger.counts()).webhooks, [{ state: 'dead', count: 1 }]);
  });

  it('a payout that is repeated after it was erased is found and not sent; another body under its id is refused', async (t) => {
    const setup = await setUp(t);
    const { ledger, rows } = setup;
    const request = { ...PAYOUT, customer: '12345678', fingerprint: fingerprintOf([5000, 'EUR', '12345678', null]) };
    await ledger.openPayout(request);
    await ledger.record('P', PENDING);
    await settle(setup, 'P');
    await eraseOne(setup);
    const start = { by: 'host:1', id: 'again' };
    const { payout: again, maySend } = await ledger.ledger.openPayout({ ...request, start });
    assert.deepEqual([again.id, again.stage, maySend], ['P', 'succeeded', false]);
    const other = { ...request, customer: '99999999', fingerprint: fingerprintOf([5000, 'EUR', '99999999', null]) };
    assert.equal((await refusal(ledger.openPayout(other))).kind, 'order_id_taken');
    assert.equal((await rows('select 1 from transactions')).length, 1);
  });

  it('a start that is repeated with its key after erasing finds its payment, and another body is refused', async (t) => {
    const setup = await setUp(t);
    const { ledger } = setup;
    const request = payment({ fingerprint: fingerprintOf(['DIRECT', '12345678', 1010]) });
    await openPending(ledger, request);
    await settle(setup, 'A');
    await eraseOne(setup);
    assert.equal((await ledger.openPayment(request, LIMITS)).opened, undefined, 'it is a repetition');
    const other = { ...request, fingerprint: fingerprintOf(['DIRECT', '99999999', 1010]) };
    assert.equal((await refusal(ledger.openPayment(other, LIMITS))).kind, 'idempotency_key_reused');
  });

  it('a wallet id cannot be guessed from the fingerprint of an erased transaction without the key of the database', async (t) => {
    const setup = await setUp(t);
    const { ledger, skip, rows } = setup;
    const print = fingerprintOf(['DIRECT', '12345678', 1010]);
    await openPending(ledger, { fingerprint: print });
    await openPending(ledger, { orderId: 'B', fingerprint: print });
    for (const id of ['A', 'B']) await settle(setup, id);
    await tellAll(ledger);
    skip(9 * D);
    await eraseAll(ledger);
    const [key] = await rows<{ value: string }>(`select value from meta where key = 'fingerprint_key'`);
    assert.match(key?.value ?? '', /^[\w-]{43}$/);
    const stored = await rows<{ fingerprint: string }>('select fingerprint from transactions');
    for (const { fingerprint } of stored) assert.match(fingerprint, /^keyed [\w-]{43}$/);
    assert.doesNotMatch(JSON.stringify(stored), new RegExp(print));
  });

  it('an IPN about an erased payment is checked, a late SUCCESS counts, and its data is erased later', async (t) => {
    const setup = await setUp(t);
    const { ledger, skip } = setup;
    await openPending(ledger, { customer: 'canary-1' });
    await ledger.observe('A', verified('failed'));
    await eraseOne(setup);
    const ipn = { id: 'late', body: 'canary', reading: { ...BARE_READING, customer: 'canary-2' } };
    assert.equal(await ledger.receiveIpn(ipn), true);
    assert.doesNotMatch(await dump(setup), CANARY, 'without its body');
    assert.deepEqual(await claimIds(ledger, 5), ['A']);
    await ledger.observe('A', verified('succeeded', null, PAYER));
    const { stage, late, payer } = await read(ledger, 'A');
    assert.deepEqual([stage, late, payer], ['succeeded', true, PAYER]);
    assert.equal((await ledger.order('A'))?.paidBy, 'A');
    await tellAll(ledger);
    assert.equal(await eraseAll(ledger), 0, 'it has just changed');
    skip(9 * D);
    assert.equal(await eraseAll(ledger), 1);
    assert.doesNotMatch(await dump(setup), CANARY);
    assert.equal((await read(ledger, 'A')).history.filter(({ event }) => event === 'erased').length, 2);
  });

  it('an IPN that comes again after an erasure is stored without its body, counted, and brings no wallet back', async (t) => {
    const setup = await setUp(t);
    const { ledger, skip, rows } = setup;
    await openPersonal(setup, 'A');
    await tellAll(ledger);
    skip(9 * D);
    await ledger.erase('A', RETENTION);
    const before = await read(ledger, 'A');
    const reading = { ...BARE_READING, customer: 'canary-2', outcome: 'succeeded' as const };
    for (let n = 0; n < 2; n += 1) await ledger.receiveIpn({ id: 'plain digest', body: 'canary', reading });
    const [stored, ...others] = await rows<IpnRow>('select * from ipns');
    assert.deepEqual([stored?.body, stored?.seen, others], ['', 2, []]);
    assert.match(stored?.id ?? '', /^keyed /, 'nobody can guess the wallet from it');
    assert.equal((await ledger.newIpns('A'))[0]?.reading.customer, '*', 'that it names one is kept');
    await settle(setup, 'A', PAYER);
    assert.deepEqual(await read(ledger, 'A'), before);
    assert.doesNotMatch(await dump(setup), CANARY);
  });

  it('a SUCCESS of a payout whose wallet is erased needs review, and is neither a mismatch nor a success', async (t) => {
    const setup = await setUp(t);
    const { ledger, skip } = setup;
    await openSentPayout(ledger, 'P', uncertain('lost'));
    for (let n = 0; n < 2; n += 1) {
      await ledger.observe('P', verified('failed'));
      skip(31 * S);
    }
    await tellAll(ledger);
    await passDays(setup, 9);
    assert.equal(await eraseAll(ledger), 1);
    await ledger.receiveIpn({
      id: 'late',
      body: '{}',
      reading: { ...BARE_READING, transactionId: 'P', type: 'PAYOUT' },
    });
    await ledger.observe('P', verified('succeeded', null, '87654321'));
    const { stage, needsReview, mismatch } = await read(ledger, 'P');
    assert.deepEqual([stage, needsReview, mismatch], ['declined', true, false]);
    assert.equal(await eraseAll(ledger), 0, 'under review');
    await ledger.resolve('P', { status: 'SUCCESS', by: 'canary', note: 'canary' });
    await ledger.observe('P', verified('succeeded', null, '87654321'));
    assert.equal((await read(ledger, 'P')).needsReview, false, 'a person has said the same');
    await tellAll(ledger);
    await passDays(setup, 9, verified('succeeded', null, '87654321'));
    assert.equal(await eraseAll(ledger), 1);
    assert.doesNotMatch(await dump(setup), CANARY);
  });

  it('a webhook whose body is erased is listed, and cannot be sent again', async (t) => {
    const setup = await setUp(t);
    const { ledger, skip } = setup;
    await openPersonal(setup, 'A');
    await tellAll(ledger);
    skip(9 * D);
    await eraseAll(ledger);
    const [webhook] = (await ledger.webhooks('delivered', 10)).webhooks;
    assert.deepEqual([webhook?.body, webhook?.lastAnswer], ['', null]);
    assert.equal((await refusal(ledger.redeliver(webhook!.id))).kind, 'erased');
    assert.equal(await ledger.redeliver('msg_none'), undefined);
    assert.deepEqual(await ledger.claimWebhooks(10, LEASE_MS), []);
  });

  it('transactions that wait for a webhook do not keep later pages from being erased', async (t) => {
    const setup = await setUp(t);
    const { ledger, skip, change } = setup;
    await openTold(setup);
    await copyTransactions(setup, 120);
    await change(`update webhooks set state = 'pending' where order_id <> 'A' and order_id <> 'C119'`);
    skip(9 * D);
    const found: number[] = [];
    for (let next: string | null = ''; next !== null;) {
      const page: { erased: number; next: string | null } = await ledger.erasePage(RETENTION, next);
      found.push(page.erased);
      next = page.next;
    }
    assert.equal(found.length, 3, 'pages of 50');
    assert.equal(sumOf(found), 2);
  });

  it('two processes that erase at once share the pages, and erase each transaction once', async (t) => {
    const setup = await setUp(t);
    const { ledger, skip, rows, open } = setup;
    await openTold(setup);
    await copyTransactions(setup, 150);
    skip(9 * D);
    const erased = await Promise.all([eraseAll(ledger), eraseAll(await open())]);
    assert.equal(sumOf(erased), 151);
    assert.equal((await rows(`select 1 from history where event = 'erased'`)).length, 151);
  });

  it('the turn of a process that died while it erased ends', async (t) => {
    const setup = await setUp(t);
    const { ledger, skip, change, now } = setup;
    await openTold(setup);
    skip(9 * D);
    await change(`insert into meta (key, value) values ('erasing_until', '${now() + 20 * S}')`);
    assert.deepEqual(await ledger.erasePage(RETENTION, ''), { erased: 0, next: '' });
    skip(21 * S);
    assert.equal(await eraseAll(ledger), 1);
  });

  it('erase() erases an order at once when it has ended, and again changes nothing', async (t) => {
    const setup = await setUp(t);
    const { ledger, rows } = setup;
    await openPersonal(setup, 'A');
    await tellAll(ledger);
    const erased = await ledger.erase('A', RETENTION);
    assert.deepEqual(
      erased?.map(({ customer, erasedAt, stage }) => [customer, erasedAt, stage]),
      [[null, setup.now(), 'succeeded']],
    );
    assert.deepEqual(erased?.[0]?.history.at(-1), {
      at: setup.now(),
      event: 'erased',
      source: 'merchant',
      detail: null,
    });
    assert.doesNotMatch(await dump(setup), CANARY);
    setup.skip(H);
    assert.deepEqual(await ledger.erase('A', RETENTION), erased);
    assert.equal((await rows(`select 1 from history where event = 'erased'`)).length, 1);
    assert.equal(await ledger.erase('none', RETENTION), undefined);
    await openPersonal(setup, 'B');
    await tellAll(ledger);
    const byKey = await ledger.erase('B', RETENTION, 'merchant:office');
    assert.equal(byKey?.[0]?.history.at(-1)?.source, 'merchant:office');
  });

  it('erase() of an order that may still change is refused with the reason, and erases nothing of it', async (t) => {
    const setup = await setUp(t);
    const { ledger, skip } = setup;
    const expectRefusal = async (orderId: string, reason: RegExp) => {
      const before = await dump(setup);
      const { kind, message } = await refusal(ledger.erase(orderId, RETENTION));
      assert.equal(kind, 'not_ended');
      assert.match(message, reason);
      assert.equal(await dump(setup), before);
    };
    await openPending(ledger, { orderId: 'OPEN' });
    await expectRefusal('OPEN', /OPEN is open/);
    await openPending(ledger, { orderId: 'TWO', customer: 'canary-1' });
    await openPending(ledger, { orderId: 'TWO' });
    await settle(setup, 'TWO-2');
    await expectRefusal('TWO', /^Nothing can be erased yet: TWO is checked until 2026-11-27T12:00:00.000Z; a webhook/);
    await openPending(ledger, { orderId: 'REVIEW' });
    await settle(setup, 'REVIEW');
    await ledger.observe('REVIEW', differing());
    await expectRefusal('REVIEW', /REVIEW needs review, so resolve it first/);
    await openPersonal(setup, 'TOLD');
    await expectRefusal('TOLD', /a webhook about TOLD is not delivered yet/);
    await openPending(ledger, { orderId: 'LOST', method: 'DIRECT', customer: 'canary-1' }, uncertain('lost'));
    await settle(setup, 'LOST');
    await tellAll(ledger);
    await expectRefusal('LOST', /the gateway's answer about LOST may come until 2026-11-20T13:00:00.000Z/);
    skip(2 * H);
    assert.equal((await ledger.erase('LOST', RETENTION))?.[0]?.erasedAt, setup.now());
  });
}

/** A payment that succeeded, with personal data wherever there may be any, and an IPN. */
async function openPersonal(setup: Setup, orderId: string): Promise<void> {
  const { ledger } = setup;
  const metadata = { name: 'canary' };
  const given = { orderId, customer: 'canary-1', customerReference: 'canary-ref', metadata, method: 'DIRECT' as const };
  await openPending(ledger, given, { stage: 'pending', ...PERSONAL_MEANS });
  const reading = { ...BARE_READING, transactionId: orderId, customer: 'canary-2' };
  await ledger.receiveIpn({ id: `ipn of ${orderId}`, body: `{"${PERSONAL}": 1}`, reading });
  await settle(setup, orderId, PAYER);
}

/** A payment that succeeded, and whose webhook is delivered. */
async function openTold(setup: Setup): Promise<void> {
  await openPending(setup.ledger);
  await settle(setup, 'A');
  await tellAll(setup.ledger);
}

/** By a check that an IPN has claimed. */
async function settle({ ledger }: Setup, id: string, payer: string | null = null): Promise<void> {
  await ledger.claimChecks(50, LEASE_MS);
  await ledger.observe(id, verified('succeeded', MEANS.paymentId, payer));
}

async function flagAndResolve(ledger: LedgerById, id: string, by: string): Promise<void> {
  await ledger.observe(id, differing());
  await ledger.resolve(id, { status: 'SUCCESS', by, note: `${PERSONAL} note` });
}

/** Makes the checks that are due, which find out nothing. */
async function passDays({ ledger, skip }: Setup, days: number, answer: Seen = UNKNOWN): Promise<void> {
  for (let day = 0; day < days; day += 1) {
    skip(D);
    for (const { id } of await ledger.claimChecks(50, LEASE_MS)) await ledger.observe(id, answer);
  }
}

const sumOf = (counts: number[]) => counts.reduce((sum, each) => sum + each);

async function tellAll(ledger: LedgerById): Promise<void> {
  for (const webhook of (await ledger.webhooks('pending', 1000)).webhooks) {
    await ledger.recordDelivery(webhook, { state: 'delivered', answer: 'HTTP 200' });
  }
}

/** Its webhook is delivered, and its time is over. */
async function eraseOne({ ledger, skip }: Setup): Promise<void> {
  await tellAll(ledger);
  skip(9 * D);
  assert.equal(await eraseAll(ledger), 1);
}

async function eraseAll(ledger: LedgerById, retention = RETENTION): Promise<number> {
  let erased = 0;
  for (let next: string | null = ''; next !== null;) {
    const page: Awaited<ReturnType<LedgerById['erasePage']>> = await ledger.erasePage(retention, next);
    erased += page.erased;
    next = page.next;
    await new Promise(setImmediate);
  }
  return erased;
}

/** Everything that is stored. */
async function dump({ rows }: Setup): Promise<string> {
  const tables = await Promise.all(TABLES.map((table) => rows(`select * from ${table}`)));
  return JSON.stringify(tables);
}

/** The same rows as those of A, under the ids C0, C1 … */
async function copyTransactions({ rows, change }: Setup, count: number): Promise<void> {
  const numbers = `(with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < ${count - 1})
    select n from numbers) as numbers`;
  const keys: Record<string, string[]> = {
    transactions: ['id', 'order_id'],
    webhooks: ['id', 'transaction_id', 'order_id'],
  };
  for (const [table, ids] of Object.entries(keys)) {
    const [row] = await rows<Record<string, unknown>>(`select * from ${table} where order_id = 'A'`);
    const columns = Object.keys(row ?? {});
    const values = columns.map((column) => (ids.includes(column) ? `'C' || n` : column));
    const from = `${table}, ${numbers} where order_id = 'A'`;
    await change(`insert into ${table} (${columns.join()}) select ${values.join()} from ${from}`);
  }
}
