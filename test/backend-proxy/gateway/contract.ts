// The contract of the gateway port: what each adapter must do, whatever the gateway's wire looks like. It uses only the
// port, and an adapter brings a gateway that answers as a test says. The exact bytes of the requests, and the many
// forms that an answer can have, belong to the adapter's own tests.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Gateway } from '../../../backend-proxy/gateway/gateway.ts';
import { BREAKS, COLLECTION, PAYOUT, statusOf, type Adapter, type Offer, type Reported } from './gateway-kit.ts';

const CHECKOUT_URL = 'https://checkout.example/pay?token=t';
const CODE = 'https://wallet.example/q';
const OFFER: Offer = { transactionId: 'A-1', paymentId: '111328', method: 'CHECKOUT', checkoutUrl: CHECKOUT_URL };
const QR_OFFER: Offer = { transactionId: 'A-1', paymentId: 'b3f1', method: 'QR', qr: CODE };
const REPORT = {
  transactionId: 'A-1',
  type: 'PAY',
  paymentId: '111328',
  customer: '12345678',
  amount: '500.10',
  currency: 'EUR',
} as const satisfies Reported;
const NOTHING_SAID = { paymentId: null, customer: null, amount: null, currency: null };

/** Every call, with the kind that it has if its outcome is not known. */
const CALLS = [
  { call: (gateway: Gateway) => gateway.pay(COLLECTION), lost: 'lost', unreached: 'unreached' },
  { call: (gateway: Gateway) => gateway.payout(PAYOUT), lost: 'lost', unreached: 'unreached' },
  { call: (gateway: Gateway) => statusOf(gateway), lost: 'unavailable', unreached: 'unavailable' },
] as const;
const SENDING = CALLS.slice(0, 2).map(({ call }) => call);

export function gatewayContract({ name, open }: Adapter): void {
  describe(`the gateway port: ${name}`, () => {
    payContract(open);
    payoutContract(open);
    refusalContract(open);
    lostContract(open);
    statusContract(open);
    ipnContract(open);
  });
}

type Open = Adapter['open'];

function payContract(open: Open): void {
  it('a payment arrives once, with its id, exact amount, currency and method', async (t) => {
    const { gateway, says, arrived } = await open(t);
    says.accepted(OFFER);
    await gateway.pay(COLLECTION);
    const payment = { operation: 'pay', transactionId: 'A-1', amount: '10.10', currency: 'EUR', method: 'CHECKOUT' };
    assert.deepEqual(arrived(), [payment]);
  });

  it('a payment is accepted with what its method promises, also if it is another than requested', async (t) => {
    const { gateway, says } = await open(t);
    const nothing = { checkoutUrl: null, qr: null, appUrl: null };
    const appUrl = 'jetgo://pay?reference=1';
    for (const [offer, means] of [
      [OFFER, { checkoutUrl: CHECKOUT_URL }],
      [
        { ...QR_OFFER, appUrl },
        { qr: CODE, appUrl },
      ],
      [{ ...QR_OFFER, method: 'JETGO' }, { qr: CODE }],
      [{ transactionId: 'A-1', paymentId: '1', method: 'DIRECT' }, {}],
      [{ ...OFFER, paymentId: null }, { checkoutUrl: CHECKOUT_URL }],
    ] as const satisfies [Offer, object][]) {
      says.accepted(offer);
      const { paymentId, method } = offer;
      const answer = { ...nothing, paymentId, method, ...means };
      assert.deepEqual(await gateway.pay(COLLECTION), { kind: 'accepted', answer });
    }
  });

  it('a payment keeps every digit of its payment id', async (t) => {
    const { gateway, says } = await open(t);
    says.accepted({ ...OFFER, paymentId: '9007199254740993' });
    const sent = await gateway.pay(COLLECTION);
    assert.equal(sent.kind === 'accepted' && sent.answer.paymentId, '9007199254740993');
  });

  it('a payment is lost if the answer is about another, or lacks what its method promises', async (t) => {
    const { gateway, says, arrived } = await open(t);
    const { checkoutUrl: _url, ...noLink } = OFFER;
    const { qr: _qr, ...noCode } = QR_OFFER;
    const { method: _method, ...noMethod } = OFFER;
    const unsafe = ['http://evil.example/pay', 'javascript:alert(1)', '/pay'];
    const wrong: Offer[] = [
      { ...OFFER, transactionId: 'A-2' },
      noLink,
      noCode,
      noMethod,
      { ...QR_OFFER, qr: '\0\0\0' },
      ...unsafe.map((checkoutUrl) => ({ ...OFFER, checkoutUrl })),
    ];
    for (const offer of wrong) {
      says.accepted(offer);
      assert.equal((await gateway.pay(COLLECTION)).kind, 'lost', JSON.stringify(offer));
    }
    assert.equal(arrived().length, wrong.length);
  });

  it('an unsafe link to the wallet app is dropped, because the code alone is enough', async (t) => {
    const { gateway, says } = await open(t);
    for (const appUrl of ['javascript:alert(1)', 'http://evil.example/']) {
      says.accepted({ ...QR_OFFER, appUrl });
      const sent = await gateway.pay(COLLECTION);
      assert.ok(sent.kind === 'accepted');
      assert.deepEqual([sent.answer.qr, sent.answer.appUrl], [CODE, null]);
    }
  });

  it('a checkout URL is accepted only on an allowed host', async (t) => {
    for (const [checkoutHosts, kind] of [
      [['pay.example'], 'lost'],
      [['pay.example', 'checkout.example'], 'accepted'],
    ] as const) {
      const { gateway, says } = await open(t, { checkoutHosts: [...checkoutHosts] });
      says.accepted(OFFER);
      assert.equal((await gateway.pay(COLLECTION)).kind, kind);
    }
  });
}

function payoutContract(open: Open): void {
  it('a payout arrives once, with its id, amount and currency, and is accepted with its payment id', async (t) => {
    const { gateway, says, arrived } = await open(t);
    says.accepted({ transactionId: 'P-1', paymentId: '111328' });
    assert.deepEqual(await gateway.payout(PAYOUT), { kind: 'accepted', answer: { paymentId: '111328' } });
    assert.deepEqual(arrived(), [{ operation: 'payout', transactionId: 'P-1', amount: '50', currency: 'EUR' }]);
  });

  it('a payout is lost if the answer is about another', async (t) => {
    const { gateway, says } = await open(t);
    says.accepted({ transactionId: 'P-2', paymentId: '111328' });
    assert.equal((await gateway.payout(PAYOUT)).kind, 'lost');
  });
}

function refusalContract(open: Open): void {
  it('the refusal of the gateway, a duplicate and the refusal of another program are distinguished', async (t) => {
    const { gateway, says, arrived } = await open(t);
    for (const [script, kind, detail] of [
      [() => says.refused('WALLET_NOT_FOUND'), 'refused', / WALLET_NOT_FOUND$/],
      [says.duplicate, 'duplicate', /./],
      [says.foreign, 'foreign', /./],
    ] as const) {
      script();
      for (const send of SENDING) {
        const sent = await send(gateway);
        assert.equal(sent.kind, kind);
        assert.match('detail' in sent ? sent.detail : '', detail);
      }
    }
    assert.equal(arrived().length, 3 * SENDING.length, 'each was sent once');
  });
}

function lostContract(open: Open): void {
  it('a redirect, and an answer that is not as documented, leave the outcome open and are not followed', async (t) => {
    const { gateway, says, arrived } = await open(t);
    for (const script of [says.redirect, says.garbage]) {
      script();
      for (const { call, lost } of CALLS) assert.equal((await call(gateway)).kind, lost);
    }
    assert.equal(arrived().length, 2 * CALLS.length);
  });

  it('a failing gateway leaves the outcome open, and the wait that a status check is asked for is kept, up to a minute', async (t) => {
    const { gateway, says } = await open(t);
    for (const [asked, kept] of [
      [undefined, undefined],
      [30_000, 30_000],
      [86_400_000, 60_000],
    ] as const) {
      says.failing(asked);
      for (const { call, lost } of CALLS) {
        const answer = await call(gateway);
        assert.equal(answer.kind, lost);
        if (answer.kind === 'unavailable') assert.equal(answer.retryAfterMs, kept);
      }
    }
  });

  // The others end by themselves: on a busy machine a short limit could end a call before it arrives.
  const ENDED_BY_TIME = new Set<(typeof BREAKS)[number]>(['silence', 'drip']);
  for (const because of BREAKS) {
    it(`an answer that is cut, halved, missing, too slow or too long leaves the outcome open: ${because}`, async (t) => {
      const { gateway, says, arrived } = await open(t, ENDED_BY_TIME.has(because) ? { timeoutMs: 1000 } : {});
      says.nothing(because);
      const calls = CALLS.map(async ({ call, lost }) => assert.equal((await call(gateway)).kind, lost));
      await Promise.all(calls);
      assert.equal(arrived().length, CALLS.length, 'each was sent once');
    });
  }

  it('a call is unreached only if no connection was made: not if an open one breaks', async (t) => {
    const { gateway, says, stop } = await open(t);
    says.foreign();
    for (const { call } of CALLS) await call(gateway);
    says.nothing('cut');
    for (const { call, lost } of CALLS) assert.equal((await call(gateway)).kind, lost);
    await stop();
    for (const { call, unreached } of CALLS) assert.equal((await call(gateway)).kind, unreached);
  });

  it('after close() a call sends nothing, and is still answered', async (t) => {
    const { gateway, arrived } = await open(t);
    await gateway.close();
    for (const { call, lost } of CALLS) assert.equal((await call(gateway)).kind, lost);
    assert.deepEqual(arrived(), []);
  });
}

function statusContract(open: Open): void {
  it('a status check asks by id and type', async (t) => {
    const { gateway, says, arrived } = await open(t);
    says.reported({ ...REPORT, outcome: 'succeeded' });
    await statusOf(gateway, 'A-1', 'PAY');
    await statusOf(gateway, 'P-1', 'PAYOUT');
    assert.deepEqual(arrived(), [
      { operation: 'status', transactionId: 'A-1', type: 'PAY' },
      { operation: 'status', transactionId: 'P-1', type: 'PAYOUT' },
    ]);
  });

  it('a status check reads each report, with amounts as written; an unlisted status is pending', async (t) => {
    const { gateway, says } = await open(t);
    for (const type of ['PAY', 'PAYOUT'] as const) {
      for (const outcome of ['pending', 'succeeded', 'failed', 'unlisted'] as const) {
        says.reported({ ...REPORT, type, outcome });
        const read = outcome === 'unlisted' ? 'pending' : outcome;
        const report = { ...REPORT, type, outcome: read };
        assert.deepEqual(await statusOf(gateway), { kind: 'found', report });
      }
    }
  });

  it('a status check needs only the id and the type in a report', async (t) => {
    const { gateway, says } = await open(t);
    says.reported({ transactionId: 'A-1', type: 'PAYOUT' });
    const report = { transactionId: 'A-1', type: 'PAYOUT', ...NOTHING_SAID, outcome: 'pending' };
    assert.deepEqual(await statusOf(gateway), { kind: 'found', report });
  });

  it('a status check is unavailable if the report is about another', async (t) => {
    const { gateway, says } = await open(t);
    says.reported({ ...REPORT, transactionId: 'A-2' });
    assert.equal((await statusOf(gateway)).kind, 'unavailable');
  });

  it('a status check is unknown only by an answer of the gateway, which may say that there is no such order', async (t) => {
    const { gateway, says } = await open(t);
    for (const isNoSuchOrder of [false, true]) {
      says.unknown(isNoSuchOrder);
      assert.deepEqual(await statusOf(gateway), { kind: 'unknown', isNoSuchOrder });
    }
    says.foreign();
    assert.equal((await statusOf(gateway)).kind, 'unavailable');
  });

  it('without a status check the gateway has no status()', async (t) => {
    const { gateway } = await open(t, { isWeaker: true });
    assert.equal(Object.hasOwn(gateway, 'status'), false);
  });
}

function ipnContract(open: Open): void {
  it('an IPN is read like a report; its outcome may be missing', async (t) => {
    const { gateway, ipn } = await open(t);
    for (const outcome of ['pending', 'succeeded', 'failed'] as const) {
      const reading = { ...REPORT, outcome };
      assert.deepEqual(gateway.readIpn(ipn(reading)), { kind: 'read', reading });
    }
    const bare = { transactionId: 'A-1', type: 'PAY' } as const;
    const reading = { ...bare, ...NOTHING_SAID, outcome: null };
    assert.deepEqual(gateway.readIpn(ipn(bare)), { kind: 'read', reading });
  });

  it('a body that is not an IPN is unreadable', async (t) => {
    const { gateway, ipn } = await open(t);
    for (const text of ['', 'x', ipn(REPORT).slice(0, -5)]) {
      assert.deepEqual(gateway.readIpn(text), { kind: 'unreadable' }, text);
    }
  });
}
