import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OrderView } from '../../backend-proxy/protocol/wire.ts';
import { Stream } from '../../widget/flow/stream.ts';
import { createProxyClient } from '../../widget/flow/proxy-client.ts';
import { Clock, settle } from './clock.ts';
import { FakeProxy, paymentOf, problemOf } from './fake-proxy.ts';

function scene(view: Partial<OrderView> = {}, now?: () => number) {
  const clock = new Clock();
  const proxy = new FakeProxy({}, view, clock.now);
  const page = new EventTarget();
  const views: OrderView[] = [];
  const lost: boolean[] = [];
  const refused: string[] = [];
  const stream = new Stream({
    client: createProxyClient('https://pay.test/', proxy.token, proxy.fetch),
    onView: (each) => views.push(each),
    onDisconnected: (each) => lost.push(each),
    onRefused: ({ problem }) => refused.push(problem.code),
    wait: clock.wait,
    now: now ?? clock.now,
    // In the middle of the jitter: pauses are as long as they are called.
    random: () => 0.5,
    page,
  });
  const paths = () => proxy.seen.map(({ path }) => path);
  const count = (path: string) => paths().filter((each) => each === path).length;
  return { clock, proxy, page, views, lost, refused, stream, count };
}

const pageshow = (persisted: boolean) => Object.assign(new Event('pageshow'), { persisted });
const versions = (views: OrderView[]) => views.map(({ version }) => version);

describe('the stream', () => {
  it('gives the whole truth at once, then each change as it is committed', async () => {
    const { clock, proxy, stream, views, count } = scene();
    stream.start();
    await clock.advance(0);
    proxy.publish({ payment: paymentOf('QR') });
    proxy.publish({ payment: paymentOf('QR', { status: 'INITIALIZED' }) });
    await clock.advance(0);
    assert.deepEqual(versions(views), [0, 1, 2]);
    assert.equal(count('/order/events'), 1);
    stream.stop();
  });

  it('stays open as long as there are signs of life', async () => {
    const { clock, proxy, stream, count } = scene();
    stream.start();
    for (let i = 0; i < 20; i++) {
      await clock.advance(15_000);
      proxy.heartbeat();
    }
    assert.equal(count('/order/events'), 1);
    stream.stop();
  });

  it('takes 40 s of silence for a dead line and opens anew', async () => {
    const { clock, proxy, stream, count } = scene();
    stream.start();
    await clock.advance(40_000);
    assert.equal(count('/order/events'), 1);
    await clock.advance(10_000);
    assert.equal(count('/order/events'), 2);
    assert.equal(proxy.streamCount, 1, 'the dead one was let go');
    stream.stop();
  });

  it('says by 45 s of silence that the line is dead, by one quick question', async () => {
    const { clock, proxy, stream, lost, count } = scene();
    stream.start();
    await clock.advance(1_000);
    proxy.isSilent = true;
    await clock.advance(38_000);
    assert.equal(count('/order'), 0);
    await clock.advance(6_500);
    assert.deepEqual([lost.at(-1), count('/order'), count('/order/events')], [true, 1, 1]);
    proxy.isSilent = false;
    await clock.advance(30_000);
    assert.deepEqual([lost.at(-1), proxy.streamCount], [false, 1], 'and comes back by itself');
    stream.stop();
  });

  it('says nothing where only the stream is silent: the quick question shows what is true', async () => {
    const { clock, proxy, stream, lost, views, count } = scene();
    stream.start();
    await clock.advance(1_000);
    proxy.view = { ...proxy.view, version: 1, payment: paymentOf('QR') };
    await clock.advance(41_000);
    assert.deepEqual([views.at(-1)?.version, lost.includes(true)], [1, false]);
    assert.deepEqual([count('/order'), count('/order/events')], [1, 2]);
    stream.stop();
  });

  it('says at once that the page is offline, and opens anew at once when it is online', async () => {
    const { clock, proxy, page, stream, lost, count } = scene();
    stream.start();
    await clock.advance(1_000);
    proxy.isSilent = true;
    page.dispatchEvent(new Event('offline'));
    assert.equal(lost.at(-1), true);
    await clock.advance(10_000);
    proxy.isSilent = false;
    page.dispatchEvent(new Event('online'));
    await clock.advance(0);
    assert.deepEqual([lost.at(-1), count('/order/events')], [false, 2]);
    stream.stop();
  });

  it('takes a sign of life for the line, where the browser was wrong to call it offline', async () => {
    const { clock, proxy, page, stream, lost } = scene();
    stream.start();
    await clock.advance(1_000);
    page.dispatchEvent(new Event('offline'));
    proxy.heartbeat();
    await clock.advance(0);
    assert.equal(lost.at(-1), false);
    stream.stop();
  });

  it('notices soon after a sleep that the line is dead', async () => {
    const { clock, stream, count } = scene();
    stream.start();
    await clock.advance(1_000);
    clock.sleep(3_600_000);
    await clock.advance(6_000);
    assert.equal(count('/order/events'), 2);
    stream.stop();
  });

  it('notices a dead line though the clock was set back by an hour', async () => {
    let offMs = 0;
    const { clock, stream, count } = scene({}, () => clock.now() + offMs);
    stream.start();
    await clock.advance(1_000);
    offMs = -3_600_000;
    await clock.advance(60_000);
    assert.ok(count('/order/events') >= 2);
    stream.stop();
  });

  it('comes back after the server ended it, and after it broke', async () => {
    const { clock, proxy, stream, views, lost } = scene();
    stream.start();
    await clock.advance(0);
    proxy.endStreams();
    await clock.advance(1_000);
    proxy.breakStreams();
    await clock.advance(1_000);
    proxy.publish({});
    await clock.advance(0);
    assert.deepEqual(versions(views), [0, 0, 0, 1]);
    assert.ok(!lost.includes(true), 'a short break is not worth a word');
    stream.stop();
  });

  it('waits longer the longer it fails, and spreads', async () => {
    const { clock, proxy, stream } = scene();
    proxy.isDown = true;
    stream.start();
    await clock.advance(60_000);
    assert.ok(proxy.seen.length > 6 && proxy.seen.length < 15, `${proxy.seen.length} requests in a minute`);
    stream.stop();
  });

  it('says that it is lost after three failures, and that it is back at once', async () => {
    const { clock, proxy, stream, lost } = scene();
    stream.start();
    await clock.advance(0);
    proxy.isDown = true;
    proxy.breakStreams();
    await clock.advance(900);
    assert.ok(!lost.includes(true));
    await clock.advance(5_000);
    assert.equal(lost.at(-1), true);
    proxy.isDown = false;
    await clock.advance(10_000);
    assert.equal(lost.at(-1), false);
    stream.stop();
  });

  it('polls every 2, then 10 s where no stream can be had, and takes the stream again once it can', async () => {
    const { clock, proxy, stream, views, count, lost } = scene();
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
    assert.equal(views.at(-1)?.version, 1, 'a poll shows it');
    assert.ok(!lost.includes(true), 'polls get through: nothing is lost');
    proxy.streamProblem = undefined;
    await clock.advance(120_000);
    assert.equal(proxy.streamCount, 1);
    stream.stop();
  });

  it('opens anew when the page comes back: online, visible, from the back-forward cache', async () => {
    const { clock, proxy, page, stream, count } = scene();
    stream.start();
    await clock.advance(0);
    for (const event of [new Event('online'), new Event('visibilitychange'), pageshow(true)]) {
      const before = count('/order/events');
      page.dispatchEvent(event);
      await clock.advance(0);
      assert.equal(count('/order/events'), before + 1, event.type);
      assert.equal(proxy.streamCount, 1);
    }
    page.dispatchEvent(pageshow(false));
    await clock.advance(0);
    assert.equal(count('/order/events'), 4, 'the first show of a page is no return');
    stream.stop();
  });

  it('does not wait out a pause when the page comes back', async () => {
    const { clock, proxy, page, stream, views } = scene();
    proxy.isDown = true;
    stream.start();
    await clock.advance(30_000);
    proxy.isDown = false;
    page.dispatchEvent(new Event('online'));
    await clock.advance(0);
    assert.equal(views.length, 1);
    stream.stop();
  });

  it('lets go of the line while the page is put away, so that it can be kept whole', async () => {
    const { clock, proxy, page, stream, count } = scene();
    stream.start();
    await clock.advance(0);
    page.dispatchEvent(new Event('pagehide'));
    await clock.advance(3_600_000);
    assert.deepEqual([proxy.streamCount, count('/order/events')], [0, 1]);
    page.dispatchEvent(pageshow(true));
    await clock.advance(0);
    assert.equal(proxy.streamCount, 1);
    stream.stop();
  });

  it('ends by itself once the order is paid', async () => {
    const { clock, proxy, stream, count } = scene();
    stream.start();
    await clock.advance(0);
    proxy.settle({ status: 'SUCCESS' });
    proxy.endStreams();
    await clock.advance(600_000);
    assert.equal(count('/order/events'), 1);
  });

  it('goes on after a failed payment, unhurried: a late success must still be seen', async () => {
    const payment = paymentOf('QR', { status: 'FAILED', reason: 'EXPIRED' });
    const { clock, proxy, stream, views, count } = scene({ payment });
    stream.start();
    await clock.advance(0);
    for (let i = 0; i < 6; i++) {
      proxy.endStreams();
      await clock.advance(10_000);
    }
    assert.ok(count('/order/events') <= 8, `${count('/order/events')} in a minute`);
    proxy.settle({ status: 'SUCCESS', late: true });
    await clock.advance(10_000);
    assert.equal(views.at(-1)?.paid, true);
    stream.stop();
  });

  it('ends where the proxy says that this token hears nothing, and says so once', async () => {
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

  it('hears nothing more after it is stopped, not even what was under way', async () => {
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

  it('is one stream however often it is started', async () => {
    const { clock, proxy, stream } = scene();
    stream.start();
    stream.start();
    await clock.advance(0);
    assert.equal(proxy.streamCount, 1);
    stream.stop();
    stream.start();
    await clock.advance(0);
    assert.equal(proxy.streamCount, 1);
    stream.stop();
  });

  it('takes a page of some box on the way for no stream', async () => {
    const { clock, proxy, views, lost } = scene();
    const portal = new Stream({
      client: createProxyClient('https://pay.test/', proxy.token, async () => new Response('<html></html>')),
      onView: (each) => views.push(each),
      onDisconnected: (each) => lost.push(each),
      onRefused: assert.fail,
      wait: clock.wait,
      now: clock.now,
      random: () => 0.5,
      page: new EventTarget(),
    });
    portal.start();
    await clock.advance(10_000);
    assert.deepEqual([views, lost.at(-1)], [[], true]);
    portal.stop();
  });
});
