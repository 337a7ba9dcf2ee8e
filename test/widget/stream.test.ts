import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import type { OrderView } from '../../backend-proxy/protocol/wire.ts';
import { Stream } from '../../widget/flow/stream.ts';
import { createProxyClient } from '../../widget/flow/proxy-client.ts';
import { Clock, settle } from './clock.ts';
import { FakeProxy, paymentOf, problemOf } from '../../widget/testing/fake-proxy.ts';

const streams: Stream[] = [];
afterEach(() => streams.splice(0).forEach((stream) => stream.stop()));

interface Settings {
  view?: Partial<OrderView>;
  /** By how much the browser's clock is wrong. */
  offMs?: () => number;
  /** By default the proxy's. */
  fetch?: typeof globalThis.fetch;
}

function scene({ view = {}, offMs = () => 0, fetch }: Settings = {}) {
  const clock = new Clock();
  const proxy = new FakeProxy({}, view, clock.now);
  const page = new EventTarget();
  const views: OrderView[] = [];
  const disconnections: boolean[] = [];
  const refused: string[] = [];
  const stream = new Stream({
    client: createProxyClient('https://pay.test/', proxy.token, fetch ?? proxy.fetch),
    onView: (each) => views.push(each),
    onDisconnected: (each) => disconnections.push(each),
    onRefused: ({ problem }) => refused.push(problem.code),
    wait: clock.wait,
    now: () => clock.now() + offMs(),
    // The middle of the random range, so that pauses have their nominal length.
    random: () => 0.5,
    page,
  });
  streams.push(stream);
  const paths = () => proxy.seen.map(({ path }) => path);
  const count = (path: string) => paths().filter((each) => each === path).length;
  return { clock, proxy, page, views, disconnections, refused, stream, count };
}

/** A stream that has been open for this time. */
async function started(ms: number, settings?: Settings) {
  const begun = scene(settings);
  begun.stream.start();
  await begun.clock.advance(ms);
  return begun;
}

/** The order is paid, and the proxy ended its stream ten minutes ago. */
async function over() {
  const begun = await started(0);
  begun.proxy.settle({ status: 'SUCCESS' });
  begun.proxy.endStreams();
  await begun.clock.advance(600_000);
  return begun;
}

const pageshow = (persisted: boolean) => Object.assign(new Event('pageshow'), { persisted });
const versions = (views: OrderView[]) => views.map(({ version }) => version);

describe('the stream', () => {
  it('the stream sends the current view at once, then each change', async () => {
    const { clock, proxy, views, count } = await started(0);
    proxy.publish({ payment: paymentOf('QR') });
    proxy.publish({ payment: paymentOf('QR', { status: 'INITIALIZED' }) });
    await clock.advance(0);
    assert.deepEqual(versions(views), [0, 1, 2]);
    assert.equal(count('/order/events'), 1);
  });

  it('the stream stays open while heartbeats arrive', async () => {
    const { clock, proxy, stream, count } = scene();
    stream.start();
    for (let i = 0; i < 20; i++) {
      await clock.advance(15_000);
      proxy.heartbeat();
    }
    assert.equal(count('/order/events'), 1);
  });

  it('the stream opens again after 40 s of silence', async () => {
    const { clock, proxy, stream, count } = scene();
    stream.start();
    await clock.advance(40_000);
    assert.equal(count('/order/events'), 1);
    await clock.advance(10_000);
    assert.equal(count('/order/events'), 2);
    assert.equal(proxy.streamCount, 1, 'the dead stream was closed');
  });

  it('the stream reports a lost connection within 45 s of silence, by one short request', async () => {
    const { clock, proxy, disconnections, count } = await started(1_000);
    proxy.isSilent = true;
    await clock.advance(38_000);
    assert.equal(count('/order'), 0);
    await clock.advance(6_000);
    assert.deepEqual([disconnections.at(-1), count('/order'), count('/order/events')], [true, 1, 1]);
    proxy.isSilent = false;
    await clock.advance(30_000);
    assert.deepEqual([disconnections.at(-1), proxy.streamCount], [false, 1], 'it recovers by itself');
  });

  it('the stream reports nothing if only the stream is silent, because the short request brings a view', async () => {
    const { clock, proxy, disconnections, views, count } = await started(1_000);
    proxy.view = { ...proxy.view, version: 1, payment: paymentOf('QR') };
    await clock.advance(41_000);
    assert.deepEqual([views.at(-1)?.version, disconnections.includes(true)], [1, false]);
    assert.deepEqual([count('/order'), count('/order/events')], [1, 2]);
  });

  it('the stream reports at once that the browser is offline, and opens again as soon as it is online', async () => {
    const { clock, proxy, page, disconnections, count } = await started(1_000);
    proxy.isSilent = true;
    page.dispatchEvent(new Event('offline'));
    assert.equal(disconnections.at(-1), true);
    await clock.advance(10_000);
    proxy.isSilent = false;
    page.dispatchEvent(new Event('online'));
    await clock.advance(0);
    assert.deepEqual([disconnections.at(-1), count('/order/events')], [false, 2]);
  });

  it('the stream opens again soon after the machine slept', async () => {
    const { clock, count } = await started(1_000);
    clock.sleep(3_600_000);
    await clock.advance(6_000);
    assert.equal(count('/order/events'), 2);
  });

  it('the stream opens again after silence even if the clock was set back by an hour', async () => {
    let offMs = 0;
    const { clock, count } = await started(1_000, { offMs: () => offMs });
    offMs = -3_600_000;
    await clock.advance(60_000);
    assert.ok(count('/order/events') >= 2);
  });

  it('the stream opens again after the server closed it and after it broke, without reporting a lost connection', async () => {
    const { clock, proxy, views, disconnections } = await started(0);
    proxy.endStreams();
    await clock.advance(1_000);
    proxy.breakStreams();
    await clock.advance(1_000);
    proxy.publish({});
    await clock.advance(0);
    assert.deepEqual(versions(views), [0, 0, 0, 1]);
    assert.ok(!disconnections.includes(true));
  });

  it('the stream waits longer the more often it fails', async () => {
    const { clock, proxy, stream } = scene();
    proxy.isDown = true;
    stream.start();
    await clock.advance(60_000);
    assert.ok(proxy.seen.length > 6 && proxy.seen.length < 15, `${proxy.seen.length} requests in a minute`);
  });

  it('the stream reports a lost connection after three failures, and the first success at once', async () => {
    const { clock, proxy, disconnections } = await started(0);
    proxy.isDown = true;
    proxy.breakStreams();
    await clock.advance(900);
    assert.ok(!disconnections.includes(true));
    await clock.advance(5_000);
    assert.equal(disconnections.at(-1), true);
    proxy.isDown = false;
    await clock.advance(10_000);
    assert.equal(disconnections.at(-1), false);
  });

  it('the stream polls every 2 s, then every 10 s, if it cannot be opened, and stops polling once it can', async () => {
    const { clock, proxy, stream, views, count, disconnections } = scene();
    proxy.streamProblem = problemOf('too_many_streams', { status: 503, retryable: true });
    stream.start();
    await clock.advance(9_000);
    const early = count('/order');
    assert.ok(early >= 3 && early <= 5, `${early} polls in 9 s`);
    await clock.advance(60_000);
    const late = count('/order') - early;
    assert.ok(late >= 4 && late <= 8, `${late} polls in the next minute`);
    proxy.publish({ payment: paymentOf('QR') });
    await clock.advance(20_000);
    assert.equal(views.at(-1)?.version, 1, 'a poll brings the view');
    assert.ok(!disconnections.includes(true), 'polling works, so the connection is not lost');
    proxy.streamProblem = undefined;
    await clock.advance(120_000);
    assert.equal(proxy.streamCount, 1);
  });

  it('the stream opens again when the page is online, visible or back from the back-forward cache', async () => {
    const { clock, proxy, page, count } = await started(0);
    for (const event of [new Event('online'), new Event('visibilitychange'), pageshow(true)]) {
      const before = count('/order/events');
      page.dispatchEvent(event);
      await clock.advance(0);
      assert.equal(count('/order/events'), before + 1, event.type);
      assert.equal(proxy.streamCount, 1);
    }
    page.dispatchEvent(pageshow(false));
    await clock.advance(0);
    assert.equal(count('/order/events'), 4, 'the first show of a page is no return from the cache');
  });

  it('the stream closes while the page is in the back-forward cache', async () => {
    const { clock, proxy, page, count } = await started(0);
    page.dispatchEvent(new Event('pagehide'));
    await clock.advance(3_600_000);
    assert.deepEqual([proxy.streamCount, count('/order/events')], [0, 1]);
    page.dispatchEvent(pageshow(true));
    await clock.advance(0);
    assert.equal(proxy.streamCount, 1);
  });

  it('the stream ends by itself once the order is paid and the server closes it', async () => {
    const { count } = await over();
    assert.equal(count('/order/events'), 1);
  });

  it('the stream of a paid order opens again when the page is looked at, and brings a refund', async () => {
    const { clock, proxy, page, views, count } = await over();
    proxy.publish({ refunds: [{ status: 'SUCCESS', amount: '10.10' }] });
    assert.deepEqual(views.at(-1)?.refunds, []);
    page.dispatchEvent(new Event('visibilitychange'));
    await clock.advance(0);
    assert.equal(views.at(-1)?.refunds.length, 1);
    proxy.endStreams();
    await clock.advance(600_000);
    assert.equal(count('/order/events'), 2);
  });

  it('the stream of a paid order reports neither a lost connection nor a token that has expired', async () => {
    const { clock, proxy, page, disconnections, refused } = await over();
    page.dispatchEvent(new Event('offline'));
    proxy.streamProblem = problemOf('token_expired', { status: 401 });
    page.dispatchEvent(new Event('online'));
    await clock.advance(600_000);
    assert.deepEqual([refused, disconnections.includes(true)], [[], false]);
  });

  it('the stream of an order that was paid twice stays open until money is sent back', async () => {
    const payment = paymentOf('QR', { status: 'SUCCESS' });
    const { clock, proxy, views, count } = await started(0, { view: { payment, paid: true, surplus: true } });
    proxy.endStreams();
    await clock.advance(60_000);
    assert.ok(count('/order/events') > 1);
    proxy.publish({ refunds: [{ status: 'SUCCESS', amount: '4.10' }], refundInDoubtAmount: '6.00' });
    proxy.endStreams();
    await clock.advance(60_000);
    assert.equal(views.at(-1)?.refundInDoubtAmount, '6.00');
    proxy.publish({ refunds: [{ status: 'SUCCESS', amount: '10.10' }], refundInDoubtAmount: null });
    await clock.advance(10_000);
    assert.equal(views.at(-1)?.refunds[0]?.amount, '10.10');
    const before = count('/order/events');
    proxy.endStreams();
    await clock.advance(600_000);
    assert.equal(count('/order/events'), before);
  });

  it('the stream stays open after a failed payment, with long pauses, to see a late success', async () => {
    const payment = paymentOf('QR', { status: 'FAILED', reason: 'EXPIRED' });
    const { clock, proxy, views, count } = await started(0, { view: { payment } });
    for (let i = 0; i < 6; i++) {
      proxy.endStreams();
      await clock.advance(10_000);
    }
    assert.ok(count('/order/events') <= 8, `${count('/order/events')} in a minute`);
    proxy.settle({ status: 'SUCCESS', late: true });
    await clock.advance(10_000);
    assert.equal(views.at(-1)?.paid, true);
  });

  it('the stream ends when the proxy refuses the token, and reports it once', async () => {
    for (const [code, status] of [
      ['token_expired', 401],
      ['forbidden_origin', 403],
    ] as const) {
      const { clock, proxy, stream, refused, count } = scene();
      proxy.streamProblem = problemOf(code, { status });
      stream.start();
      await clock.advance(600_000);
      assert.deepEqual([refused, count('/order/events')], [[code], 1]);
    }
  });

  it('the stream sends no view after it was stopped, not even one that was on its way', async () => {
    const { clock, proxy, page, stream, views, count } = scene();
    stream.start();
    stream.stop();
    await settle();
    proxy.publish({});
    page.dispatchEvent(new Event('online'));
    await clock.advance(600_000);
    assert.deepEqual(views, []);
    assert.ok(count('/order/events') <= 1);
    assert.equal(proxy.streamCount, 0);
  });

  it('the stream opens once however often it is started', async () => {
    const { clock, proxy, stream } = scene();
    stream.start();
    stream.start();
    await clock.advance(0);
    assert.equal(proxy.streamCount, 1);
    stream.stop();
    stream.start();
    await clock.advance(0);
    assert.equal(proxy.streamCount, 1);
  });

  it('the stream does not accept the page of a captive portal', async () => {
    const portal = async () => new Response('<html></html>');
    const { views, disconnections, refused } = await started(10_000, { fetch: portal });
    assert.deepEqual([views, disconnections.at(-1), refused], [[], true, []]);
  });
});
