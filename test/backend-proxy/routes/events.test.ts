// The event stream: the view at once and after every commit, heartbeats, the end, limits, and stalled readers.
// Heartbeats are tested with mocked timers, the rest through the app.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { OrderView } from '../../../backend-proxy/protocol/wire.ts';
import type { Ledger, Order, OrderAt } from '../../../backend-proxy/ledger/ledger.ts';
import type { OrderTerms } from '../../../backend-proxy/order-token.ts';
import { createStreams, type Sink, type Streams } from '../../../backend-proxy/routes/events.ts';
import { toWebStream } from '../../../backend-proxy/routes/stream-sinks.ts';
import { SECRETS, SHOP, createWorld, type World } from '../world.ts';
import { NOON } from '../time.ts';

const HEARTBEAT_MS = 15_000;

interface Reading {
  /** The next event or comment, or 'end'. */
  next(): Promise<string>;
  view(): Promise<OrderView>;
  cancel(): Promise<void>;
}

function reading(response: Response): Reading {
  assert.equal(response.status, 200);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const next = async (): Promise<string> => {
    const { done, value } = await reader.read();
    return done ? 'end' : value;
  };
  return {
    next,
    async view() {
      const text = await next();
      const [, id, data = ''] = /^event: order\nid: (\d+)\ndata: (.*)\n\n$/.exec(text) ?? assert.fail(text);
      const view = JSON.parse(data) as OrderView;
      assert.equal(Number(id), view.version);
      return view;
    },
    cancel: () => reader.cancel(),
  };
}

async function open(world: World, token: string, headers: Record<string, string> = {}): Promise<Reading> {
  return reading(
    await world.request('GET', '/order/events', { headers: { Authorization: `Bearer ${token}`, ...headers } }),
  );
}

describe('the event stream of an order', () => {
  it('the event stream starts with the whole view, and its headers keep proxies from buffering it', async (t) => {
    const world = await createWorld(t);
    const token = world.token();
    const response = await world.request('GET', '/order/events', {
      headers: { Authorization: `Bearer ${token}`, Origin: SHOP },
    });
    assert.deepEqual(
      ['content-type', 'cache-control', 'x-accel-buffering', 'access-control-allow-origin', 'content-length'].map(
        (name) => response.headers.get(name),
      ),
      ['text/event-stream; charset=utf-8', 'no-store, no-transform', 'no', SHOP, null],
    );
    const stream = reading(response);
    assert.deepEqual(await stream.view(), await world.view(token));
    await stream.cancel();
  });

  it('the event stream sends every commit, whatever caused it, and ends once the order is paid', async (t) => {
    const world = await createWorld(t);
    const token = world.token();
    const stream = await open(world, token);
    assert.equal((await stream.view()).payment, null);
    const { body } = await world.start(token, { method: 'QR' });
    let seen = await stream.view();
    while (seen.version < body.version) seen = await stream.view();
    assert.deepEqual(seen.payment, body.payment);
    await world.customer('approve', 'A-1');
    await world.settle();
    const last = await stream.view();
    assert.deepEqual([last.paid, last.payment?.status], [true, 'SUCCESS']);
    assert.equal(await stream.next(), 'end');
  });

  it('the event stream of a paid order sends one view and ends', async (t) => {
    const world = await createWorld(t);
    const token = world.token();
    await world.start(token, { method: 'QR' });
    await world.customer('approve', 'A-1');
    await world.settle();
    const stream = await open(world, token);
    assert.equal((await stream.view()).paid, true);
    assert.equal(await stream.next(), 'end');
  });

  it('the event stream of a paid order continues while another payment can still be paid, and shows when it was', async (t) => {
    const world = await createWorld(t);
    const token = world.token();
    await world.start(token, { method: 'QR' });
    await world.start(token, { method: 'JETGO' });
    await world.customer('approve', 'A-1-2');
    await world.settle();
    const stream = await open(world, token);
    const { paid, surplus, otherOpen } = await stream.view();
    assert.deepEqual([paid, surplus, otherOpen], [true, false, true]);
    await world.customer('approve', 'A-1');
    await world.settle();
    const last = await stream.view();
    assert.deepEqual([last.surplus, last.otherOpen], [true, false]);
    assert.equal(await stream.next(), 'end');
  });

  it('the event stream ends after a success even if another payment was declined', async (t) => {
    const world = await createWorld(t);
    const token = world.token();
    await world.start(token, { method: 'QR' });
    await world.customer('decline', 'A-1');
    await world.settle();
    await world.start(token, { method: 'JETGO' });
    await world.customer('approve', 'A-1-2');
    await world.settle();
    const stream = await open(world, token);
    assert.equal((await stream.view()).paid, true);
    assert.equal(await stream.next(), 'end');
  });

  it('the event stream continues after a failed payment, because another may follow', async (t) => {
    const world = await createWorld(t);
    const token = world.token();
    const { body } = await world.start(token, { method: 'QR' });
    const stream = await open(world, token);
    assert.equal((await stream.view()).version, body.version);
    await world.customer('decline', 'A-1');
    await world.settle();
    assert.equal((await stream.view()).payment?.reason, 'DECLINED');
    await world.start(token, { method: 'CHECKOUT' });
    assert.equal((await stream.view()).payment?.method, 'CHECKOUT');
    await stream.cancel();
  });

  it('the event stream sends nothing about other orders', async (t) => {
    const world = await createWorld(t);
    const stream = await open(world, world.token({ orderId: 'B' }));
    await stream.view();
    await world.start(world.token(), { method: 'QR' });
    let received = false;
    const next = stream.next().then(() => (received = true));
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.equal(received, false);
    await stream.cancel();
    await next;
  });

  it('the event stream sends the QR code even if a status check was faster than the answer', async (t) => {
    const world = await createWorld(t);
    const token = world.token();
    await world.faults({ pay: { delayMs: 20_000 } });
    const starting = world.start(token, { method: 'QR' });
    const deadline = Date.now() + 5_000;
    while ((await world.gatewayHas('A-1')) === undefined) {
      assert.ok(Date.now() < deadline);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    // While our own call is in flight only an IPN requests a check.
    world.skip(15_000);
    assert.equal((await world.ipn({ orderId: 'A-1', type: 'PAY', paymentId: 1 })).status, 200);
    await world.proxy.tick();
    const stream = await open(world, token);
    const checked = await stream.view();
    assert.deepEqual([checked.payment?.status, checked.payment?.qr], ['PROCESSING', null]);
    world.skip(5_000);
    await world.sandbox.tick();
    await starting;
    const answered = await stream.view();
    assert.ok(answered.version > checked.version);
    assert.ok(answered.payment?.qr);
    await stream.cancel();
  });

  it('the event stream needs a valid token', async (t) => {
    const world = await createWorld(t);
    for (const [token, code] of [
      ['', 'invalid_token'],
      ['x', 'invalid_token'],
      [world.token({ exp: NOON / 1000 }), 'token_expired'],
    ] as const) {
      const response = await world.request('GET', '/order/events', { headers: { Authorization: `Bearer ${token}` } });
      assert.equal(response.status, 401);
      assert.equal(((await response.json()) as { code: string }).code, code);
    }
  });
});

describe('the limits of event streams', () => {
  it('a fourth event stream of an order is refused with a hint to GET /order, until one of the three ends', async (t) => {
    const world = await createWorld(t);
    const token = world.token();
    const streams = await Promise.all([1, 2, 3].map(() => open(world, token)));
    await Promise.all(streams.map((stream) => stream.view()));
    const refused = await world.request('GET', '/order/events', { headers: { Authorization: `Bearer ${token}` } });
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '10']);
    const problem = (await refused.json()) as { code: string; retryable: boolean };
    assert.deepEqual([problem.code, problem.retryable], ['too_many_streams', true]);
    await (await open(world, world.token({ orderId: 'B' }))).cancel();
    await streams[0]!.cancel();
    streams[0] = await open(world, token);
    await Promise.all(streams.map((stream) => stream.cancel()));
  });

  it('an address may have at most 20 event streams', async (t) => {
    const world = await createWorld(t, { config: { trustedProxies: 1 } });
    const streams: Reading[] = [];
    const at = (address: string, n: number) =>
      world.request('GET', '/order/events', {
        headers: { Authorization: `Bearer ${world.token({ orderId: `A-${n}` })}`, 'X-Forwarded-For': address },
      });
    for (let n = 0; n < 20; n += 1) streams.push(reading(await at('8.8.8.8', n)));
    assert.equal((await at('8.8.8.8', 21)).status, 503);
    streams.push(reading(await at('8.8.4.4', 21)));
    await streams[7]!.cancel();
    streams.push(reading(await at('8.8.8.8', 21)));
    await Promise.all(streams.map((stream) => stream.cancel()));
  });

  it('the metrics show the number of open event streams', async (t) => {
    const world = await createWorld(t);
    const stream = await open(world, world.token());
    const shown = async () => {
      const headers = { Authorization: `Bearer ${SECRETS.merchant}` };
      return /open_streams (\d+)/.exec(await (await world.request('GET', '/metrics', { headers })).text())?.[1];
    };
    assert.equal(await shown(), '1');
    await stream.cancel();
    assert.equal(await shown(), '0');
  });
});

interface Opening {
  orderId?: string;
  address?: string;
  endsAt?: number;
}

/** Opens a stream whose first view is not read yet. */
function openOn(streams: Streams, { orderId = 'A-1', address, endsAt = NOON + 3_600_000 }: Opening = {}) {
  return streams.open({ orderId, exp: endsAt / 1000 } as OrderTerms, address);
}

/** Streams over an order that the test changes, with timers that the test moves. */
function bench(t: TestContext, orderAt?: Ledger['orderAt']) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const state = { version: 1, paid: false, now: NOON, reads: 0, watchers: new Set<Parameters<Ledger['watch']>[1]>() };
  const read = async (): Promise<OrderAt> => {
    state.reads += 1;
    return { order: { orderId: 'A-1', version: state.version } as Order, now: state.now };
  };
  const streams = createStreams({
    ledger: {
      orderAt: orderAt ?? read,
      watch: (_, onChange) => {
        state.watchers.add(onChange);
        return () => void state.watchers.delete(onChange);
      },
    },
    payments: {
      show: ({ orderId }, { order }) => ({ orderId, version: order?.version, paid: state.paid }) as OrderView,
    },
    now: () => state.now,
  });
  t.after(() => streams.close());
  return {
    state,
    streams,
    open: (opening?: Opening) => reading(new Response(toWebStream(streams, openOn(streams, opening)))),
    /** `told`: the version that the watchers are called with. */
    change: (version: number, told: number | undefined = version) => {
      state.version = version;
      state.watchers.forEach((watcher) => watcher(told));
    },
    pass: (ms: number) => {
      state.now += ms;
      t.mock.timers.tick(ms);
    },
  };
}

/** Lets pending promises run. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('heartbeats of an event stream', () => {
  it('an idle event stream sends a comment every 15 seconds', async (t) => {
    const { open: connect, pass } = bench(t);
    const stream = connect();
    await stream.view();
    for (let n = 0; n < 4; n += 1) {
      const next = stream.next();
      pass(HEARTBEAT_MS);
      assert.equal(await next, ':\n\n');
    }
  });

  it('an idle event stream sends its first comment within 15 seconds, whenever it was opened', async (t) => {
    const { open: connect, pass } = bench(t);
    pass(4_242);
    const stream = connect();
    await stream.view();
    const next = stream.next();
    pass(HEARTBEAT_MS);
    assert.equal(await next, ':\n\n');
  });

  it('heartbeats are spread over slices of 100 ms, so that ten thousand are not sent at once', async (t) => {
    const { open: connect, pass } = bench(t);
    const beats: string[] = [];
    for (const orderId of ['A', 'B', 'C']) {
      const stream = connect({ orderId });
      await stream.view();
      void stream.next().then(() => beats.push(orderId));
      pass(100);
    }
    pass(HEARTBEAT_MS - 300);
    await turn();
    assert.deepEqual(beats, ['A']);
    pass(100);
    await turn();
    assert.deepEqual(beats, ['A', 'B']);
    pass(100);
    await turn();
    assert.deepEqual(beats, ['A', 'B', 'C']);
  });

  it('an event stream ends when its order token expires', async (t) => {
    const { open: connect, pass, streams } = bench(t);
    const stream = connect({ endsAt: NOON + 20_000 });
    await stream.view();
    const beat = stream.next();
    pass(HEARTBEAT_MS);
    assert.equal(await beat, ':\n\n');
    const end = stream.next();
    pass(HEARTBEAT_MS);
    assert.equal(await end, 'end');
    assert.equal(streams.size(), 0);
  });
});

describe('a reader of an event stream', () => {
  it('a slow reader gets the latest view and no queue', async (t) => {
    const { open: connect, change, state } = bench(t);
    const stream = connect();
    assert.equal((await stream.view()).version, 1);
    for (let version = 2; version <= 50; version += 1) change(version);
    await turn();
    // The second was being read when the others came.
    assert.equal((await stream.view()).version, 2);
    assert.equal((await stream.view()).version, 50);
    assert.ok(state.reads <= 4, `the order was read ${state.reads} times`);
  });

  it('a reader gets no version twice', async (t) => {
    const { open: connect, change, pass } = bench(t);
    const stream = connect();
    await stream.view();
    const next = stream.next();
    change(1);
    await turn();
    pass(HEARTBEAT_MS);
    assert.equal(await next, ':\n\n');
  });

  it('a reader gets the end of the stream if the order is older than it was, because the database was restored', async (t) => {
    const { open: connect, change } = bench(t);
    const stream = connect();
    await stream.view();
    change(0);
    assert.equal(await stream.next(), 'end');
  });

  it('a stalled reader is disconnected at the second heartbeat, and frees its place', async (t) => {
    const { streams, state, pass } = bench(t);
    assert.ok(new Response(toWebStream(streams, openOn(streams, { address: '8.8.8.8' }))).body);
    pass(HEARTBEAT_MS);
    assert.deepEqual([streams.size(), state.watchers.size], [1, 1]);
    pass(HEARTBEAT_MS);
    assert.deepEqual([streams.size(), state.watchers.size], [0, 0]);
  });

  it('a reader gets the end of the stream and no error text if the database cannot be read', async (t) => {
    const { open: connect, streams } = bench(t, () => Promise.reject(new Error('canary of the database')));
    assert.equal(await connect().next(), 'end');
    assert.equal(streams.size(), 0);
  });

  it('a reader that disconnects stops the watching', async (t) => {
    const { open: connect, state, streams } = bench(t);
    const stream = connect();
    await stream.view();
    assert.equal(state.watchers.size, 1);
    await stream.cancel();
    assert.deepEqual([state.watchers.size, streams.size()], [0, 0]);
  });
});

describe('the reads of an order with event streams', () => {
  it('a change is read once for all event streams of the order', async (t) => {
    const { open: connect, change, state } = bench(t);
    const streams = [connect(), connect(), connect()];
    await Promise.all(streams.map((stream) => stream.view()));
    assert.equal(state.watchers.size, 1);
    state.reads = 0;
    const views = Promise.all(streams.map((stream) => stream.view()));
    await turn();
    change(2);
    assert.deepEqual(
      (await views).map(({ version }) => version),
      [2, 2, 2],
    );
    assert.equal(state.reads, 1);
  });

  it('a version that was read already is not read again, and a change without its version is', async (t) => {
    const { open: connect, change, state } = bench(t);
    const stream = connect();
    await stream.view();
    const reads = state.reads;
    change(1);
    await turn();
    assert.equal(state.reads, reads);
    change(2, undefined);
    await turn();
    assert.equal(state.reads, reads + 1);
    assert.equal((await stream.view()).version, 2);
  });

  it('a change during a read causes one more read, unless the read has its version', async (t) => {
    const held: PromiseWithResolvers<OrderAt>[] = [];
    const { open: connect, state } = bench(t, () => {
      const read = Promise.withResolvers<OrderAt>();
      held.push(read);
      return read.promise;
    });
    const answer = (version: number) => held.at(-1)!.resolve({ order: { version } as Order, now: NOON });
    const tell = (version: number) => state.watchers.forEach((watcher) => watcher(version));
    const stream = connect();
    const first = stream.view();
    await turn();
    for (const version of [2, 3, 4]) tell(version);
    answer(1);
    assert.equal((await first).version, 1);
    assert.equal(held.length, 2);
    tell(5);
    answer(5);
    assert.equal((await stream.view()).version, 5);
    await turn();
    assert.equal(held.length, 2);
  });

  it('an event stream that opens later starts with the order as it is then', async (t) => {
    const { open: connect, state } = bench(t);
    await connect().view();
    state.version = 2;
    assert.equal((await connect().view()).version, 2);
  });
});

describe('an event stream on a socket', () => {
  /** A connection that takes each message only when the test says so. */
  function connectTo(streams: Streams, opening?: Opening) {
    const stream = openOn(streams, opening);
    const state = { texts: [] as string[], taken: [] as ((error?: Error) => void)[], end: '' };
    const sink: Sink = {
      write: (text, onTaken) => void (state.texts.push(text), state.taken.push(onTaken)),
      end: () => (state.end = 'ended'),
      destroy: () => (state.end = 'destroyed'),
    };
    streams.connect(stream, sink);
    return { state, stream, take: (error?: Error) => state.taken.shift()?.(error) };
  }

  it('a connection has at most one message to take, and then gets the latest view', async (t) => {
    const { streams, change } = bench(t);
    const { state, take } = connectTo(streams);
    await turn();
    for (let version = 2; version <= 9; version += 1) {
      change(version);
      await turn();
    }
    assert.equal(state.texts.length, 1);
    take();
    await turn();
    assert.equal(state.texts.length, 2);
    assert.match(state.texts[1]!, /^event: order\nid: 9\n/);
  });

  it('a connection that takes nothing between two heartbeats is destroyed, and its place is free', async (t) => {
    const { streams, pass } = bench(t);
    const { state } = connectTo(streams);
    await turn();
    pass(HEARTBEAT_MS);
    assert.deepEqual([state.end, streams.size()], ['', 1]);
    pass(HEARTBEAT_MS);
    assert.deepEqual([state.end, streams.size(), state.texts.length], ['destroyed', 0, 1]);
  });

  it('a connection that takes a message late gets heartbeats again', async (t) => {
    const { streams, pass } = bench(t);
    const { state, take } = connectTo(streams);
    await turn();
    pass(HEARTBEAT_MS);
    take();
    take();
    pass(HEARTBEAT_MS);
    assert.deepEqual(state.texts.slice(1), [':\n\n', ':\n\n']);
    assert.equal(streams.size(), 1);
  });

  it('a connection that breaks during a message frees its place', async (t) => {
    const { streams, state: order } = bench(t);
    const { take } = connectTo(streams);
    await turn();
    take(new Error('broken'));
    assert.deepEqual([streams.size(), order.watchers.size], [0, 0]);
  });

  it('a connection is ended after the last view, without waiting until it was taken', async (t) => {
    const { streams, state: order } = bench(t);
    order.paid = true;
    const { state } = connectTo(streams);
    await turn();
    assert.deepEqual([state.texts.length, state.end, streams.size()], [1, 'ended', 0]);
  });

  it('a connection that comes after close() is ended', async (t) => {
    const { streams } = bench(t);
    const stream = openOn(streams);
    streams.close();
    let ended = false;
    streams.connect(stream, { write: () => assert.fail(), end: () => (ended = true), destroy: () => undefined });
    assert.ok(ended);
  });
});

describe('the end of event streams', () => {
  it('close() ends all event streams and refuses new ones', async (t) => {
    const { open: connect, streams } = bench(t);
    const waiting = [connect({ orderId: 'A' }), connect({ orderId: 'B' })];
    await Promise.all(waiting.map((stream) => stream.view()));
    const ends = waiting.map((stream) => stream.next());
    streams.close();
    assert.deepEqual(await Promise.all(ends), ['end', 'end']);
    assert.equal(streams.size(), 0);
    assert.throws(() => connect(), { kind: 'too_many_streams' });
  });

  it('the ten thousand and first event stream is refused', async (t) => {
    const { streams } = bench(t);
    for (let n = 0; n < 10_000; n += 1) openOn(streams, { orderId: String(n) });
    assert.throws(() => openOn(streams, { orderId: 'one more' }), { kind: 'too_many_streams' });
  });
});
