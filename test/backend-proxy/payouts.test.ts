// Payouts: each is sent at most once, is FAILED only after two checks that agree, and needs review after a day.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { DEFAULT_PROFILE } from '../../backend-proxy/gateway/profile.ts';
import type { Gateway, PayoutOrder } from '../../backend-proxy/gateway/gateway.ts';
import { unavailable } from '../../backend-proxy/errors.ts';
import { createPayments } from '../../backend-proxy/use-cases/payments.ts';
import { createPayouts } from '../../backend-proxy/use-cases/outgoing.ts';
import type { Ledger } from '../../backend-proxy/ledger/ledger.ts';
import type { OrderTerms } from '../../backend-proxy/orders/order-token.ts';
import { createRecorder } from '../../backend-proxy/use-cases/sending.ts';
import { NO_SUCH_ORDER, SECRETS, createWorld, type World } from './world.ts';
import type { MerchantPayout } from '../../backend-proxy/protocol/merchant-view.ts';
import type { Problem } from '../../backend-proxy/protocol/wire.ts';
import { H, M, NOON, S } from './time.ts';
import { until } from './until.ts';
import { inWords } from './in-words.ts';

const AT_GATEWAY = { transactionId: 'P-1', amountMinor: 5000, currency: 'EUR', customer: '12345678', note: null };
const PAYOUT = { orderId: 'P-1', amount: 50, currency: 'EUR', customer: '12345678' };

/** A process with the prefix "shop-" was there before. */
const withEarlierPrefix = (ledger: Ledger): Ledger => ({
  ...ledger,
  payoutIds: (orderId) => Promise.resolve([orderId, `shop-${orderId}`]),
});

const send = (world: World) => world.merchant<MerchantPayout>('POST', '/payouts', PAYOUT);
const payout = async (world: World) => (await world.merchant<MerchantPayout>('GET', '/payouts/P-1')).body;
const creates = async (world: World) => (await world.gatewayHas('P-1'))?.createRequests;

it('a stop waits for what is written and not yet sent, although the database does not say how old it is', async (t) => {
  const world = await createWorld(t);
  const bounds = { amountMinor: 1010, minMinor: 1010, maxMinor: 1010 };
  const returnUrl = 'https://shop.example/';
  const terms: OrderTerms = { orderId: 'A-1', currency: 'EUR', methods: ['DIRECT'], returnUrl, exp: 0, ...bounds };
  for (const type of ['PAY', 'PAYOUT'] as const) {
    const [asked, age] = [Promise.withResolvers<void>(), Promise.withResolvers<number>()];
    const time = () => {
      asked.resolve();
      return age.promise;
    };
    const ledger: Ledger = { ...world.ledger, time };
    const sent = { kind: 'lost', detail: 'timeout' } as const;
    const calls: Partial<Gateway> = { pay: async () => sent, payout: async () => sent, causeOf: () => null };
    const gateway = calls as Gateway;
    const recorder = createRecorder({ ledger, onError: assert.ifError });
    const ports = { gateway, ledger, recorder, self: 'host:1', isPathProven: async () => true };
    const request = { method: 'DIRECT', customer: '12345678' } as const;
    const started =
      type === 'PAY'
        ? createPayments(ports).start(terms, request, 'key-1')
        : createPayouts(ports).start({ ...PAYOUT, amount: '50' });
    await asked.promise;
    const drained = recorder.drain(30_000);
    age.resolve(world.now());
    await drained;
    const [stored] = (await world.ledger.transactions({ limit: 9 })).transactions.filter((each) => each.type === type);
    assert.deepEqual([stored?.type, stored?.answer], [type, 'lost']);
    await started;
  }
});

it('a payout with a lost answer stays uncertain, is never sent again, and ends as the gateway reports', async (t) => {
  for (const fault of [
    { dropAnswer: true },
    { halfAnswer: true },
    { garbage: true },
    { tamper: { orderId: 'B' } },
  ] as const) {
    const world = await createWorld(t, { webhooks: true });
    await world.faults({ payout: fault, ipn: { never: true }, status: { status: 503 } });
    assert.equal((await send(world)).body.status, 'INITIALIZED');
    for (let n = 0; n < 3; n += 1) assert.equal((await send(world)).body.status, 'INITIALIZED');
    await world.pass(H);
    assert.equal((await payout(world)).status, 'INITIALIZED');
    assert.deepEqual(world.webhooks(), []);
    await world.faults({});
    await world.pass(3 * H);
    assert.deepEqual(
      [(await payout(world)).status, world.webhooks(), await creates(world)],
      ['SUCCESS', ['payout.succeeded'], 1],
    );
  }
});

for (const [what, sent, isMade, ends] of [
  ['is refused', { kind: 'refused', detail: 'HTTP 400 X' }, false, 'FAILED NOT_CREATED'],
  ['does not reach the gateway', { kind: 'unreached', detail: 'ECONNREFUSED' }, false, 'FAILED NOT_CREATED'],
  [
    'is answered by a firewall, after the gateway took it',
    { kind: 'foreign', detail: 'HTTP 403' },
    true,
    'SUCCESS null',
  ],
] as const) {
  it(`a payout that ${what} is open until checks agree, and its history has the code at once`, async (t) => {
    const payOut = async (gateway: Gateway, asked: PayoutOrder) => {
      if (isMade) await gateway.payout(asked);
      return sent;
    };
    const world = await createWorld(t, {
      webhooks: true,
      profile: { noSuchOrder: NO_SUCH_ORDER },
      wrapGateway: (gateway) => ({ ...gateway, payout: (asked) => payOut(gateway, asked) }),
    });
    const { body } = await send(world);
    assert.deepEqual([body.status, body.history.at(-1)?.detail, world.webhooks()], ['INITIALIZED', sent.detail, []]);
    await world.pass(240 * S);
    assert.deepEqual(inWords([await payout(world)], 'status', 'reason'), [ends]);
    assert.deepEqual(world.webhooks(), [isMade ? 'payout.succeeded' : 'payout.failed']);
  });
}

it('a payout that was never created is FAILED after two checks that agree, and only then may be sent again', async (t) => {
  const world = await createWorld(t, { webhooks: true, profile: { noSuchOrder: NO_SUCH_ORDER } });
  await world.faults({ payout: { status: 500 } });
  await send(world);
  await world.passTo(NOON + 24 * H - 1);
  assert.deepEqual(
    [(await payout(world)).status, world.webhooks()],
    ['INITIALIZED', []],
    'the answer may only be delayed',
  );
  await world.pass(1);
  await world.pass(61 * S);
  const { status, reason } = await payout(world);
  assert.deepEqual([status, reason, world.webhooks()], ['FAILED', 'NOT_CREATED', ['payout.failed']]);
  await world.faults({});
  assert.equal((await send(world)).body.status, 'FAILED', 'the same body never sends again');
  assert.equal(await creates(world), undefined);
});

it('a payout is not failed if one check reported FAILED and the next did not', async (t) => {
  const world = await createWorld(t, { webhooks: true });
  await world.faults({ payout: { hold: true } });
  await send(world);
  await world.faults({ status: { tamper: { status: 'FAILED' } }, times: 1 });
  await world.pass(44 * S);
  assert.deepEqual([(await payout(world)).status, world.webhooks()], ['PROCESSING', []]);
  await world.faults({ status: { tamper: { status: 'FAILED' } }, times: 1 });
  await world.pass(2 * H);
  assert.deepEqual([(await payout(world)).status, world.webhooks()], ['PROCESSING', []], 'the count starts again');
  await world.faults({});
  await world.settleAfter('approve', 'P-1');
  assert.deepEqual(world.webhooks(), ['payout.succeeded']);
});

it('after a restore a payout is sent only if the gateway surely does not have it', async (t) => {
  let wire: Gateway | undefined;
  const world = await createWorld(t, { wrapGateway: (gateway) => (wire = gateway) });
  const pay = (orderId: string) => world.merchant<MerchantPayout>('POST', '/payouts', { ...PAYOUT, orderId });
  const requests = async (id: string) => (await world.gatewayHas(id))?.createRequests;
  await world.ledger.recordRestore(world.now());
  const unproven = (await pay('P-unproven')).body;
  assert.deepEqual(
    [unproven.status, unproven.needsReview, await requests('P-unproven')],
    ['INITIALIZED', true, undefined],
  );
  await wire?.payout(AT_GATEWAY);
  const known = (await send(world)).body;
  assert.deepEqual(
    [known.status, known.needsReview, await creates(world)],
    ['INITIALIZED', false, 1],
    'the payout is adopted and not sent again',
  );
  await world.pass(15 * S);
  assert.equal((await payout(world)).status, 'SUCCESS', 'checks settle the payout');
  await world.pass(10 * M);
  assert.equal((await pay('P-new')).body.status, 'PROCESSING', 'another payout was found, which proves "unknown"');
  await world.faults({ status: { only: 'P-silent', status: 503 } });
  const silent = (await pay('P-silent')).body;
  assert.deepEqual([silent.status, silent.needsReview, await requests('P-silent')], ['INITIALIZED', true, undefined]);
  world.skip(7 * 24 * H);
  assert.equal((await pay('P-later')).body.status, 'PROCESSING', 'after a week it is not asked about any more');
});

for (const [what, { status, lags, isMade = true }] of Object.entries({
  answers: {},
  'answers 503 for an hour': { status: { status: { status: 503 } } },
  'lags an hour': { lags: true },
  'never hears of it': { isMade: false },
} as Record<string, { status?: object; lags?: boolean; isMade?: boolean }>)) {
  it(`a payout of which a restored database has only the first commit ends as the gateway says: the status check ${what}, and no IPN comes`, async (t) => {
    let isLost = false;
    let isLagging = false;
    const world = await createWorld(t, {
      webhooks: true,
      profile: { noSuchOrder: NO_SUCH_ORDER },
      wrapLedger: (ledger) => ({
        ...ledger,
        record: (...given) => (isLost ? Promise.reject(new Error('lost')) : ledger.record(...given)),
      }),
      wrapGateway: (gateway) => ({
        ...gateway,
        payout: async (asked) => (isMade ? gateway.payout(asked) : { kind: 'lost', detail: 'reset' }),
        status: async (...asked) => (isLagging ? { kind: 'unknown', isNoSuchOrder: true } : gateway.status!(...asked)),
      }),
    });
    isLost = true;
    await world.faults({ ipn: { never: true } });
    const headers = { Authorization: `Bearer ${SECRETS.merchant}`, 'Content-Type': 'application/json' };
    await world.request('POST', '/payouts', { headers, body: JSON.stringify(PAYOUT) });
    await world.ledger.recordRestore(world.now());
    isLost = false;
    isLagging = lags === true;
    await world.faults({ ipn: { never: true }, ...status });
    await world.pass(H - 1);
    assert.deepEqual(
      [(await payout(world)).status, world.webhooks()],
      lags || status || !isMade ? ['INITIALIZED', []] : ['SUCCESS', ['payout.succeeded']],
    );
    isLagging = false;
    await world.faults({ ipn: { never: true } });
    await world.pass(25 * H);
    const { reason, needsReview } = await payout(world);
    const ends = isMade ? [null, ['payout.succeeded']] : ['NOT_CREATED', ['payout.failed']];
    assert.deepEqual([reason, world.webhooks(), needsReview], [...ends, false]);
    assert.equal((await send(world)).body.reason, reason, 'the same is not sent again');
    assert.equal(await creates(world), isMade ? 1 : undefined);
  });
}

for (const [what, hold] of Object.entries({
  'by the wall clock': (world: World) => world.skip(21 * S),
  'by the monotonic clock': (_world: World, { mock }: TestContext) => {
    const sleptUntil = performance.now() + 21 * S;
    mock.method(performance, 'now', () => sleptUntil);
  },
  "by the database's clock": (world: World) => (world.ledger.time = async () => world.now() + 21 * S),
})) {
  it(`a payout or payment whose permission is older than 20 s ${what} is not sent`, async (t) => {
    const paused = async <T>(opening: Promise<T>): Promise<T> => {
      const opened = await opening;
      hold(world, t);
      return opened;
    };
    const world: World = await createWorld(t, {
      profile: { noSuchOrder: NO_SUCH_ORDER },
      wrapLedger: (ledger) => ({
        ...ledger,
        openPayout: (...given) => paused(ledger.openPayout(...given)),
        openPayment: (...given) => paused(ledger.openPayment(...given)),
      }),
    });
    assert.equal((await send(world)).body.status, 'INITIALIZED');
    const token = world.token({ customerReferenceNo: 'c-1' });
    const prompt = { method: 'DIRECT', customer: '12345678' };
    assert.equal((await world.start(token, prompt)).body.payment?.reason, 'NOT_CREATED');
    await world.pass(5 * M);
    assert.equal((await payout(world)).reason, 'NOT_CREATED', 'two checks agree');
    assert.deepEqual([await creates(world), await world.gatewayHas('A-1')], [undefined, undefined]);
  });
}

it('a start whose commit stayed unknown and shows later is known not to be sent', async (t) => {
  const unknown = async <T>(opening: Promise<T>): Promise<T> => {
    await opening;
    throw unavailable(new Error('no answer'), true);
  };
  const world = await createWorld(t, {
    profile: { noSuchOrder: NO_SUCH_ORDER },
    wrapLedger: (ledger) => ({
      ...ledger,
      openPayout: (...given) => unknown(ledger.openPayout(...given)),
      openPayment: (...given) => unknown(ledger.openPayment(...given)),
    }),
  });
  assert.equal((await world.merchant('POST', '/payouts', PAYOUT)).status, 503);
  assert.equal((await world.refused(world.token(), { method: 'QR' })).body.code, 'unavailable');
  await until(async () => (await world.view(world.token())).payment?.reason === 'NOT_CREATED');
  await until(async () => (await payout(world)).history.some(({ event }) => event === 'uncertain'));
  await world.pass(5 * M);
  assert.equal((await payout(world)).reason, 'NOT_CREATED', 'after minutes, not after a day');
  assert.deepEqual([await creates(world), await world.gatewayHas('A-1')], [undefined, undefined]);
});

it('after a restore a payout that the gateway has under an earlier prefix is not sent and needs review', async (t) => {
  let wire: Gateway | undefined;
  const world = await createWorld(t, {
    wrapGateway: (gateway) => (wire = gateway),
    wrapLedger: withEarlierPrefix,
  });
  await wire?.payout({ ...AT_GATEWAY, transactionId: 'shop-P-1' });
  await world.ledger.recordRestore(world.now());
  const { needsReview, status } = (await send(world)).body;
  assert.deepEqual([needsReview, status, await world.gatewayHas('P-1')], [true, 'INITIALIZED', undefined]);
  const details = (await payout(world)).history.map(({ detail }) => detail);
  assert.ok(
    details.includes('the database was restored, and the gateway has it already, as shop-P-1'),
    String(details),
  );
});

it('a person who reviews a payout after a restore learns each id that the gateway may have it under', async (t) => {
  const world = await createWorld(t, { wrapLedger: withEarlierPrefix });
  await world.ledger.recordRestore(world.now());
  assert.equal((await send(world)).body.needsReview, true);
  const details = (await payout(world)).history.map(({ detail }) => detail ?? '');
  assert.ok(
    details.some((detail) =>
      detail.endsWith('it could not be proven that the gateway does not have it; look there for P-1 and shop-P-1'),
    ),
    String(details),
  );
});

it('a payout that is lost with the primary while it is asked for again is looked up, not sent twice', async (t) => {
  let wire: Gateway | undefined;
  let failOver: (() => Promise<void>) | undefined;
  const world: World = await createWorld(t, {
    wrapGateway: (gateway) => (wire = gateway),
    wrapLedger: (ledger) => ({
      ...ledger,
      async openPayout(...given) {
        await failOver?.();
        return ledger.openPayout(...given);
      },
    }),
  });
  await wire?.payout(AT_GATEWAY);
  failOver = async () => {
    failOver = undefined;
    await world.ledger.recordRestore(world.now());
  };
  assert.equal((await send(world)).body.status, 'INITIALIZED');
  assert.equal(await creates(world), 1, 'at the gateway');
  await world.pass(M);
  assert.equal((await payout(world)).status, 'SUCCESS', 'adopted');
});

it('after a restore one look-up without an answer, under any prefix, withholds the payout', async (t) => {
  let wire: Gateway | undefined;
  const world = await createWorld(t, {
    wrapGateway: (gateway) => (wire = gateway),
    wrapLedger: withEarlierPrefix,
  });
  await world.merchant('POST', '/payouts', { ...PAYOUT, orderId: 'P-0' });
  await world.pass(M);
  await wire?.payout({ ...AT_GATEWAY, transactionId: 'shop-P-1' });
  await world.ledger.recordRestore(world.now());
  await world.pass(2 * H);
  await world.faults({ status: { only: 'shop-P-1', status: 503 } });
  const { needsReview, status } = (await send(world)).body;
  assert.deepEqual([needsReview, status, await creates(world)], [true, 'INITIALIZED', undefined]);
});

it('without a status check, a payout whose answer was lost waits for its IPN before a person is asked', async (t) => {
  const world = await createWorld(t, { profile: { paths: { ...DEFAULT_PROFILE.paths, status: null } } });
  await world.faults({ payout: { dropAnswer: true } });
  assert.equal((await send(world)).body.needsReview, false);
  await world.settleAfter('approve', 'P-1');
  assert.equal((await payout(world)).status, 'SUCCESS');
});

for (const [words, waitS, options] of [
  ['for ten minutes after a restore no payout is sent that the gateway does not know', 600, {}],
  ['for an hour, if the prefix was changed', 3_600, { wrapLedger: withEarlierPrefix }],
] as const)
  it(`${words}: a status check may lag`, async (t) => {
    const world = await createWorld(t, { profile: { noSuchOrder: NO_SUCH_ORDER }, ...options });
    await world.merchant('POST', '/payouts', { ...PAYOUT, orderId: 'P-0' });
    await world.pass(15 * S);
    await world.ledger.recordRestore(world.now());
    const refused = await world.merchant<Problem>('POST', '/payouts', PAYOUT);
    const { status, body, headers } = refused;
    assert.deepEqual([status, body.retryable, headers.get('retry-after')], [503, true, String(waitS)]);
    assert.deepEqual([(await payout(world)).orderId, await creates(world)], [undefined, undefined]);
    await world.pass(waitS * S);
    assert.deepEqual([(await send(world)).status, await creates(world)], [202, 1]);
  });

it('after a restore a payout that differs at the gateway is not sent and needs review', async (t) => {
  let wire: Gateway | undefined;
  const world = await createWorld(t, { webhooks: true, wrapGateway: (gateway) => (wire = gateway) });
  await wire?.payout({ ...AT_GATEWAY, amountMinor: 7000 });
  await world.ledger.recordRestore(world.now());
  assert.equal((await send(world)).body.needsReview, true);
  await world.pass(H);
  assert.deepEqual([(await payout(world)).status, await creates(world)], ['INITIALIZED', 1]);
  const review = 'payout.needs_review';
  assert.deepEqual(world.webhooks(), [review, 'payout.mismatch', review], 'the review says what it has learned');
});
