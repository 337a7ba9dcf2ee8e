// Each method under each fault of the gateway's answer, and the ways an order can go: no sentence on the screen that is not true
// at that moment, at every change; and always a way on that works. The journeys run side by side, so that they wait together.
// `LONG=1` runs every method under every fault; the short form those in which something else happens than in the others.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { METHODS, type Method } from '../../backend-proxy/protocol/wire.ts';
import { enFlow } from '../../widget/locales/en-flow.ts';
import { ADA, BRUNO } from './shopper.ts';
import type { Fault } from './truth/box.ts';
import { WAY_WITHIN_MS, type WatchedShopper } from './truth/shopper.ts';
import { Stage } from './truth/stage.ts';

const IS_LONG = process.env['LONG'] === '1';
/** Open at once. */
const PAGES = 12;
/** A spoilt answer is watched for so long: what the status checks find meanwhile changes the screen. */
const WATCHED_MS = 7_000;
/** So long the proxy waits for the gateway. */
const GIVEN_UP_MS = 30_000;
/** Three tries of a page whose line is cut. */
const CUT_MS = 10_000;
/** Forty seconds of silence, and a question that waits for five. */
const FROZEN_MS = 50_000;
/** What a browser says of itself needs no tries. */
const AT_ONCE_MS = 2_000;

const HTML_403 = { status: 403, type: 'text/html', body: '<html><h1>403 Forbidden</h1></html>' };
const FAULTS = {
  'comes 3 s late': { lateMs: 3_000 },
  'comes 12 s late': { lateMs: 12_000 },
  'comes 40 s late': { lateMs: 40_000 },
  'is lost': { answer: 'cut' },
  'is cut in half': { answer: 'half' },
  'is garbage': { answer: { status: 200, type: 'text/html', body: '<!doctype html><title>It works!</title>' } },
  'is a 500 that did nothing': {
    unsent: true,
    answer: { status: 500, type: 'application/json', body: '{"code":"OOPS"}' },
  },
  'is a 403 of some box before it': { unsent: true, answer: HTML_403 },
  'is a 403 of some box behind it': { answer: HTML_403 },
} satisfies Record<string, Fault>;
type FaultName = keyof typeof FAULTS;

const SHORT: Record<Method, readonly FaultName[]> = {
  DIRECT: ['comes 12 s late', 'is lost', 'is a 500 that did nothing', 'is a 403 of some box behind it'],
  CHECKOUT: ['comes 3 s late', 'comes 12 s late', 'is garbage', 'is a 500 that did nothing'],
  JETGO: ['comes 3 s late', 'is cut in half', 'is a 403 of some box before it'],
  QR: ['comes 3 s late', 'comes 12 s late', 'is lost', 'is garbage', 'is a 403 of some box behind it'],
};

const stage = await Stage.open();
after(() => stage.close());

/** Both that it went wrong and what was untrue on the way there are told. */
function journey(walk: (shopper: WatchedShopper) => Promise<void>): () => Promise<void> {
  return async () => {
    const shopper = await stage.shopper();
    const troubles = await walk(shopper).then(
      () => [],
      (error: unknown) => [error instanceof Error ? error.message : String(error)],
    );
    const lies = await shopper.lies();
    await shopper.leave();
    assert.deepEqual([...troubles, ...lies], []);
  };
}

/** By turns: one wallet may only be asked so often. */
const WALLETS = [ADA, BRUNO];
let walletsAsked = 0;

async function begin(shopper: WatchedShopper, method: Method, fault: Fault = {}): Promise<void> {
  stage.box.spoil(shopper.orderId, fault);
  await shopper.pay(method, method === 'DIRECT' ? WALLETS[walletsAsked++ % WALLETS.length] : undefined);
}

async function waitsByQr(shopper: WatchedShopper): Promise<void> {
  await begin(shopper, 'QR');
  await shopper.hasMeans('QR');
}

/** QR, then JETGO in its place; the ids of both payments. */
async function takesAnother(shopper: WatchedShopper): Promise<{ left: string; taken: string }> {
  await waitsByQr(shopper);
  await shopper.part('other').click();
  await shopper.sees('choosing');
  await shopper.pay('JETGO');
  await shopper.hasMeans('JETGO');
  const [left = '', taken = ''] = await shopper.open();
  return { left, taken };
}

async function meets(shopper: WatchedShopper, method: Method, fault: Fault): Promise<void> {
  const { answer, lateMs = 0 } = fault;
  await begin(shopper, method, fault);
  if (answer === undefined && lateMs < GIVEN_UP_MS) {
    await shopper.hasMeans(method, lateMs + WAY_WITHIN_MS);
    await shopper.paysTheLatest();
  } else {
    await shopper.page.waitForTimeout(Math.min(lateMs, GIVEN_UP_MS) + WATCHED_MS);
    await shopper.goesOn();
  }
  const { starts } = await stage.memoryOf(shopper.orderId);
  assert.ok(starts.length > 0, 'the start went through the box');
}

/** Each ends where the order is paid, at once or after going on. */
const WAYS_IT_GOES: Record<string, (shopper: WatchedShopper) => Promise<void>> = {
  async 'declined in the wallet'(shopper) {
    await begin(shopper, 'DIRECT');
    await shopper.hasMeans('DIRECT');
    await shopper.settle(shopper.orderId, 'decline');
    await shopper.sees('failed');
    await shopper.goesOn();
  },
  async 'the checkout’s time ran out'(shopper) {
    await begin(shopper, 'CHECKOUT');
    await shopper.page.waitForURL(`${stage.stack.sandbox}/pay?token=*`);
    await shopper.page.goBack();
    await shopper.sees('waiting');
    await shopper.settle(shopper.orderId, 'expire');
    await shopper.sees('failed');
    await shopper.goesOn();
  },
  async 'a wallet that cannot be asked, and is led to the checkout'(shopper) {
    await shopper.pay('DIRECT', '99999999');
    await shopper.hasMeans('CHECKOUT');
    await shopper.paysTheLatest();
  },
  async 'refused by the gateway'(shopper) {
    const body = '{"code":"INVALID_REQUEST","message":"no","errors":[]}';
    await begin(shopper, 'QR', { unsent: true, answer: { status: 400, type: 'application/json', body } });
    await shopper.sees('failed');
    await shopper.goesOn();
  },
  async 'another method is taken, and the code left behind is paid late'(shopper) {
    const { left } = await takesAnother(shopper);
    await shopper.settle(left, 'approve');
    await shopper.sees('paid');
  },
  async 'both codes are paid'(shopper) {
    const { left, taken } = await takesAnother(shopper);
    await shopper.settle(taken, 'approve');
    await shopper.sees('paid');
    await shopper.settle(left, 'approve');
    await shopper.reads(enFlow.surplus, WAY_WITHIN_MS);
  },
  async 'the page is loaded anew while the answer is awaited'(shopper) {
    await begin(shopper, 'JETGO', { lateMs: 6_000 });
    await shopper.page.waitForTimeout(1_500);
    await shopper.page.reload();
    await shopper.hasMeans('JETGO');
    await shopper.paysTheLatest();
  },
  async 'the line is cut while the shopper waits'(shopper) {
    await waitsByQr(shopper);
    stage.line.set(shopper.orderId, 'cut');
    await shopper.reads(enFlow.lost, CUT_MS);
    stage.line.set(shopper.orderId, 'up');
    await shopper.paysTheLatest();
  },
  async 'the line is cut before the start arrives'(shopper) {
    stage.line.set(shopper.orderId, 'cut');
    await begin(shopper, 'QR');
    await shopper.reads(enFlow.slow, CUT_MS);
    stage.line.set(shopper.orderId, 'up');
    await shopper.hasMeans('QR');
    await shopper.paysTheLatest();
  },
  async 'the device is offline, which is said at once'(shopper) {
    await waitsByQr(shopper);
    stage.line.set(shopper.orderId, 'frozen');
    await shopper.page.context().setOffline(true);
    await shopper.reads(enFlow.lost, AT_ONCE_MS);
    await shopper.page.context().setOffline(false);
    stage.line.set(shopper.orderId, 'up');
    await shopper.paysTheLatest();
  },
  ...(IS_LONG && {
    async 'the line freezes while the shopper waits'(shopper) {
      await waitsByQr(shopper);
      stage.line.set(shopper.orderId, 'frozen');
      await shopper.reads(enFlow.lost, FROZEN_MS);
      stage.line.set(shopper.orderId, 'up');
      await shopper.paysTheLatest();
    },
  }),
};

describe('every sentence on the screen is true at each moment, and there is a way on', { concurrency: PAGES }, () => {
  it('a lie that is planted on the real page for one moment is found', async () => {
    const shopper = await stage.shopper();
    await shopper.page.locator('payment-widget').evaluate(async (widget, lie) => {
      const planted = widget as HTMLElement & { messages: object; updateComplete: Promise<unknown> };
      planted.messages = { choose: lie };
      await planted.updateComplete;
      planted.messages = {};
    }, enFlow.direct_help);
    const lies = (await shopper.lies()).join('\n');
    assert.match(lies, /A request is waiting in your wallet.* claims requestAtWallet$/m);
    assert.doesNotMatch(lies, /no sentence/);
    await shopper.leave();
  });

  for (const method of METHODS) {
    for (const name of IS_LONG ? (Object.keys(FAULTS) as FaultName[]) : SHORT[method])
      it(
        `${method}: the gateway’s answer ${name}`,
        journey((shopper) => meets(shopper, method, FAULTS[name])),
      );
  }
  for (const [name, walk] of Object.entries(WAYS_IT_GOES)) it(name, journey(walk));
});
