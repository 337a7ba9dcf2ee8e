// Each method with each fault of the gateway's answer, and the courses an order can take: at every change, each
// sentence on the screen must be true at that moment, and there must be a working way to continue. The journeys run
// side by side to save waiting time. `LONG=1` runs every method with every fault; the short run picks the combinations
// that behave differently.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { METHODS, PURPOSES, type Method } from '../../backend-proxy/protocol/wire.ts';
import { en, enFlow } from '../english.ts';
import { fill } from '../../widget/shell/language.ts';
import { ADA, BRUNO, CHIYO } from './shopper.ts';
import type { Answer, Fault } from './truth/gateway-relay.ts';
import { ACTION_WITHIN_MS, type WatchedShopper } from './truth/watched-shopper.ts';
import { RelayedStack } from './truth/relayed-stack.ts';

const IS_LONG = process.env['LONG'] === '1';
/** Pages open at once. */
const PAGES = 12;
/** How long to watch after a faulty answer: status checks may still change the screen. */
const WATCHED_MS = 7_000;
/** The proxy stops waiting for the gateway after this time. */
const GIVEN_UP_MS = 30_000;
/** A page notices a cut connection after three tries. */
const CUT_MS = 10_000;
/** Forty seconds of silence, then a request that waits for five. */
const FROZEN_MS = 50_000;
/** The browser's own offline event needs no tries: well before the forty seconds of silence. */
const AT_ONCE_MS = 2_000;

/** Until a page that goes on saying that a refund is on its way is found. */
const FAILS_MS = 60_000;

/** Longer than any "unknown" was once believed after. */
const LAG_MS = 200_000;
/** The longest pause between two status checks of that time. */
const SWEEP_MS = 200_000;

const NO_SUCH_ORDER: Answer = {
  status: 404,
  type: 'application/json',
  body: '{"code":"UNKNOWN_ORDER","message":"no"}',
};
const HTML_403 = { status: 403, type: 'text/html', body: '<html><h1>403 Forbidden</h1></html>' };
const FAULTS = {
  'comes 3 s late': { lateMs: 3_000 },
  'comes 12 s late': { lateMs: 12_000 },
  'comes 40 s late': { lateMs: 40_000 },
  'is lost': { answer: 'cut' },
  'is cut in half': { answer: 'half' },
  'is garbage': { answer: { status: 200, type: 'text/html', body: '<!doctype html><title>It works!</title>' } },
  'is a 500 and no payment is made': {
    unsent: true,
    answer: { status: 500, type: 'application/json', body: '{"code":"OOPS"}' },
  },
  'is a 403 of an intermediary, before the request arrived': { unsent: true, answer: HTML_403 },
  'is a 403 of an intermediary, after the request arrived': { answer: HTML_403 },
} satisfies Record<string, Fault>;
type FaultName = keyof typeof FAULTS;

/** One answer that is late, one that is lost and one of somebody else for each method; together every fault but one. */
const SHORT: Record<Method, readonly FaultName[]> = {
  DIRECT: ['comes 12 s late', 'is lost', 'is a 403 of an intermediary, after the request arrived'],
  CHECKOUT: ['comes 12 s late', 'is a 500 and no payment is made', 'is garbage'],
  JETGO: ['comes 3 s late', 'is cut in half', 'is a 403 of an intermediary, before the request arrived'],
  QR: ['comes 12 s late', 'is lost', 'is a 403 of an intermediary, after the request arrived'],
};

/** What an order of the journeys costs. */
const ALL = { amount: '€29.00' };
const PART = { amount: '€4.00' };
const REST = { amount: '€25.00' };

const stack = await RelayedStack.open();
after(() => stack.close());

/** Reports both errors and false claims of a journey, and prints the timeline if it failed. */
function journey(walk: (shopper: WatchedShopper) => Promise<void>): () => Promise<void> {
  return async () => {
    const shopper = await stack.shopper();
    const troubles = await walk(shopper).then(
      () => [],
      (error: unknown) => [error instanceof Error ? error.message : String(error)],
    );
    const { falseClaims, timeline } = await shopper.review();
    await shopper.leave();
    const failures = [...troubles, ...falseClaims];
    if (failures.length > 0) console.error(`${failures.join('\n')}\n${timeline}\n`);
    assert.deepEqual(failures, []);
  };
}

/** Alternates, because the number of requests to one wallet is limited. */
const WALLETS = [ADA, BRUNO, CHIYO];
let walletsAsked = 0;

async function begin(shopper: WatchedShopper, method: Method, fault: Fault = {}): Promise<void> {
  stack.gatewayRelay.spoil(shopper.orderId, fault);
  await shopper.pay(method, method === 'DIRECT' ? WALLETS[walletsAsked++ % WALLETS.length] : undefined);
}

async function waitsByQr(shopper: WatchedShopper): Promise<void> {
  await begin(shopper, 'QR');
  await shopper.hasMeans('QR');
}

/** Starts QR, then JETGO in its place; returns the ids of both payments. */
async function switchesMethod(shopper: WatchedShopper): Promise<{ left: string; taken: string }> {
  await waitsByQr(shopper);
  await shopper.part('other').click();
  await shopper.sees('choosing');
  await shopper.pay('JETGO');
  await shopper.hasMeans('JETGO');
  const [left = '', taken = ''] = await shopper.open();
  return { left, taken };
}

async function paysUnder(shopper: WatchedShopper, method: Method, fault: Fault): Promise<void> {
  const { answer, lateMs = 0 } = fault;
  await begin(shopper, method, fault);
  if (answer === undefined && lateMs < GIVEN_UP_MS) {
    await shopper.hasMeans(method, lateMs + ACTION_WITHIN_MS);
    await shopper.paysTheLatest();
  } else {
    await shopper.page.waitForTimeout(Math.min(lateMs, GIVEN_UP_MS) + WATCHED_MS);
    await shopper.continues();
  }
  const { starts } = await stack.recordsOf(shopper.orderId);
  assert.ok(starts.length > 0, 'the start went through the gateway relay');
}

/** Each ends with the order paid, at once or after continuing, or closed. */
const JOURNEYS: Record<string, (shopper: WatchedShopper) => Promise<void>> = {
  async 'a payment declined in the wallet'(shopper) {
    await begin(shopper, 'DIRECT');
    await shopper.hasMeans('DIRECT');
    await shopper.settle(shopper.orderId, 'decline');
    await shopper.sees('failed');
    await shopper.continues();
  },
  async 'an expired checkout'(shopper) {
    await begin(shopper, 'CHECKOUT');
    await shopper.page.waitForURL(`${stack.processes.sandbox}/pay?token=*`);
    await shopper.page.goBack();
    await shopper.sees('waiting');
    await shopper.settle(shopper.orderId, 'expire');
    await shopper.sees('failed');
    await shopper.continues();
  },
  async 'an unknown wallet, sent to the checkout instead'(shopper) {
    await shopper.pay('DIRECT', '99999999');
    await shopper.hasMeans('CHECKOUT');
    await shopper.paysTheLatest();
  },
  async 'a success of another amount, until a person decides'(shopper) {
    const report = (real: Answer) => ({ ...real, body: real.body.replace(/"amount":[\d.]+/, '"amount":0.01') });
    await begin(shopper, 'QR', { report });
    await shopper.hasMeans('QR');
    await shopper.settle(shopper.orderId, 'approve');
    await shopper.reads(enFlow.checking, ACTION_WITHIN_MS);
    await shopper.page.reload();
    await shopper.reads(enFlow.checking, ACTION_WITHIN_MS);
    await shopper.page.waitForTimeout(WATCHED_MS);
    await stack.confirm(shopper.orderId);
    await shopper.sees('paid');
  },
  async 'a code of an order that the shop closes, paid all the same'(shopper) {
    await waitsByQr(shopper);
    await stack.closeOrder(shopper.orderId);
    await shopper.reads(enFlow.closed, ACTION_WITHIN_MS);
    await shopper.settle(shopper.orderId, 'approve');
    await shopper.page.waitForTimeout(WATCHED_MS);
    await stack.refund(shopper.orderId);
    await shopper.settle(`${shopper.orderId}-r1`, 'approve');
    await shopper.page.reload();
    await shopper.reads(enFlow.closed, ACTION_WITHIN_MS);
    await shopper.reads(fill(enFlow.refunded, ALL), ACTION_WITHIN_MS);
  },
  async 'a refund in part, and then of the rest'(shopper) {
    await waitsByQr(shopper);
    await shopper.settle(shopper.orderId, 'approve');
    await shopper.sees('paid');
    await stack.refund(shopper.orderId, '4');
    await shopper.page.reload();
    await shopper.reads(fill(enFlow.refunding, PART), ACTION_WITHIN_MS);
    await shopper.settle(`${shopper.orderId}-r1`, 'approve');
    await shopper.reads(fill(enFlow.refunded, PART), ACTION_WITHIN_MS);
    await stack.refund(shopper.orderId);
    await shopper.page.reload();
    await shopper.reads(fill(enFlow.refunding, REST), ACTION_WITHIN_MS);
    await shopper.settle(`${shopper.orderId}-r2`, 'approve');
    await shopper.reads(fill(enFlow.refunded, ALL), ACTION_WITHIN_MS);
  },
  async 'an order that the shop closes before a method is chosen'(shopper) {
    await stack.closeOrder(shopper.orderId);
    await shopper.reads(enFlow.closed, ACTION_WITHIN_MS);
  },
  ...Object.fromEntries(
    PURPOSES.map((purpose) => [
      `an order with the purpose ${purpose}, asked for by another method`,
      async (shopper: WatchedShopper) => {
        await stack.offer(shopper, purpose);
        const words = purpose === 'payment' ? en.pay : en[`pay_${purpose}`];
        await shopper.reads(fill(words, ALL), ACTION_WITHIN_MS);
        await switchesMethod(shopper);
        await shopper.paysTheLatest();
      },
    ]),
  ),
  async 'a payment refused by the gateway'(shopper) {
    const body = '{"code":"INVALID_REQUEST","message":"no","errors":[]}';
    await begin(shopper, 'QR', { unsent: true, answer: { status: 400, type: 'application/json', body } });
    await shopper.sees('failed');
    await shopper.continues();
  },
  async 'another method, and the first code paid later'(shopper) {
    const { left } = await switchesMethod(shopper);
    await shopper.settle(left, 'approve');
    await shopper.sees('paid');
  },
  async 'two methods, both paid'(shopper) {
    const { left, taken } = await switchesMethod(shopper);
    await shopper.settle(taken, 'approve');
    await shopper.sees('paid');
    await shopper.settle(left, 'approve');
    await shopper.reads(enFlow.surplus, ACTION_WITHIN_MS);
  },
  async 'a reload while the gateway has not answered'(shopper) {
    await begin(shopper, 'JETGO', { lateMs: 6_000 });
    await shopper.page.waitForTimeout(1_500);
    await shopper.page.reload();
    await shopper.hasMeans('JETGO');
    await shopper.paysTheLatest();
  },
  async 'a cut connection while the shopper waits'(shopper) {
    await waitsByQr(shopper);
    stack.browserRelay.set(shopper.orderId, 'cut');
    await shopper.reads(enFlow.lost, CUT_MS);
    stack.browserRelay.set(shopper.orderId, 'up');
    await shopper.paysTheLatest();
  },
  async 'a cut connection before the start arrives'(shopper) {
    stack.browserRelay.set(shopper.orderId, 'cut');
    await begin(shopper, 'QR');
    await shopper.reads(enFlow.slow, CUT_MS);
    stack.browserRelay.set(shopper.orderId, 'up');
    await shopper.hasMeans('QR');
    await shopper.paysTheLatest();
  },
  async 'an offline device, shown at once'(shopper) {
    await waitsByQr(shopper);
    stack.browserRelay.set(shopper.orderId, 'frozen');
    await shopper.page.context().setOffline(true);
    await shopper.reads(enFlow.lost, AT_ONCE_MS);
    await shopper.page.context().setOffline(false);
    stack.browserRelay.set(shopper.orderId, 'up');
    await shopper.paysTheLatest();
  },
  ...(IS_LONG && {
    async 'a refund that fails after it was accepted'(shopper) {
      await waitsByQr(shopper);
      await shopper.settle(shopper.orderId, 'approve');
      await shopper.sees('paid');
      await stack.refund(shopper.orderId);
      await shopper.page.reload();
      await shopper.reads(fill(enFlow.refunding, ALL), ACTION_WITHIN_MS);
      await shopper.settle(`${shopper.orderId}-r1`, 'decline');
      await shopper.page.waitForTimeout(FAILS_MS);
    },
    async 'a lost request, confirmed while the status check lags'(shopper) {
      const end = Date.now() + LAG_MS;
      const report = (real: Answer) => (Date.now() < end ? NO_SUCH_ORDER : real);
      await begin(shopper, 'DIRECT', { answer: 'cut', report });
      await shopper.reads(enFlow.lostRequest, ACTION_WITHIN_MS);
      await shopper.settle(shopper.orderId, 'approve');
      await shopper.page.waitForTimeout(LAG_MS);
      await shopper.becomesPaid(SWEEP_MS);
    },
    async 'a frozen connection while the shopper waits'(shopper) {
      await waitsByQr(shopper);
      stack.browserRelay.set(shopper.orderId, 'frozen');
      await shopper.reads(enFlow.lost, FROZEN_MS);
      stack.browserRelay.set(shopper.orderId, 'up');
      await shopper.paysTheLatest();
    },
  }),
};

describe('the screen in every course of a payment', { concurrency: PAGES }, () => {
  it('a false claim planted on the real page for one moment is found', async () => {
    const shopper = await stack.shopper();
    await shopper.page.locator('payment-widget').evaluate(async (widget, text) => {
      const planted = widget as HTMLElement & { messages: object; updateComplete: Promise<unknown> };
      planted.messages = { choose: text };
      await planted.updateComplete;
      planted.messages = {};
    }, enFlow.direct_help);
    const falseClaims = (await shopper.review()).falseClaims.join('\n');
    assert.match(falseClaims, /Open the app and approve the request.* claims requestAtWallet$/m);
    assert.doesNotMatch(falseClaims, /no sentence/);
    await shopper.leave();
  });

  for (const method of METHODS) {
    for (const name of IS_LONG ? (Object.keys(FAULTS) as FaultName[]) : SHORT[method])
      it(
        `${method}, and the gateway’s answer ${name}: the screen stays true, and the shopper has a way on`,
        journey((shopper) => paysUnder(shopper, method, FAULTS[name])),
      );
  }
  for (const [name, walk] of Object.entries(JOURNEYS))
    it(`${name}: the screen stays true, and the shopper has a way on`, journey(walk));
});
