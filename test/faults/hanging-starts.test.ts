// The pay endpoint hangs: orders already paid are shown as paid, views, streams and health checks go on, and each late
// answer is stored.
import { request } from 'undici';
import { startIntermediary } from './http-intermediary.ts';
import { signOrder } from './clients.ts';
import { createEnvironment, serveProxy, settle } from './environment.ts';
import { SECRETS } from './canary-secrets.ts';
import { each, size, faultTest, until } from './fault-test.ts';

/** In the short run more than there are connections: the last starts wait for one, and are still answered in time. */
const HUNG = size(80, 64);
const HANGS_MS = size(4_000, 25_000);
/** About as many as have a connection at once. */
const MAX_HUNG = 60;
const PAID = size(10, 50);
/**
 * Each request takes some ms; the rest is for a busy machine. A request that waits for the hanging calls takes seconds.
 */
const ANSWERED_WITHIN_MS = 2_500;
const numbers = (most: number) => Array.from({ length: most }, (_, n) => n);

faultTest(
  'A pay endpoint that hangs: checks, views, streams and health go on, and no answer is lost',
  { withinMs: size(120_000, 600_000) },
  async (t) => {
    const environment = await createEnvironment(t);
    const { gateway } = environment;
    let hangs = false;
    let hung = 0;
    const intermediary = await startIntermediary(gateway.url, ({ operation }) => {
      if (!hangs || operation !== 'pay') return undefined;
      hung += 1;
      return { lateMs: HANGS_MS };
    });
    t.defer(intermediary.close);
    const { proxy, clients } = await serveProxy(t, environment, { gatewayUrl: intermediary.url });
    await gateway.control('ipn-url', { url: `${proxy.url}/ipn/${SECRETS.ipnSecret}` });
    const orderOf = (name: string) => (n: number) => ({ orderId: `${name}-${n}`, amount: '5.00', currency: 'EUR' });
    const paid = numbers(PAID).map(orderOf('paid'));
    await each(paid, 8, async (order) => void (await clients.startPayment(order, { method: 'QR' }, 'first')));

    hangs = true;
    const starting = each(numbers(HUNG).map(orderOf('hung')), HUNG, async (order) => {
      await clients.startPayment(order, { method: 'QR' }, 'first');
    });
    starting.catch(() => undefined);
    await until('the starts hang', () => hung >= MAX_HUNG);
    const slow: string[] = [];
    const took: number[] = [];
    const timed = async (what: string, ask: () => Promise<unknown>) => {
      const from = performance.now();
      await ask();
      const ms = Math.round(performance.now() - from);
      took.push(ms);
      if (ms > ANSWERED_WITHIN_MS) slow.push(`${what} took ${ms} ms`);
    };
    for (const order of paid) {
      await gateway.act(order.orderId, 'approve');
      await timed(`${order.orderId} as paid`, () =>
        until('it is shown as paid', async () => (await clients.view(order)).paid),
      );
      await timed('health', async () => (await request(`${proxy.url}/healthz`)).body.dump());
      await timed('a stream', () => firstEvent(proxy.url, order));
    }
    hangs = false;
    await starting;
    await proxy.end();
    const { problems, database } = await settle(environment, clients);
    const lost = database.transactions.flatMap(({ id, answer }) =>
      answer === 'identified' ? [] : [`the answer to ${id} arrived and was not stored (${answer})`],
    );
    return {
      problems: { ...problems, lost: [...(problems.lost ?? []), ...lost], unserved: slow },
      counts: { hung: HUNG, hungMs: HANGS_MS, asked: took.length, slowestMs: Math.max(...took) },
    };
  },
);

async function firstEvent(url: string, order: Parameters<typeof signOrder>[0]): Promise<void> {
  const headers = { Authorization: `Bearer ${signOrder(order, Date.now())}`, Accept: 'text/event-stream' };
  const { body } = await request(`${url}/order/events`, { headers });
  for await (const chunk of body) if (String(chunk).includes('event: order')) return;
  throw new Error('The stream ended without a view');
}
