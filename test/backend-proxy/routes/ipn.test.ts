// The IPN route: an IPN is stored durably before it is answered, is not trusted, and reveals nothing.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Refusal } from '../../../backend-proxy/errors.ts';
import { SECRETS, createWorld, type World } from '../world.ts';
import { D, H, S } from '../time.ts';

const REPORT = { paymentId: 100_001, orderId: 'A-1', type: 'PAY', customer: '12345678', amount: 10.1, currency: 'EUR', status: 'SUCCESS', message: 'SUCCESS' }; // prettier-ignore
const ipns = (world: World) => world.rows<{ transaction_id: string | null; matched: number; seen: number; body: string }>('select transaction_id, matched, seen, body from ipns order by first_at'); // prettier-ignore

it('an IPN is answered 200 with an empty body once it is stored', async (t) => {
  const world = await createWorld(t);
  const response = await world.ipn(REPORT);
  assert.deepEqual([response.status, await response.text()], [200, '']);
  assert.deepEqual(ipns(world), [{ transaction_id: 'A-1', matched: 0, seen: 1, body: JSON.stringify(REPORT) }]);
});

it('an IPN is answered 200 whatever its Content-Type, and stored as it is', async (t) => {
  const world = await createWorld(t);
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', '']) {
    const response = await world.request('POST', `/ipn/${SECRETS.ipn}`, {
      headers: { 'Content-Type': type },
      body: `{"n":"${type}"}`,
    });
    assert.equal(response.status, 200, type);
  }
  assert.equal(ipns(world).length, 3);
});

it('an IPN with a wrong secret is 404 like any other path, stores nothing, and its path is in no log', async (t) => {
  const world = await createWorld(t);
  const nowhere = await world.request('POST', '/nowhere', { body: '{}' });
  const withoutId = async (response: Response) => ({ ...((await response.json()) as object), requestId: '' });
  const like = await withoutId(nowhere);
  for (const secret of [`${SECRETS.ipn}x`, SECRETS.ipn.slice(1), SECRETS.ipn.toUpperCase(), 'canary-wrong', '%00']) {
    const response = await world.ipn(REPORT, secret);
    assert.equal(response.status, 404, secret);
    assert.deepEqual(await withoutId(response), like);
  }
  for (const path of [`/ipn/${SECRETS.ipn}/`, `/ipn/${SECRETS.ipn}/more`, '/ipn/', '/ipn']) {
    assert.equal((await world.request('POST', path, { body: '{}' })).status, 404, path);
  }
  assert.equal((await world.request('GET', `/ipn/${SECRETS.ipn}`)).status, 404);
  assert.deepEqual(ipns(world), []);
  assert.ok(world.log.length > 5);
  assert.doesNotMatch(JSON.stringify(world.log), /canary/);
  assert.ok(world.log.some(({ route }) => route === '/ipn/:secret'));
});

it('an IPN may use any of several secrets, so that one can be rotated without a gap', async (t) => {
  const other = 'another-ipn-secret-0123456789';
  const world = await createWorld(t, { config: { ipnSecrets: [other, SECRETS.ipn] } });
  assert.deepEqual([(await world.ipn(REPORT)).status, (await world.ipn(REPORT, other)).status], [200, 200]);
});

it('an IPN nested deeper than 8 is refused and not stored', async (t) => {
  const world = await createWorld(t);
  const deep = (depth: number) => `{"orderId":"A-1","type":"PAY","x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
  assert.equal((await world.ipn(deep(8))).status, 200);
  assert.equal((await world.ipn(deep(9))).status, 400);
  assert.equal(ipns(world).length, 1);
});

it('an unreadable IPN is quarantined for a person', async (t) => {
  const world = await createWorld(t);
  const bodies = ['', 'It works!', '[]', '{"orderId":7.5}', '\0', '{"orderId":"A\\u0000","type":"PAY"}'];
  for (const body of bodies) assert.equal((await world.ipn(body)).status, 200, body);
  const ids = ipns(world).map(({ transaction_id }) => transaction_id);
  assert.deepEqual(
    ids,
    bodies.map(() => null),
  );
  const stored = new Set(ipns(world).map(({ body }) => body));
  assert.ok(stored.has('\uFFFD') && !stored.has('\0'), 'PostgreSQL could not keep a NUL');
});

it('an IPN is answered 503 if the database cannot be written, so that it is sent again', async (t) => {
  let isAway = false;
  const world = await createWorld(t, {
    wrapLedger: (ledger) => ({
      ...ledger,
      receiveIpn: (ipn) => (isAway ? Promise.reject(new Refusal('unavailable', 'away')) : ledger.receiveIpn(ipn)),
    }),
  });
  isAway = true;
  const response = await world.ipn(REPORT);
  assert.equal(response.status, 503);
  assert.equal(((await response.json()) as { code: string }).code, 'unavailable');
  isAway = false;
  assert.equal((await world.ipn(REPORT)).status, 200);
});

it('an IPN is not answered before the commit', async (t) => {
  const order: string[] = [];
  const world = await createWorld(t, {
    wrapLedger: (ledger) => ({
      ...ledger,
      receiveIpn: async (...given) => {
        for (let turns = 0; turns < 100; turns += 1) await new Promise(setImmediate);
        const received = await ledger.receiveIpn(...given);
        order.push('committed');
        return received;
      },
    }),
  });
  await world.ipn(REPORT);
  order.push('answered');
  assert.deepEqual(order, ['committed', 'answered']);
  assert.equal(ipns(world).length, 1);
});

it('a forged SUCCESS in an IPN only requests a check and changes nothing', async (t) => {
  const world = await createWorld(t, { webhooks: true });
  const token = world.token();
  const { body: before } = await world.start(token, { method: 'QR' });
  for (const forged of [
    REPORT,
    { ...REPORT, amount: 0.01 },
    { ...REPORT, status: 'FAILED' },
    { orderId: 'A-1', type: 'PAY', status: 'SUCCESS' },
  ]) {
    assert.equal((await world.ipn(forged)).status, 200);
    await world.settle();
  }
  const view = await world.view(token);
  assert.deepEqual(view, { ...before, serverTime: view.serverTime });
  assert.deepEqual(world.receiver.received, []);
});

it('an IPN is verified by a status check, and only the report counts', async (t) => {
  const world = await createWorld(t);
  const token = world.token();
  await world.start(token, { method: 'QR' });
  await world.faults({ ipn: { tamper: { status: 'FAILED', amount: 1, currency: 'USD' } } });
  await world.settleAfter('approve', 'A-1');
  assert.equal((await world.view(token)).paid, true);
});

const profile = { paths: { pay: '/api/v3/integration/merchants/payments/pay', payout: '/api/v3/integration/merchants/payments/payout', status: null } }; // prettier-ignore

it('in weaker mode an IPN settles a payment by itself, under the same comparison', async (t) => {
  const world = await createWorld(t, { profile });
  const token = world.token();
  await world.start(token, { method: 'QR' });
  const said = async (report: object) => {
    world.skip(60 * S);
    await world.ipn(report);
    await world.settle();
    const { paid, payment } = await world.view(token);
    return [paid, payment?.status];
  };
  assert.deepEqual(await said({ ...REPORT, orderId: 'B' }), [false, 'PROCESSING']);
  assert.deepEqual(await said({ orderId: 'A-1', type: 'PAY', status: 'SUCCESS' }), [false, 'PROCESSING'], 'no amount');
  assert.deepEqual(await said({ ...REPORT, amount: undefined }), [false, 'PROCESSING']);
  assert.deepEqual(await said({ ...REPORT, status: undefined }), [false, 'PROCESSING']);
  for (const differs of [{ amount: 10.11 }, { currency: 'USD' }, { paymentId: 7 }, { type: 'PAYOUT' }]) {
    assert.deepEqual(await said({ ...REPORT, ...differs }), [false, 'PROCESSING'], JSON.stringify(differs));
  }
  assert.deepEqual(await said(REPORT), [true, 'SUCCESS']);
});

it('in weaker mode each IPN is read once: a repeat is no conflict, and FAILED after SUCCESS is one', async (t) => {
  const world = await createWorld(t, { webhooks: true, profile });
  await world.faults({ ipn: { never: true } });
  await world.start(world.token(), { method: 'QR' });
  const seen: string[][] = [];
  for (const status of ['FAILED', 'SUCCESS', 'SUCCESS', 'FAILED']) {
    world.skip(5 * S);
    await world.ipn({ ...REPORT, status });
    await world.pass(D);
    seen.push(world.webhooks().slice(seen.flat().length));
  }
  const conflict = ['payment.conflict', 'payment.needs_review'];
  assert.deepEqual(seen, [['payment.failed'], ['payment.succeeded'], [], conflict]);
  const word = { status: 'SUCCESS', by: 'ada', note: 'the money is there', gatewayReports: 'FAILED' };
  assert.equal((await world.merchant('POST', '/transactions/A-1/resolve', word)).status, 200);
  await world.ipn({ ...REPORT, status: 'FAILED' });
  await world.pass(8 * D);
  assert.deepEqual(world.webhooks().slice(4), [], 'the person knew');
});

it('in weaker mode a code that nobody has paid after seven days is EXPIRED, and only a lost answer asks a person', async (t) => {
  const world = await createWorld(t, { webhooks: true, profile });
  await world.start(world.token(), { method: 'QR' });
  await world.faults({ pay: { dropAnswer: true }, times: 1 });
  await world.start(world.token({ orderId: 'A-2' }), { method: 'QR' });
  await world.pass(7 * D);
  const webhooks = world.receiver.received.map(({ payload: { type, data } }) => [type, data.orderId].join(' '));
  assert.deepEqual(webhooks.toSorted(), ['payment.failed A-1', 'payment.needs_review A-2']);
  assert.equal((await world.view(world.token())).payment?.reason, 'EXPIRED');
  await world.ipn(REPORT);
  await world.settle();
  assert.equal((await world.view(world.token())).paid, true, 'a later SUCCESS counts');
});

it('in weaker mode a FAILED IPN of a payout asks a person once in 8 days, and a later contrary one once more', async (t) => {
  const report = { orderId: 'P-1', type: 'PAYOUT', amount: 50, currency: 'EUR' };
  for (const [status, contrary, gatewayReports] of [
    ['FAILED', 'SUCCESS', undefined],
    ['SUCCESS', 'FAILED', 'FAILED'],
  ] as const) {
    const world = await createWorld(t, { webhooks: true, profile });
    const asked = () => world.webhooks().filter((type) => type === 'payout.needs_review').length;
    const resolve = (note: string, reports?: string) =>
      world.merchant('POST', '/transactions/P-1/resolve', { status, by: 'ada', note, gatewayReports: reports });
    await world.faults({ ipn: { never: true } });
    await world.merchant('POST', '/payouts', { orderId: 'P-1', amount: 50, currency: 'EUR', customer: '12345678' });
    await world.ipn({ ...report, status: 'FAILED' });
    await world.pass(H);
    assert.equal((await resolve('by phone', gatewayReports)).status, 200);
    for (let days = 0; days < 8; days += 1) await world.pass(D);
    assert.equal(asked(), 1);
    await world.ipn({ ...report, status: 'SUCCESS' });
    await world.pass(H);
    await world.ipn({ ...report, status: contrary, paymentId: 100_001 });
    await world.pass(D);
    assert.deepEqual([asked(), world.webhooks().includes('payout.conflict')], [2, true]);
  }
});
