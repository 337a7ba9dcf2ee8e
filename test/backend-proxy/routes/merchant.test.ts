// The merchant's routes, which need the key and refuse browsers: orders, payouts, reconciliation, webhooks, IPNs and
// resolutions.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Problem } from '../../../backend-proxy/protocol/wire.ts';
import { SECRETS, SHOP, createWorld, readDocument, type World } from '../world.ts';
import { NOON } from '../time.ts';

const PAYOUT = { orderId: 'P-1', amount: 50, currency: 'EUR', customer: '12345678', note: 'Thank you' };
const ORDER = { orderId: 'A-1', amount: '10.10', currency: 'EUR', returnUrl: `${SHOP}/thanks` };
const JSON_BODY = { 'Content-Type': 'application/json' };

async function merchantRoutes(world: World): Promise<[method: string, path: string][]> {
  const { paths } = await readDocument(world.proxy);
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { security = [] }]): [string, string][] =>
      security.some((scheme) => 'merchantKey' in scheme)
        ? [[method.toUpperCase(), path.replace(/\{[^}]+\}/, 'x')]]
        : [],
    ),
  );
  assert.equal(routes.length, 10);
  return routes;
}

describe("the merchant's key", () => {
  it("every merchant route needs the merchant's key; a missing key, a wrong one and an order token get the same answer", async (t) => {
    const world = await createWorld(t);
    const wrong = ['', 'Bearer', 'Bearer ', `Bearer ${SECRETS.merchant}x`, `Bearer ${SECRETS.merchant.slice(1)}`, `Basic ${SECRETS.merchant}`, SECRETS.merchant, `Bearer ${SECRETS.merchant} x`, `Bearer ${world.token()}`, `Bearer ${SECRETS.ipn}`, `Bearer ${SECRETS.order}`]; // prettier-ignore
    for (const [method, path] of await merchantRoutes(world)) {
      const seen = new Set<string>();
      for (const authorization of wrong) {
        const headers = { ...JSON_BODY, ...(authorization && { Authorization: authorization }) };
        const response = await world.request(method, path, { headers, ...(method === 'POST' && { body: '{}' }) });
        assert.equal(response.status, 401, `${method} ${path} ${authorization}`);
        assert.equal(response.headers.get('www-authenticate'), 'Bearer');
        seen.add(JSON.stringify({ ...((await response.json()) as Problem), requestId: '' }));
      }
      assert.equal(seen.size, 1, `${method} ${path}`);
    }
  });

  it("the merchant's key is refused from a browser: any request with an Origin, allowed or not", async (t) => {
    const world = await createWorld(t);
    const auth = { Authorization: `Bearer ${SECRETS.merchant}`, ...JSON_BODY };
    for (const [method, path] of await merchantRoutes(world)) {
      for (const origin of [SHOP, 'https://evil.example', 'null', '']) {
        const response = await world.request(method, path, {
          headers: { ...auth, Origin: origin },
          ...(method === 'POST' && { body: JSON.stringify(PAYOUT) }),
        });
        assert.equal(response.status, 403, `${method} ${path} ${origin}`);
        assert.equal(response.headers.get('access-control-allow-origin'), null);
        assert.equal(((await response.json()) as Problem).code, 'forbidden_origin');
      }
    }
    assert.equal(await world.gatewayHas('P-1'), undefined);
  });

  it("the merchant's key may be any of several, so that one can be rotated without a gap", async (t) => {
    const other = 'another-merchant-key-0123456789-0123456789';
    const world = await createWorld(t, { config: { merchantKeys: [other, SECRETS.merchant] } });
    for (const key of [other, SECRETS.merchant]) {
      const response = await world.request('GET', '/webhooks', { headers: { Authorization: `bearer ${key}` } });
      assert.equal(response.status, 200);
    }
  });

  it("the merchant's key does not open the order routes, which need an order token", async (t) => {
    const world = await createWorld(t);
    for (const path of ['/order', '/order/events']) {
      const response = await world.request('GET', path, { headers: { Authorization: `Bearer ${SECRETS.merchant}` } });
      assert.equal(response.status, 401);
    }
  });
});

const NO_TEXT = ['\0', 'a\nb', 'a\u001bb', 'a\u007fb', 'a\u0085b', 'a\u009fb', 'a\u202eb', '\u202a', 'a\u2066b\u2069'];
const TEXT = ['ünïcode – 日本語 🙂', 'שלום', 'a\u00a0b', '\u200fשלום', 'it\'s "fine" <b>'];

describe('a text for people', () => {
  it('a note, description or reference with control characters or bidirectional marks is refused', async (t) => {
    const world = await createWorld(t);
    const texts = [
      ['/payouts', PAYOUT, 'note', 200],
      ['/orders', ORDER, 'description', 200],
      ['/orders', ORDER, 'customerReferenceNo', 64],
    ] as const;
    for (const [path, body, field, most] of texts) {
      const detail = `a string of 1 to ${most} characters, without control characters or bidirectional marks`;
      for (const text of NO_TEXT) {
        const refused = await world.merchant<Problem>('POST', path, { ...body, [field]: text });
        assert.deepEqual([refused.status, refused.body.errors], [400, [{ field, detail }]], JSON.stringify(text));
      }
    }
    for (const [n, note] of TEXT.entries()) {
      const payout = await world.merchant<{ note: string }>('POST', '/payouts', { ...PAYOUT, orderId: `T-${n}`, note });
      assert.deepEqual([payout.status, payout.body.note], [202, note]);
    }
  });
});

describe('POST /orders', () => {
  it('POST /orders answers 201 with a token that can pay the order, and its expiry', async (t) => {
    const world = await createWorld(t);
    const { status, body } = await world.merchant<{ token: string }>('POST', '/orders', { ...ORDER, expiresIn: 600 });
    assert.equal(status, 201);
    assert.deepEqual(
      { ...body, token: '' },
      { orderId: 'A-1', token: '', expiresAt: new Date(NOON + 600_000).toISOString() },
    );
    assert.equal((await world.start(body.token, { method: 'QR' })).status, 201);
    world.skip(600_000);
    assert.equal((await world.refused(body.token, { method: 'QR' })).body.code, 'token_expired');
  });

  it('POST /orders issues a token for an hour by default, and for a minute to a day on request', async (t) => {
    const world = await createWorld(t);
    const expires = async (expiresIn?: unknown) =>
      (
        await world.merchant<{ expiresAt?: string }>('POST', '/orders', {
          ...ORDER,
          ...(expiresIn !== undefined && { expiresIn }),
        })
      ).body.expiresAt;
    assert.equal(await expires(), new Date(NOON + 3_600_000).toISOString());
    assert.equal(await expires(60), new Date(NOON + 60_000).toISOString());
    assert.equal(await expires(86_400), new Date(NOON + 86_400_000).toISOString());
    for (const wrong of [59, 86_401, 600.5, '600', null]) assert.equal(await expires(wrong), undefined, String(wrong));
  });

  it('POST /orders names every invalid field and unknown key', async (t) => {
    const world = await createWorld(t);
    const wrong = {
      ...ORDER,
      orderId: '',
      currency: 'eur',
      customer: 'x',
      language: 'EN',
      exp: 1,
      status: 'paid',
      expiresIn: 86_401,
      methods: ['QR', 'qr'],
    };
    const { status, body } = await world.merchant<Problem>('POST', '/orders', wrong);
    assert.deepEqual([status, body.code], [400, 'invalid_request']);
    assert.deepEqual(Object.fromEntries(body.errors?.map(({ field, detail }) => [field, detail]) ?? []), {
      orderId: '1 to 64 printable ASCII characters, no spaces',
      currency: 'an ISO 4217 code in upper case',
      customer: 'a string of 4 to 20 digits',
      language: 'an ISO 639-1 code in lower case',
      expiresIn: 'a whole number of seconds, 60 to 86400',
      'methods.1': 'one of DIRECT, CHECKOUT, JETGO, QR',
      exp: 'unknown field',
      status: 'unknown field',
    });
    const terms = await world.merchant<Problem>('POST', '/orders', {
      ...ORDER,
      amount: '1e3',
      returnUrl: 'https://evil.example/',
      methods: ['DIRECT'],
    });
    assert.deepEqual(
      terms.body.errors?.map(({ field }) => field),
      ['amount', 'returnUrl', 'customerReferenceNo'],
    );
  });
});

describe('GET /orders', () => {
  it('GET /orders lists all payments of an order, oldest first, with their history', async (t) => {
    const world = await createWorld(t);
    const token = world.token({ customer: '12345678' });
    await world.start(token, { method: 'CHECKOUT' });
    world.skip(1000);
    await world.start(token, { method: 'QR' });
    interface Body {
      payments: { gatewayOrderId: string; history: { event: string; source: string }[]; customer: string | null }[];
    }
    const { body } = await world.merchant<Body>('GET', '/orders/A-1');
    const { payments, ...order } = body;
    assert.deepEqual(order, { orderId: 'A-1', amount: '10.10', currency: 'EUR', paid: false });
    assert.deepEqual(
      payments.map(({ gatewayOrderId, customer, history }) => [
        gatewayOrderId,
        customer,
        history.map(({ event, source }) => `${event} by ${source}`),
      ]),
      [
        ['A-1', '12345678', ['created by shopper', 'sending by shopper', 'pending by answer', 'replaced by shopper']],
        ['A-1-2', null, ['created by shopper', 'sending by shopper', 'pending by answer']],
      ],
    );
  });

  it('GET /orders shows the entered amount of an open order', async (t) => {
    const world = await createWorld(t);
    await world.start(world.token({ amount: undefined, maxAmount: '50' }), { method: 'QR', amount: '12.3' });
    assert.equal((await world.merchant('GET', '/orders/A-1')).body['amount'], '12.30');
  });

  it('GET /orders is 404 for an order that was never started, and 400 for an invalid id', async (t) => {
    const world = await createWorld(t);
    assert.equal((await world.merchant('GET', '/orders/nothing')).status, 404);
    for (const id of ['a%20b', '%00', 'x'.repeat(65), '%D9%A1'])
      assert.equal((await world.merchant('GET', `/orders/${id}`)).status, 400, id);
  });
});

describe('POST /payouts', () => {
  it('POST /payouts answers 202 with the payout, which GET /payouts returns too', async (t) => {
    const world = await createWorld(t);
    const { status, body } = await world.merchant('POST', '/payouts', PAYOUT);
    assert.equal(status, 202);
    const { history, ...view } = body as { history: { event: string; source: string }[] };
    assert.deepEqual(view, {
      type: 'PAYOUT',
      orderId: 'P-1',
      gatewayOrderId: 'P-1',
      paymentId: '100001',
      amount: '50.00',
      currency: 'EUR',
      customer: '12345678',
      note: 'Thank you',
      status: 'PROCESSING',
      reason: null,
      needsReview: false,
      version: 4,
      createdAt: new Date(NOON).toISOString(),
      updatedAt: new Date(NOON).toISOString(),
    });
    assert.deepEqual(
      history.map(({ event, source }) => [event, source]),
      [
        ['created', 'merchant'],
        ['sending', 'merchant'],
        ['pending', 'answer'],
      ],
    );
    assert.deepEqual((await world.merchant('GET', '/payouts/P-1')).body, body);
    assert.equal((await world.merchant('GET', '/payouts/P-2')).status, 404);
    assert.equal((await world.merchant('GET', '/payouts/%00')).status, 400);
  });

  it('POST /payouts with the same body again returns the stored payout, and nothing is sent twice', async (t) => {
    const world = await createWorld(t);
    const answers = await Promise.all(Array.from({ length: 6 }, () => world.merchant('POST', '/payouts', PAYOUT)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([202]));
    await world.merchant('POST', '/payouts', { ...PAYOUT, amount: '50' });
    assert.equal((await world.gatewayHas('P-1'))?.createRequests, 1);
  });

  it('POST /payouts with another body under the same id is 409, and nothing is sent', async (t) => {
    const world = await createWorld(t);
    await world.merchant('POST', '/payouts', PAYOUT);
    for (const change of [
      { amount: 51 },
      { currency: 'USD' },
      { customer: '23456789' },
      { note: 'Other' },
      { note: undefined },
    ]) {
      const { status, body } = await world.merchant<Problem>('POST', '/payouts', { ...PAYOUT, ...change });
      assert.deepEqual([status, body.code, body.retryable], [409, 'order_id_taken', false], JSON.stringify(change));
    }
    assert.equal((await world.gatewayHas('P-1'))?.createRequests, 1);
  });

  it('POST /payouts under the id of a payment is 409', async (t) => {
    const world = await createWorld(t);
    await world.start(world.token({ orderId: 'P-1', amount: '50' }), { method: 'CHECKOUT', customer: '12345678' });
    assert.equal((await world.merchant('POST', '/payouts', PAYOUT)).status, 409);
    assert.equal((await world.merchant('GET', '/payouts/P-1')).status, 404, 'a payment is not a payout');
    assert.equal((await world.merchant('GET', '/orders/P-1')).status, 200);
  });

  it('POST /payouts needs a whole amount above 0, read from its source text and never as a float', async (t) => {
    const world = await createWorld(t);
    for (const amount of [
      '0',
      '-5',
      '5.5',
      '5.01',
      '1e3',
      '1E3',
      '1.0000000000000000001',
      '9007199254740993',
      '10000000000000',
      '"5.000"',
      '"1e3"',
      '"١٢"',
      '" 5"',
      '""',
      '"0"',
      'null',
      'true',
      '[5]',
      '{}',
    ]) {
      const body = JSON.stringify(PAYOUT).replace('50', amount);
      const refused = await world.merchant<Problem>('POST', '/payouts', body);
      assert.deepEqual([refused.status, refused.body.errors?.[0]?.field], [400, 'amount'], amount);
    }
    assert.equal(await world.gatewayHas('P-1'), undefined);
    for (const [orderId, amount, shown] of [
      ['P-2', '5', '5.00'],
      ['P-3', '"7"', '7.00'],
      ['P-5', '8.0', '8.00'],
      ['P-6', '"9.00"', '9.00'],
      ['P-4', '9999999999999', '9999999999999.00'],
    ] as const) {
      const body = JSON.stringify({ ...PAYOUT, orderId }).replace('50', amount);
      const { body: payout } = await world.merchant('POST', '/payouts', body);
      assert.equal(payout['amount'], shown);
      const again = JSON.stringify({ ...PAYOUT, orderId, amount: payout['amount'] });
      assert.deepEqual(
        await world.merchant('POST', '/payouts', again).then((answer) => answer.body),
        payout,
        'as told',
      );
    }
  });

  it('POST /payouts accepts decimals if the profile allows them', async (t) => {
    const world = await createWorld(t, { profile: { payoutDecimals: true } });
    await world.faults({ payout: { dropAnswer: true } });
    assert.equal((await world.merchant('POST', '/payouts', { ...PAYOUT, amount: '10.10' })).body['amount'], '10.10');
    for (const amount of ['10.101', '0.00', '1e1']) {
      const { body } = await world.merchant<Problem>('POST', '/payouts', { ...PAYOUT, orderId: 'P-2', amount });
      assert.deepEqual(body.errors, [
        { field: 'amount', detail: 'an amount above 0 of at most 13 digits and 2 decimals' },
      ]);
    }
  });

  it('POST /payouts names every invalid field and unknown key', async (t) => {
    const world = await createWorld(t);
    const wrong = { orderId: 'a b', amount: 5, currency: 'X', customer: '1', note: '', type: 'JETGO' };
    const { body } = await world.merchant<Problem>('POST', '/payouts', wrong);
    assert.deepEqual(body.errors?.map(({ field }) => field).toSorted(), [
      'currency',
      'customer',
      'note',
      'orderId',
      'type',
    ]);
    assert.equal((await world.merchant('POST', '/payouts', { ...PAYOUT, note: 'x'.repeat(201) })).status, 400);
    assert.equal((await world.merchant('POST', '/payouts', { ...PAYOUT, note: 'x'.repeat(200) })).status, 202);
  });
});

describe('GET /transactions', () => {
  interface List {
    transactions: { orderId: string; type: string; status: string; updatedAt: string }[];
    nextCursor: string | null;
  }
  const ids = ({ transactions }: List) => transactions.map(({ orderId }) => orderId);

  async function createTransactions(world: World): Promise<void> {
    for (const orderId of ['A-1', 'A-2', 'A-3']) {
      await world.start(world.token({ orderId }), { method: 'QR' });
      world.skip(1000);
    }
    await world.merchant('POST', '/payouts', PAYOUT);
    world.skip(1000);
    await world.customer('approve', 'A-1');
    await world.customer('decline', 'A-2');
    await world.settle();
  }

  it('GET /transactions lists payments and payouts, oldest change first', async (t) => {
    const world = await createWorld(t);
    await createTransactions(world);
    const { body } = await world.merchant<List>('GET', '/transactions');
    assert.deepEqual(ids(body).toSorted(), ['A-1', 'A-2', 'A-3', 'P-1']);
    assert.equal(ids(body)[0], 'A-3');
    const times = body.transactions.map(({ updatedAt }) => updatedAt);
    assert.deepEqual(times, times.toSorted());
    assert.equal(body.nextCursor, null);
  });

  it('GET /transactions pages through all transactions once, even if many changed in the same moment', async (t) => {
    const world = await createWorld(t);
    await createTransactions(world);
    for (const limit of [1, 2, 3, 4]) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const more: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const { body } = await world.merchant<List>('GET', `/transactions?limit=${limit}${more}`);
        assert.ok(body.transactions.length <= limit);
        seen.push(...ids(body));
        cursor = body.nextCursor;
      } while (cursor !== null);
      assert.deepEqual(seen.toSorted(), ['A-1', 'A-2', 'A-3', 'P-1'], String(limit));
    }
  });

  it('GET /transactions filters by time, status and type', async (t) => {
    const world = await createWorld(t);
    await createTransactions(world);
    const list = async (query: string) =>
      ids((await world.merchant<List>('GET', `/transactions?${query}`)).body).toSorted();
    assert.deepEqual(await list('status=SUCCESS'), ['A-1', 'P-1']);
    assert.deepEqual(await list('status=FAILED'), ['A-2']);
    assert.deepEqual(await list('status=PROCESSING&type=PAY'), ['A-3']);
    assert.deepEqual(await list('type=PAYOUT'), ['P-1']);
    assert.deepEqual(await list(`updatedSince=${new Date(NOON + 2000).toISOString()}`), ['A-1', 'A-2', 'A-3', 'P-1']);
    assert.deepEqual(await list(`updatedSince=${new Date(NOON + 2001).toISOString()}`), ['A-1', 'A-2', 'P-1']);
    assert.deepEqual(await list('updatedSince=2026-11-20T13:00:02.001%2B01:00'), ['A-1', 'A-2', 'P-1']);
  });

  it('GET /transactions refuses unknown parameters and values', async (t) => {
    const world = await createWorld(t);
    for (const query of [
      'since=2026-11-20',
      'status=PAID',
      'type=REFUND',
      'limit=0',
      'limit=201',
      'limit=x',
      'limit=1.5',
      'limit=',
      'updatedSince=yesterday',
      'updatedSince=2026-11-20',
      'cursor=x',
      'cursor=1',
      'cursor=1~%00',
      `cursor=1~${'x'.repeat(101)}`,
      'limit=1&limit=2',
      'a',
    ]) {
      assert.equal((await world.merchant('GET', `/transactions?${query}`)).status, 400, query);
    }
    for (const query of ['state=alive', 'limit=201', 'offset=1']) {
      assert.equal((await world.merchant('GET', `/webhooks?${query}`)).status, 400, query);
    }
    assert.equal((await world.merchant('GET', '/transactions?limit=200')).status, 200);
  });
});

describe('GET /webhooks', () => {
  it('GET /webhooks lists webhooks, newest first, up to the limit', async (t) => {
    const world = await createWorld(t);
    for (const orderId of ['A-1', 'A-2', 'A-3']) {
      await world.start(world.token({ orderId }), { method: 'QR' });
      await world.customer('decline', orderId);
      await world.settle();
      world.skip(1000);
    }
    interface List {
      webhooks: { orderId: string; type: string; nextAttemptAt: string }[];
    }
    const { body } = await world.merchant<List>('GET', '/webhooks?state=pending&limit=2');
    assert.deepEqual(
      body.webhooks.map(({ orderId, type }) => [orderId, type]),
      [
        ['A-3', 'payment.failed'],
        ['A-2', 'payment.failed'],
      ],
    );
    assert.equal(body.webhooks[0]?.nextAttemptAt, new Date(NOON + 2000).toISOString());
  });

  it('a webhook that does not exist cannot be sent again', async (t) => {
    const world = await createWorld(t);
    assert.equal((await world.merchant('POST', '/webhooks/msg_nothing/redeliver')).status, 404);
    assert.equal((await world.merchant('POST', '/webhooks/a%20b/redeliver')).status, 400);
  });
});

describe('the body of a merchant request', () => {
  it('a body must be declared as JSON, be valid, have known keys only, and take at most 16 KB', async (t) => {
    const world = await createWorld(t);
    const auth = { Authorization: `Bearer ${SECRETS.merchant}` };
    for (const path of ['/orders', '/payouts']) {
      for (const type of [
        undefined,
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/jsonp',
        'multipart/form-data',
      ]) {
        const response = await world.request('POST', path, {
          headers: { ...auth, ...(type && { 'Content-Type': type }) },
          body: JSON.stringify(PAYOUT),
        });
        assert.equal(response.status, 415, `${path} ${type}`);
      }
      for (const body of ['', '{', 'null', '[]', '"x"', '{"a":1,}', '\uFEFF{}']) {
        const { status } = await world.merchant<Problem>('POST', path, body);
        assert.equal(status, 400, `${path} ${body}`);
      }
      const large = await world.merchant<Problem>('POST', path, `{"a":"${'x'.repeat(16 * 1024)}"}`);
      assert.deepEqual([large.status, large.body.code], [413, 'payload_too_large']);
    }
    assert.deepEqual(world.rows('select * from transactions'), []);
  });

  it('a body may declare its character set', async (t) => {
    const world = await createWorld(t);
    for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON']) {
      const headers = { Authorization: `Bearer ${SECRETS.merchant}`, 'Content-Type': type };
      const response = await world.request('POST', '/orders', { headers, body: JSON.stringify(ORDER) });
      assert.equal(response.status, 201, type);
    }
  });
});

describe('POST /transactions/:gatewayOrderId/resolve', () => {
  const WORD = { status: 'SUCCESS', by: 'Mia', note: 'seen at the gateway’s desk' };

  /** A payment with a different reported amount. */
  async function disputed(t: TestContext): Promise<World> {
    const world = await createWorld(t);
    await world.start(world.token(), { method: 'QR' });
    await world.faults({ status: { tamper: { amount: 1 } } });
    world.skip(1);
    await world.customer('approve', 'A-1');
    await world.settle();
    return world;
  }

  it('a person resolves what needs review once, and the history has the name and the note', async (t) => {
    const world = await disputed(t);
    const { body: listed } = await world.merchant<{ transactions: { gatewayOrderId: string }[] }>(
      'GET',
      '/transactions?needsReview=true',
    );
    assert.deepEqual(
      listed.transactions.map(({ gatewayOrderId }) => gatewayOrderId),
      ['A-1'],
    );
    const { status, body } = await world.merchant('POST', '/transactions/A-1/resolve', WORD);
    const { history, ...payment } = body as { history: { event: string; source: string; detail: string }[] } & object;
    assert.equal(status, 200);
    assert.partialDeepStrictEqual(payment, { type: 'PAY', status: 'SUCCESS', reason: null, needsReview: false });
    const said = history.find(({ event }) => event === 'resolved');
    assert.deepEqual([said?.source, said?.detail], ['person', 'SUCCESS by Mia: seen at the gateway’s desk']);
    assert.equal((await world.view(world.token())).paid, true);
    const again = await world.merchant<Problem>('POST', '/transactions/A-1/resolve', WORD);
    assert.deepEqual([again.status, again.body.code], [409, 'no_review_needed']);
  });

  it('a resolution is 409 if no review is needed, 404 for an unknown id, and 400 if it is invalid', async (t) => {
    const world = await disputed(t);
    await world.start(world.token({ orderId: 'B-1' }), { method: 'QR' });
    assert.equal((await world.merchant('POST', '/transactions/B-1/resolve', WORD)).status, 409);
    assert.equal((await world.merchant('POST', '/transactions/C-1/resolve', WORD)).status, 404);
    for (const wrong of [
      { ...WORD, status: 'PROCESSING' },
      { ...WORD, by: '' },
      { ...WORD, note: 'two\nlines' },
      { ...WORD, amount: 5 },
      { status: 'SUCCESS' },
    ]) {
      const { status, body } = await world.merchant<Problem>('POST', '/transactions/A-1/resolve', wrong);
      assert.deepEqual([status, body.code], [400, 'invalid_request'], JSON.stringify(wrong));
    }
    assert.equal((await world.view(world.token())).paid, false);
  });
});

describe('GET /ipns', () => {
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
});
