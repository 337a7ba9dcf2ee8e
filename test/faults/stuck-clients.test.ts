// Clients that send a byte a second, endless bodies, heads of a hundred thousand lines, and streams and answers that
// are never read, all at once. Meanwhile every healthy request is answered and the memory (its peak, as the kernel
// counts it) grows by no more than a fixed amount; at the end the proxy holds nothing for any of them.
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { Agent, request } from 'undici';
import { signOrder, type ShopperOrder } from './clients.ts';
import { startProxy, type Running } from './processes.ts';
import { createEnvironment } from './environment.ts';
import { leaksIn, SECRETS } from './canary-secrets.ts';
import { dial, drip, manyLines, pour, type Stuck } from './stuck-clients.ts';
import { each, size, faultTest, until, type FaultTest } from './fault-test.ts';

const SLOW_HEADS = size(150, 1_500);
const SLOW_BODIES = size(50, 500);
const BODY_BYTES = size(64, 1024) * 1024 * 1024;
const BODIES = 6;
const HEADER_LINES = 100_000;
const UNREAD_STREAMS = 200;
const UNREAD_ANSWERS = size(40, 200);
/**
 * Sent in one packet; together their answers, the largest there are, exceed what the kernel buffers for a connection.
 */
const ANSWERS_EACH = 400;
const HEALTHY_AT_ONCE = 4;
const HEALTHY_AT_LEAST = 100;
/**
 * What the garbage collector may leave, and what a connection may cost. In the long run a single body kept in memory
 * exceeds it.
 */
const MAX_GROWTH_KB = 128 * 1024 + 64 * (SLOW_HEADS + SLOW_BODIES + UNREAD_STREAMS + UNREAD_ANSWERS);
/** Descriptors that the proxy keeps open itself: its connections to the gateway and the merchant. */
const SPARE_DESCRIPTORS = 40;
/** Heads are cut after 10 s and bodies after 15 s; a machine under load may take much longer. */
const CUT_WITHIN_MS = 120_000;

faultTest(
  'Stuck clients: memory stays bounded, healthy requests are answered, and in the end all stuck connections are closed',
  { withinMs: size(300_000, 900_000), needs: ['linux'] },
  async (t) => {
    const { gateway, merchant, databaseUrl } = await createEnvironment(t);
    const proxy = await startProxy({ databaseUrl, gatewayUrl: gateway.url, webhookUrl: merchant.url });
    t.defer(proxy.kill9);
    const healthy = createHealthy(t, proxy.url);
    for (let n = 0; n < 40; n += 1) await healthy.askOnce();
    const before = await held(proxy);
    await resetPeak(proxy);

    healthy.start();
    const stuck = await openStuckClients(t, proxy.url);
    const streamsAtMost = await openStreams(proxy.url);
    await until(
      'the slow and the large requests are cut',
      () => [...stuck.slow, ...stuck.large].every(({ gone }) => gone),
      CUT_WITHIN_MS,
    );
    for (const { socket } of [...stuck.unread, ...stuck.streams]) socket.destroy();
    await until('no stream is open', async () => (await openStreams(proxy.url)) === 0);
    const asked = await healthy.stop();
    await until(
      'the descriptors are released',
      async () => (await held(proxy)).descriptors <= before.descriptors + SPARE_DESCRIPTORS,
    );
    const { peakKb } = await held(proxy);

    return {
      problems: {
        unserved: [
          ...healthy.problems,
          ...(streamsAtMost < UNREAD_STREAMS ? [`only ${streamsAtMost} streams were open`] : []),
        ],
        undocumented: stuck.large.flatMap(wronglyAccepted),
        crashed: [
          ...(proxy.hasEnded() ? ['the proxy has ended'] : []),
          ...(peakKb - before.rssKb > MAX_GROWTH_KB ? [`the memory grew from ${before.rssKb} to ${peakKb} kB`] : []),
        ],
        leaked: leaksIn(proxy.output()),
      },
      counts: {
        slow: stuck.slow.length,
        bodies: `${BODIES}x${BODY_BYTES / 1024 / 1024}MB`,
        headerLines: HEADER_LINES,
        streams: streamsAtMost,
        unread: stuck.unread.length,
        healthy: asked,
        rssMb: Math.round(before.rssKb / 1024),
        peakMb: Math.round(peakKb / 1024),
      },
    };
  },
);

interface StuckClients {
  slow: Stuck[];
  large: Stuck[];
  streams: Stuck[];
  unread: Stuck[];
}

async function openStuckClients({ defer }: FaultTest, url: string): Promise<StuckClients> {
  const all: StuckClients = { slow: [], large: [], streams: [], unread: [] };
  defer(() =>
    Object.values(all)
      .flat()
      .forEach(({ socket }: Stuck) => socket.destroy()),
  );
  const many = (count: number, into: Stuck[], get: (n: number) => Promise<Stuck>) =>
    each(
      Array.from({ length: count }, (_, n) => n),
      16,
      async (n) => void into.push(await get(n)),
    );
  const ipn = `POST /ipn/${SECRETS.ipnSecret} HTTP/1.1\r\nHost: proxy\r\n`;
  const payment = `POST /order/payments HTTP/1.1\r\nHost: proxy\r\nContent-Type: application/json\r\nIdempotency-Key: 1\r\nAuthorization: Bearer ${signOrder(orderOf(0), Date.now())}\r\n`;

  await many(SLOW_HEADS, all.slow, () => drip(url, 'GET /health HTTP/1.1\r\nHost: proxy\r\nX: '));
  await many(SLOW_BODIES, all.slow, () => drip(url, `${ipn}Content-Length: 4000\r\n\r\n{"a":"`));
  // An order may have three streams.
  await many(UNREAD_STREAMS, all.streams, async (n) => {
    const one = await dial(url, { reads: false });
    const token = signOrder(orderOf(Math.floor(n / 3)), Date.now());
    one.socket.write(`GET /order/events HTTP/1.1\r\nHost: proxy\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    return one;
  });
  const questions = Buffer.from('GET /openapi.json HTTP/1.1\r\nHost: proxy\r\n\r\n'.repeat(ANSWERS_EACH));
  await many(UNREAD_ANSWERS, all.unread, async () => {
    const one = await dial(url, { reads: false });
    one.socket.write(questions);
    return one;
  });
  await many(BODIES, all.large, (n) => pour(url, n < 3 ? ipn : payment, BODY_BYTES, { chunked: n % 2 === 0 }));
  all.large.push(await manyLines(url, HEADER_LINES));
  return all;
}

/** An oversized request must be refused or cut; answering it with success is wrong. */
function wronglyAccepted({ received, sentAll }: Stuck): string[] {
  const answer = received.split('\r\n')[0] ?? '';
  const isRefusal = /^HTTP\/1\.1 (413|431) /.test(answer);
  return isRefusal || (answer === '' && !sentAll) ? [] : [`an oversized request was answered "${answer}"`];
}

function orderOf(n: number): ShopperOrder {
  return { orderId: `healthy-${n}`, amount: '12.50', currency: 'EUR' };
}

/** Well-behaved shoppers and IPNs that do not retry: each request without an answer is a problem. */
function createHealthy({ defer }: FaultTest, url: string) {
  const agent = new Agent({ connections: HEALTHY_AT_ONCE, pipelining: 1 });
  defer(() => agent.destroy());
  const problems: string[] = [];
  let asked = 0;
  let stopped = false;
  let work: Promise<unknown> = Promise.resolve();

  async function askOnce(): Promise<void> {
    const n = (asked += 1);
    const { path, method, headers, body, expected } = askedOf(n);
    try {
      const answer = await request(`${url}${path}`, { method, headers, body, dispatcher: agent });
      await answer.body.text();
      if (answer.statusCode !== expected) problems.push(`${method} of number ${n} was answered ${answer.statusCode}`);
    } catch (error) {
      problems.push(`${method} of number ${n} was not answered: ${String(error)}`);
    }
  }

  return {
    problems,
    askOnce,
    start() {
      const worker = async () => {
        while (!stopped || asked < HEALTHY_AT_LEAST) await askOnce();
      };
      work = Promise.all(Array.from({ length: HEALTHY_AT_ONCE }, worker));
    },
    async stop() {
      stopped = true;
      await work;
      await agent.close();
      return asked;
    },
  };
}

function askedOf(n: number) {
  const authorization = `Bearer ${signOrder(orderOf(n), Date.now())}`;
  const json = { Authorization: authorization, 'Content-Type': 'application/json', 'Idempotency-Key': String(n) };
  if (n % 4 === 0)
    return { method: 'POST', path: '/order/payments', headers: json, body: '{"method":"QR"}', expected: 201 } as const;
  if (n % 4 === 1) {
    const body = `{"orderId":"unknown-${n}","type":"PAY","status":"SUCCESS"}`;
    return { method: 'POST', path: `/ipn/${SECRETS.ipnSecret}`, headers: {}, body, expected: 200 } as const;
  }
  return {
    method: 'GET',
    path: '/order',
    headers: { Authorization: authorization },
    body: null,
    expected: 200,
  } as const;
}

async function openStreams(url: string): Promise<number> {
  const headers = { Authorization: `Bearer ${SECRETS.merchantApiKey}` };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  return Number(/^payment_proxy_open_streams (\d+)$/m.exec(text)?.[1] ?? NaN);
}

/** Memory and descriptors of the proxy, as the kernel counts them. */
async function held({ pid }: Running): Promise<{ rssKb: number; peakKb: number; descriptors: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const figure = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
  return { rssKb: figure('VmRSS'), peakKb: figure('VmHWM'), descriptors: (await readdir(`/proc/${pid}/fd`)).length };
}

/** Resets the kernel's peak counter. */
async function resetPeak({ pid }: Running): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5');
}
