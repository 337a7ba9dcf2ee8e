// Shared parts of the event stream tests: a reader of a stream, and streams over an order that the test changes.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { OrderView } from '../../../backend-proxy/protocol/wire.ts';
import type { Ledger } from '../../../backend-proxy/ledger/ledger.ts';
import type { Order, OrderAt } from '../../../backend-proxy/ledger/model.ts';
import type { OrderTerms } from '../../../backend-proxy/orders/order-token.ts';
import { createStreams, type Streams } from '../../../backend-proxy/routes/events.ts';
import type { World } from '../world.ts';
import { NOON } from '../time.ts';

export const HEARTBEAT_MS = 15_000;

export interface Reading {
  /** The next event or comment, or 'end'. */
  next(): Promise<string>;
  view(): Promise<OrderView>;
  cancel(): Promise<void>;
}

export function reading(response: Response): Reading {
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

export async function open(world: World, token: string, headers: Record<string, string> = {}): Promise<Reading> {
  return reading(
    await world.request('GET', '/order/events', { headers: { Authorization: `Bearer ${token}`, ...headers } }),
  );
}

export interface Opening {
  orderId?: string;
  address?: string;
  endsAt?: number;
}

const NONE: OrderView['refunds'] = [];

/** Opens a stream whose first view is not read yet. */
export function openOn(streams: Streams, { orderId = 'A-1', address, endsAt = NOON + 3_600_000 }: Opening = {}) {
  return streams.open({ orderId, exp: endsAt / 1000 } as OrderTerms, address);
}

/** Streams over an order that the test changes, with timers that the test moves. */
export function bench(t: TestContext, orderAt?: Ledger['orderAt']) {
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
      show: ({ orderId }, { order }) =>
        ({ orderId, version: order?.version, paid: state.paid, refunds: NONE }) as OrderView,
    },
    now: () => state.now,
  });
  t.after(() => streams.close());
  return {
    state,
    streams,
    open: (opening?: Opening) => reading(new Response(openOn(streams, opening))),
    /** `reported`: the version that the watchers receive. */
    change: (version: number, reported: number | undefined = version) => {
      state.version = version;
      state.watchers.forEach((watcher) => watcher(reported));
    },
    pass: (ms: number) => {
      state.now += ms;
      t.mock.timers.tick(ms);
    },
  };
}

/** Lets pending promises run. */
export const turn = () => new Promise((resolve) => setImmediate(resolve));
