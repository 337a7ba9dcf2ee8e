// All input is hostile here: IPNs, the gateway's answers, the callers' requests. None of it causes an error 500 or an
// undocumented answer (which the world compares with the OpenAPI document), shows a secret, or moves money.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { httpGateway } from '../backend-proxy/gateway/http-gateway.ts';
import { createWorld, readDocument, SECRETS, startHeaders, type WorldOptions } from '../backend-proxy/world.ts';
import { serveOnLoopback } from '../loopback.ts';
import { createSearch } from '../secret-search.ts';
import { size } from './fault-test.ts';

const RUNS = { numRuns: size(300, 20_000) };
/** Each run leaves an order, and the checks of all of them take an hour with as many as above. */
const ORDERS = { numRuns: size(300, 2_000) };
const leaksIn = createSearch(SECRETS);

const text = fc.oneof(
  fc.constantFrom(
    '',
    '1e3',
    '10.100',
    '١٢',
    'NaN',
    '__proto__',
    'SUCCESS',
    'PAYOUT',
    '../../etc/passwd',
    "' or 1=1 --",
  ),
  fc.constantFrom('javascript:alert(1)', 'https://a:b@evil.example/', '\u0000', 'line\r\nX-Injected: yes', '\u202Egnp'),
  fc.string({ unit: 'binary' }),
);
const junk = fc.oneof(text, fc.jsonValue(), fc.double());
/** The fields of a message, some of them replaced, and some added. */
const spoiled = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .tuple(
      fc.record(
        Object.fromEntries(
          Object.entries(fields).map(([name, value]) => [name, fc.oneof({ weight: 6, arbitrary: value }, junk)]),
        ),
        { requiredKeys: [] },
      ),
      fc.dictionary(text, junk, { maxKeys: 2 }),
    )
    .map(([known, other]) => JSON.stringify({ ...other, ...known }));

const amount = fc.constantFrom(10.1, 10, 1e9, '10.10');
const message = spoiled({
  paymentId: fc.nat(),
  orderId: fc.constantFrom('A-1', 'A-2'),
  type: fc.constantFrom('PAY', 'PAYOUT'),
  amount,
  currency: fc.constantFrom('EUR', 'USD'),
  status: fc.constantFrom('SUCCESS', 'FAILED', 'PROCESSING'),
});

async function open(t: TestContext, options: WorldOptions = {}) {
  const world = await createWorld(t, options);
  await world.faults({ ipn: { never: true } });
  const state = () =>
    JSON.stringify(world.rows('select id, rank, paid_by from transactions left join orders using (order_id)'));
  /** Asks, and returns the status. */
  const ask = async (method: string, path: string, init: RequestInit) => {
    world.log.length = 0;
    const answer = await world.request(method, path, init);
    const said = await answer.text();
    assert.notEqual(answer.status, 500, said);
    assert.deepEqual(leaksIn(said + JSON.stringify(world.log)), []);
    return answer.status;
  };
  return { world, state, ask };
}

it('no fuzzed IPN changes a payment, and none is answered by an error of the proxy', async (t) => {
  const { world, state, ask } = await open(t);
  await world.start(world.token(), { method: 'QR' });
  const before = state();
  await fc.assert(
    fc.asyncProperty(message, async (body) => {
      assert.ok([200, 400, 413].includes(await ask('POST', `/ipn/${SECRETS.ipn}`, { body })));
    }),
    RUNS,
  );
  await world.pass(60_000);
  assert.equal(state(), before);
});

it('no hostile answer of the gateway makes a payment succeed', async (t) => {
  let answer = '';
  const hostile = await serveOnLoopback((_, response) => void response.end(answer));
  const gateway = httpGateway(hostile.url);
  t.after(() => Promise.all([gateway.close(), hostile.close()]));
  const { world, ask } = await open(t, { wrapGateway: () => gateway });
  let number = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof(message, fc.json(), text), fc.nat(9), async (body, turn) => {
      answer = body;
      const headers = startHeaders(world.token({ orderId: `H-${(number += 1)}`, amount: '77.70' }));
      await ask('POST', '/order/payments', { headers, body: '{"method":"QR"}' });
      if (turn === 0) await world.pass(16_000);
    }),
    ORDERS,
  );
  assert.deepEqual(world.rows('select order_id from orders where paid_by is not null'), []);
});

it('each answer to a request made from the OpenAPI document is documented, and a refused one changes nothing', async (t) => {
  const { world, state, ask } = await open(t);
  await world.start(world.token(), { method: 'QR' });
  const routes = Object.entries((await readDocument(world.proxy)).paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => [method.toUpperCase(), path] as const),
  );
  const credential = fc.constantFrom(world.token(), SECRETS.merchant, 'x', world.token({ amount: 'x' }));
  const body = fc.oneof(
    message,
    spoiled({ method: fc.constantFrom('QR', 'DIRECT'), customer: text, amount, reason: text }),
  );
  const asked = fc.record({
    route: fc.constantFrom(...routes),
    id: fc.oneof(fc.constant('A-1'), text),
    credential,
    body,
  });
  await fc.assert(
    fc.asyncProperty(asked, async ({ route: [method, template], id, credential: bearer, body: sent }) => {
      if (template.endsWith('/events')) return;
      const before = state();
      const path = template.replaceAll(/\{\w+\}/g, encodeURIComponent(id.toWellFormed()) || '_');
      const status = await ask(method, path, {
        headers: startHeaders(bearer),
        ...(method === 'POST' && { body: sent }),
      });
      if (method === 'GET' || status >= 400) assert.equal(state(), before, `${method} ${path} was answered ${status}`);
    }),
    RUNS,
  );
});
