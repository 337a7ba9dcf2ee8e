// The storage fails: an fsync returns an error (injected by strace), the disk is full (a small tmpfs), PostgreSQL is
// down. No request succeeds unless its data is stored. A failed fsync ends the process, because nobody knows what
// reached the disk; the restart recovers by reading. From the other faults the process recovers by itself.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { whyNoPostgres } from '../postgres/server.ts';
import { createClients, signOrder, type Clients } from './clients.ts';
import { startProxy } from './processes.ts';
import { createEnvironment, createPostgresDatabase, serveProxy, settle } from './environment.ts';
import { leaksIn, SECRETS, withPassword } from './canary-secrets.ts';
import { fill, mountSmall, whyNoMount } from './small-disk.ts';
import { each, isLong, size, faultTest, until, type Findings, type FaultTest } from './fault-test.ts';

const SENDERS = 16;
/** Which fsync of the write-ahead log fails, counted from the proxy's start. */
const FAILING_SYNCS = isLong ? [1, 2, 3, 4, 5, 8, 13, 21, 34] : [5, 20];
/** Nothing listens here, so the clients keep retrying. */
const NOWHERE = 'http://127.0.0.1:9';
const PAYMENTS = size(30, 150);
const IPNS = size(150, 1_500);
/** Room for all of it twice: in the database and in its log. */
const MOUNT_KB = size(16, 128) * 1024;
const ROOM_KB = 1024;
/** The IPNs are above 12 KB each, so that together they need more than the free room. */
const IPN_PADDING = 12_000;
const REFUSALS_AT_LEAST = 20;
const GONE_MS = size(4_000, 10_000);
/** Often enough for a hundred requests while the database is gone, and no load on the machine. */
const ASK_EVERY_MS = 25;

for (const failing of FAILING_SYNCS) {
  faultTest(
    `A failing fsync (number ${failing} of the write-ahead log): the proxy exits, and nothing acknowledged is lost`,
    { withinMs: 240_000, needs: ['strace', 'linux'] },
    async (t) => {
      const environment = await createEnvironment(t);
      const { gateway, merchant, databaseUrl, dir } = environment;
      const settings = { databaseUrl, gatewayUrl: gateway.url, webhookUrl: merchant.url };
      let url = NOWHERE;
      const clients = createClients(() => url);
      t.defer(clients.close);
      const work = sendAll(clients, t, '');
      work.catch(() => undefined);

      const problems: string[] = [];
      const trace = ['strace', '-f', '-qq', '-o', join(dir, 'trace'), '-P', join(dir, 'payments.db-wal')];
      const inject = `inject=fsync,fdatasync:error=EIO:when=${failing}`;
      const under = [...trace, '-e', 'trace=fsync,fdatasync', '-e', inject];
      // The first fsyncs belong to the start, which then fails with a message.
      const broken = await startProxy({ ...settings, under }).catch((error: unknown) => String(error));
      if (typeof broken !== 'string') {
        t.defer(broken.kill9);
        url = broken.url;
        await until('the proxy has ended by itself', broken.hasEnded, 120_000);
        if ((await broken.ended) !== '1') problems.push(`the proxy ended with ${await broken.ended}`);
        if (!broken.output().includes('the database failed')) problems.push('it did not log why it ended');
      }
      const recovered = await startProxy(settings);
      t.defer(recovered.kill9);
      url = recovered.url;
      await work;
      await recovered.end();
      const output = recovered.output() + (typeof broken === 'string' ? broken : broken.output());
      return conclude(await settle(environment, clients), output, problems, { failing });
    },
  );
}

faultTest(
  'A full disk: requests get 503, and the same process continues once there is room',
  { withinMs: 240_000, needs: ['root', 'linux'], impossible: whyNoMount },
  async (t) => {
    const environment = await createEnvironment(t);
    const disk = mountSmall(t, environment.dir, MOUNT_KB);
    const databaseUrl = `file:${join(disk, 'payments.db')}`;
    const { proxy, clients } = await serveProxy(t, environment, { databaseUrl });
    await sendAll(clients, t, 'room');

    const ballast = join(disk, 'ballast');
    fill(disk, ballast, ROOM_KB * 1024);
    const work = sendAll(clients, t, 'full', 'x'.repeat(IPN_PADDING));
    work.catch(() => undefined);
    const refused = createRefused(proxy.url);
    await until('writes are refused', async () => (await refused.ask()) >= REFUSALS_AT_LEAST, 120_000);
    const reads = await refused.read();
    // A refused IPN leaves the pages of its log that fitted. A look at the readiness writes one page, so a few of them
    // still fit.
    await until('/readyz is 503', async () => (await request(`${proxy.url}/readyz`)).statusCode === 503);
    rmSync(ballast);
    await until('writes succeed again', async () => (await refused.ask()) === 0);
    await work;
    const problems = [...refused.problems, ...(reads === 200 ? [] : [`a read was answered ${reads}`])];
    if (proxy.hasEnded()) problems.push('the proxy has ended');
    await proxy.end();
    return conclude(await settle(environment, clients, { databaseUrl }), proxy.output(), problems, {
      refused: refused.count(),
    });
  },
);

faultTest(
  `PostgreSQL down for ${GONE_MS / 1000} s: requests get 503, and the same process continues once it is back`,
  { withinMs: 300_000, impossible: whyNoPostgres },
  async (t) => {
    const environment = await createEnvironment(t);
    const { postgres, databaseUrl: withoutPassword } = await createPostgresDatabase(t);
    const databaseUrl = withPassword(withoutPassword);
    const { proxy, clients } = await serveProxy(t, environment, { databaseUrl });

    let answered = 0;
    const work = sendAll(clients, t, 'gone', '', () => (answered += 1));
    work.catch(() => undefined);
    await until('some requests are answered', () => answered > 20);
    await postgres.stop();
    const answeredBefore = answered;
    const refused = createRefused(proxy.url);
    const backAt = performance.now() + GONE_MS;
    // A request in flight when the database stops may still be answered; a later one may not.
    while (performance.now() < backAt) {
      await refused.ask();
      await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
    }
    const problems = [...refused.problems];
    if (refused.taken() > 0) problems.push(`${refused.taken()} writes were answered 200 with no database`);
    if (refused.count() === 0) problems.push('no request was sent while the database was down');
    if (answered - answeredBefore > SENDERS) problems.push('requests succeeded with no database');
    await postgres.start();
    await until('writes succeed again', async () => (await refused.ask()) === 0);
    await work;
    if (proxy.hasEnded()) problems.push('the proxy has ended');
    await proxy.end();
    return conclude(await settle(environment, clients, { databaseUrl }), proxy.output(), problems, {
      refused: refused.count(),
    });
  },
);

/** Payments and IPNs, each retried until it succeeds. `name` keeps their ids apart from those of other calls. */
async function sendAll(
  clients: Clients,
  { random }: FaultTest,
  name: string,
  padding = '',
  onAnswered = () => undefined as unknown,
) {
  const payments = Array.from({ length: PAYMENTS }, (_, n) => async () => {
    const order = { orderId: `disk-${name}-${n}`, amount: '4.20', currency: 'EUR' };
    await clients.startPayment(order, { method: random.pick(['QR', 'JETGO']) }, 'first');
  });
  const ipns = Array.from(
    { length: IPNS },
    (_, n) => () =>
      clients.sendIpn(JSON.stringify({ orderId: `unknown-${name}-${n}`, type: 'PAY', status: 'SUCCESS', padding })),
  );
  await each(random.shuffled([...payments, ...ipns]), SENDERS, async (send) => {
    await send();
    onAnswered();
  });
}

/** Sends single requests without retries: while nothing can be stored, each gets 503 and nothing else. */
function createRefused(url: string) {
  const problems: string[] = [];
  let asked = 0;
  let count = 0;
  let taken = 0;
  let running = 0;
  return {
    problems,
    count: () => count,
    taken: () => taken,
    /** Resolves with how many in a row have been refused so far. */
    async ask(): Promise<number> {
      const body = `{"orderId":"unknown-probe-${(asked += 1)}","type":"PAY"}`;
      const answer = await request(`${url}/ipn/${SECRETS.ipnSecret}`, { method: 'POST', body });
      await answer.body.dump();
      if (answer.statusCode === 503) count += 1;
      else if (answer.statusCode === 200) taken += 1;
      else problems.push(`an IPN was answered ${answer.statusCode}`);
      running = answer.statusCode === 503 ? running + 1 : 0;
      return running;
    },
    async read(): Promise<number> {
      const token = signOrder({ orderId: 'disk-room-0', amount: '4.20', currency: 'EUR' }, Date.now());
      const answer = await request(`${url}/order`, { headers: { Authorization: `Bearer ${token}` } });
      await answer.body.dump();
      return answer.statusCode;
    },
  };
}

function conclude(
  { problems, database }: Awaited<ReturnType<typeof settle>>,
  output: string,
  crashed: readonly string[],
  counts: Findings['counts'],
): Findings {
  return {
    problems: { ...problems, crashed, leaked: leaksIn(output) },
    counts: { ...counts, payments: database.transactions.length, ipns: database.ipns.length },
  };
}
