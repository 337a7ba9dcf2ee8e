// The network between proxy and gateway fails in every way: requests that never arrive, answers that are lost, reset,
// cut anywhere, delayed, sent byte by byte, replaced by garbage or by redirects, for payments and for status checks.
// Each payment ends as the gateway reports it, none stays uncertain or is created twice, and no redirect is followed.
import { createServer } from 'node:http';
import type { Clients } from './clients.ts';
import { startFaultProxy, type Fault, type FaultProxy } from './fault-proxy.ts';
import { addressOf, closeServer } from '../loopback.ts';
import type { TestGateway } from './sandbox-gateway.ts';
import type { Running } from './processes.ts';
import type { Random } from './random.ts';
import { serveProxy, createEnvironment, settle, type Environment } from './environment.ts';
import { leaksIn, SECRETS } from './canary-secrets.ts';
import { each, isLong, size, faultTest, until, type FaultTest } from './fault-test.ts';

const SENDERS = 24;
const SHOWN_WITHIN_MS = size(200_000, 1_000_000);
const FAULTY_EXCHANGES = 90;
/** After failed checks the next one is minutes away, so in the short run the clocks advance by this each second. */
const ADVANCE_MS = 30_000;

faultTest(
  'Answers that are lost, cut or garbage: a real proxy settles all payments, and none is created twice',
  { withinMs: size(300_000, 1_200_000) },
  async (t) => {
    const environment = await createEnvironment(t);
    const { gateway } = environment;
    const trap = await startTrap(t);
    // A hanging exchange takes the proxy's 30 s each time, so it happens only in the long run. In the short run the
    // network recovers.
    const network = await startFaultProxy(gateway.url, ({ path, n }) =>
      !isLong && n > FAULTY_EXCHANGES ? { kind: 'none' } : faultFor(path, trap.url, t.random, isLong ? 0.1 : 0),
    );
    t.defer(network.close);
    const settings = { gatewayUrl: network.url, preload: './shifted-clock.ts' };
    const { proxy, clients } = await serveProxy(t, environment, settings);
    await gateway.control('ipn-url', { url: `${proxy.url}/ipn/${SECRETS.ipnSecret}` });

    // In the long run more than half of the checks fail to the end, so the proxy makes about one a second. Each order
    // needs two or three, which is 500 s of SHOWN_WITHIN_MS.
    const orders = await startPayments(clients, size(60, 200), t.random);
    await decide(gateway, t.random);
    const approved = new Set(
      (await gateway.transactions()).flatMap((one) => (one.status === 'SUCCESS' ? [one.orderId] : [])),
    );
    const stopClocks = isLong ? () => undefined : advanceEachSecond(t, environment, proxy);
    await each(
      orders.filter(({ orderId }) => approved.has(orderId)),
      8,
      async (order) => {
        const isShown = async () => {
          const { paid, checking } = await clients.view(order);
          return paid || checking;
        };
        await until(`${order.orderId} is shown as paid or checked`, isShown, SHOWN_WITHIN_MS);
      },
    );
    stopClocks();
    await proxy.end();

    const { problems, database } = await settle(environment, clients);
    return {
      problems: { ...problems, leaked: leaksIn(proxy.output()), forged: [...(problems.forged ?? []), ...trap.visits] },
      counts: { payments: database.transactions.length, shownPaid: approved.size, ...faultFigures(network) },
    };
  },
);

/** Advances the environment's clock and the proxy's by the same, until it is stopped: before the proxy ends. */
function advanceEachSecond({ defer }: FaultTest, { clock }: Environment, proxy: Running): () => void {
  let offsetMs = 0;
  const timer = setInterval(() => {
    clock.advance(ADVANCE_MS);
    proxy.send({ offsetMs: (offsetMs += ADVANCE_MS) });
  }, 1_000);
  const stop = () => clearInterval(timer);
  defer(stop);
  return stop;
}

/** The target of the redirects. No request may arrive here, above all none with the key. */
async function startTrap({ defer }: FaultTest): Promise<{ url: string; visits: string[] }> {
  const visits: string[] = [];
  const server = createServer((request, response) => {
    visits.push(`a redirect was followed to ${request.url}`);
    response.end('{}');
  }).listen(0, '127.0.0.1');
  defer(() => closeServer(server));
  return { url: await addressOf(server), visits };
}

/** `hanging`: the share of exchanges that stall, or send one byte at a time. */
function faultFor(path: string, trapUrl: string, random: Random, hanging: number): Fault {
  if (random.chance(hanging)) return random.pick<Fault>([{ kind: 'silent' }, { kind: 'dripped', everyMs: 1_000 }]);
  if (random.chance(path.endsWith('/status') ? 0.5 : 0.3)) return { kind: 'none' };
  return random.pick<Fault>([
    { kind: 'unsent' },
    { kind: 'lost' },
    { kind: 'reset' },
    { kind: 'cut', share: random.next() },
    { kind: 'late', ms: random.between(1, 40) },
    { kind: 'replaced', bytes: garbage(random) },
    { kind: 'replaced', bytes: redirect(trapUrl, random) },
  ]);
}

function garbage(random: Random): Buffer {
  const answer = (status: string, body: string, type = 'application/json') =>
    Buffer.from(
      `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  return random.pick<Buffer>([
    random.bytes(random.between(1, 400)),
    answer('200 OK', '<!doctype html><h1>Please log in</h1>', 'text/html'),
    answer('200 OK', '{}'),
    answer('200 OK', '[{"status":"SUCCESS"}]'),
    answer('200 OK', '{"orderId":"another","type":"PAY","status":"SUCCESS","method":"QR"}'),
    answer('200 OK', '{"status":"SUCCESS","paymentId":1,"type":"PAY"}'),
    answer('204 No Content', ''),
    answer('500 Internal Server Error', '{"status":"FAILED"}'),
    answer('502 Bad Gateway', ''),
    answer('429 Too Many Requests', ''),
    Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n{"status":"SUCCESS"'),
    Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n'),
    Buffer.alloc(300_000, ' '),
  ]);
}

function redirect(to: string, random: Random): Buffer {
  const status = random.pick([
    '301 Moved Permanently',
    '302 Found',
    '303 See Other',
    '307 Temporary Redirect',
    '308 Permanent Redirect',
  ]);
  return Buffer.from(`HTTP/1.1 ${status}\r\nLocation: ${to}/elsewhere\r\nContent-Length: 0\r\n\r\n`);
}

async function startPayments(clients: Clients, count: number, random: Random) {
  const orders = Array.from({ length: count }, (_, n) => ({
    orderId: `network-${n}`,
    amount: `${random.between(1, 99)}.${String(random.between(0, 99)).padStart(2, '0')}`,
    currency: 'EUR',
  }));
  await each(orders, SENDERS, async (order) => {
    const { status, text } = await clients.startPayment(
      order,
      { method: random.pick(['QR', 'JETGO', 'CHECKOUT']) },
      'first',
    );
    const { payment } = JSON.parse(text) as { payment: { status: string } | null };
    // A start is never shown as failed, because its outcome is not known yet.
    const isPlausible = status === 201 && (payment?.status === 'INITIALIZED' || payment?.status === 'PROCESSING');
    if (!isPlausible) throw new Error(`A start was answered ${status} ${text}`);
    // The shopper's browser repeats a start whose answer it may have missed.
    if (random.chance(0.2)) await clients.startPayment(order, { method: 'QR' }, 'first');
  });
  return orders;
}

/** Approves or declines most payments that arrived, and leaves the others. */
async function decide(gateway: TestGateway, random: Random): Promise<void> {
  for (const { orderId } of await gateway.transactions()) {
    if (random.chance(0.1)) continue;
    await gateway.act(orderId, random.chance(0.75) ? 'approve' : 'decline');
  }
}

function faultFigures({ counts }: FaultProxy): Record<string, number | string> {
  return { faults: [...counts].map(([kind, count]) => `${kind}:${count}`).join(',') };
}
