// All input is hostile here: IPNs, the gateway's answers, the callers' requests. None of it crashes the proxy, causes
// an undocumented answer, shows a secret in an answer or a log line, or moves money. A refused request changes nothing,
// and an unverified success does not count.
import { createServer } from 'node:http';
import { createManualClock } from './manual-clock.ts';
import { readDatabase } from './database-reader.ts';
import { undocumented } from '../backend-proxy/documented.ts';
import { fuzzedRequest, type ApiDocument } from './fuzz-requests.ts';
import { junkJson, junkText, nested, mutatedBytes, mutatedMessage } from './fuzz-values.ts';
import { addressOf, closeServer } from '../loopback.ts';
import { createHostileGateway } from './hostile-gateway.ts';
import { RANK } from './compare-records.ts';
import type { Random } from './random.ts';
import { serveInProcessProxy, createEnvironment, type Environment } from './environment.ts';
import { leaksIn, SECRETS } from './canary-secrets.ts';
import { signOrder } from './clients.ts';
import { size, faultTest, type Findings, type FaultTest } from './fault-test.ts';

const IPNS = size(2_000, 100_000);
const ANSWERS = size(1_000, 50_000);
const REQUESTS = size(1_200, 20_000);
const LIMITS = { withinMs: size(180_000, 1_800_000) };
const MAX_KEPT = 50;

faultTest(`${IPNS} fuzzed IPNs: no payment changes`, LIMITS, async (t) => {
  const { environment, proxy, ids, watch } = await open(t);
  const before = await stateOf(environment);
  for (let n = 0; n < IPNS; n += 1) {
    const secret = t.random.chance(0.97) ? SECRETS.ipnSecret : encodeURIComponent(junkText(t.random).toWellFormed());
    await watch.request(
      `IPN ${n}`,
      `/ipn/${secret || '_'}`,
      { method: 'POST', body: fuzzedIpn(t.random, ids) },
      [200, 400, 404, 413],
    );
    if (n % 500 === 0) await proxy.tick();
  }
  // Each IPN leads to a check; the gateway reports the same as before.
  await proxy.pass(60_000);
  const { ipns } = await readDatabase(environment.databaseUrl);
  return watch.findings(before, await stateOf(environment), { ipns: IPNS, kept: ipns.length });
});

faultTest(`${ANSWERS} hostile answers of the gateway: no payment succeeds`, LIMITS, async (t) => {
  const gateway = createHostileGateway(t.random);
  const server = createServer(gateway.answer).listen(0, '127.0.0.1');
  t.defer(() => closeServer(server));
  const { environment, proxy, watch, start } = await open(t, await addressOf(server));
  for (let n = 0; gateway.answers() < ANSWERS; n += 1) {
    const { text } = await start(`hostile-${n}`, t.random.pick(['QR', 'JETGO', 'CHECKOUT', 'DIRECT']));
    watch.note(gateway.untrusted(text).map((what) => ({ kind: 'leaked', what })));
    // Advances the clock now and then, so that open payments are checked.
    if (n % 40 === 0) await proxy.pass(16_000);
  }
  const { transactions, orders } = await readDatabase(environment.databaseUrl);
  const paid = transactions
    .filter(({ rank }) => rank === RANK.succeeded || rank === RANK.declined)
    .map(({ id }) => `${id} was settled by a false report`);
  watch.note([...paid, ...orders.flatMap(({ paid_by }) => paid_by ?? [])].map((what) => ({ kind: 'forged', what })));
  return watch.findings('', '', { answers: gateway.answers(), payments: transactions.length });
});

faultTest(
  `${REQUESTS} requests made from the OpenAPI document: each answer is documented, and refusals change nothing`,
  LIMITS,
  async (t) => {
    const { environment, proxy, ids, watch } = await open(t);
    const document = (await (await proxy.app.request('/openapi.json')).json()) as ApiDocument;
    const statuses: Record<string, number> = {};
    let before = await stateOf(environment);
    for (let n = 0; n < REQUESTS; n += 1) {
      const { operation, method, path, headers, body, mustRefuse } = fuzzedRequest(document, t.random, {
        ids,
        now: environment.clock.now(),
      });
      const init = { method, headers, ...(body && { body: new Uint8Array(body) }) };
      const { answer, text } = await watch.request(`${method} ${path}`, path, init);
      const strange = undocumented(document, operation, answer, text);
      if (strange !== undefined)
        watch.note([{ kind: 'undocumented', what: `${method} ${path} ${body?.toString() ?? ''}: ${strange} ${text}` }]);
      if (mustRefuse && answer.ok)
        watch.note([{ kind: 'forged', what: `${method} ${path} was accepted without valid credentials` }]);
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      const after = await stateOf(environment);
      const mayChange = (method === 'POST' || method === 'DELETE') && answer.ok;
      if (!mayChange && after !== before)
        watch.note([
          { kind: 'differing', what: `${method} ${path} was answered ${answer.status} and changed the database` },
        ]);
      before = after;
      if (n % 200 === 0) environment.clock.advance(61_000);
    }
    return watch.findings('', '', { requests: REQUESTS, statuses: JSON.stringify(statuses).replace(/[{}"]/g, '') });
  },
);

/** The proxy, with payments in most of their stages. */
async function open(t: FaultTest, gatewayUrl?: string) {
  const environment = await createEnvironment(t, createManualClock());
  const proxy = await serveInProcessProxy(t, environment, gatewayUrl === undefined ? {} : { gatewayUrl });
  t.defer(proxy.close);
  const watch = createWatch(proxy);
  const start = (orderId: string, method: string) => {
    const order = { orderId, amount: '10.10', currency: 'EUR', customerReferenceNo: 'c-1' };
    const headers = {
      Authorization: `Bearer ${signOrder(order, environment.clock.now())}`,
      'Idempotency-Key': 'k',
      'Content-Type': 'application/json',
    };
    const customer = method === 'DIRECT' ? { customer: '12345678' } : {};
    return watch.request(`start ${orderId}`, '/order/payments', {
      method: 'POST',
      headers,
      body: JSON.stringify({ method, ...customer }),
    });
  };
  const ids: [string, ...string[]] = ['known-0', ...Array.from({ length: 23 }, (_, n) => `known-${n + 1}`)];
  if (gatewayUrl === undefined) {
    await environment.gateway.control('faults', { ipn: { never: true } });
    for (const [n, id] of ids.entries()) await start(id, ['QR', 'JETGO', 'CHECKOUT'][n % 3] ?? 'QR');
    for (const id of ids.slice(0, 5)) await environment.gateway.act(id, 'approve');
    for (const id of ids.slice(5, 10)) await environment.gateway.act(id, 'decline');
    await proxy.pass(20_000);
  }
  return { environment, proxy, ids, watch, start };
}

type Problem = { kind: 'undocumented' | 'crashed' | 'leaked' | 'differing' | 'forged'; what: string };

/** Sends requests, and searches each answer for what must not be in it. */
function createWatch(proxy: Awaited<ReturnType<typeof serveInProcessProxy>>) {
  const problems: Partial<Record<Problem['kind'], string[]>> = {
    undocumented: [],
    crashed: [],
    leaked: [],
    differing: [],
  };
  const note = (found: readonly Problem[]) => {
    for (const { kind, what } of found)
      if ((problems[kind] ??= []).length < MAX_KEPT) problems[kind].push(what.slice(0, 600));
  };
  return {
    note,
    async request(what: string, path: string, init: RequestInit, allowed?: readonly number[]) {
      const answer = await proxy.app.request(path, init);
      const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
      if (isStream) await answer.body?.cancel();
      const text = isStream ? '' : await answer.text();
      if (answer.status === 500) note([{ kind: 'crashed', what: `${what}: ${text} ${proxy.log.at(-1)}` }]);
      if (allowed && !allowed.includes(answer.status))
        note([{ kind: 'undocumented', what: `${what}: ${answer.status} ${text}` }]);
      const seen = `${text} ${JSON.stringify([...answer.headers])} ${proxy.log.splice(0).join(' ')}`;
      note(leaksIn(seen).map((leak) => ({ kind: 'leaked', what: `${what}: ${leak}` })));
      return { answer, text };
    },
    findings(before: string, after: string, counts: Findings['counts']): Findings {
      if (before !== after) note([{ kind: 'differing', what: `the database was\n${before}\nand is\n${after}` }]);
      return { problems, counts };
    },
  };
}

/** All that concerns money or webhooks, but not how often an IPN came or a webhook was tried. */
async function stateOf({ databaseUrl }: Environment): Promise<string> {
  const { orders, transactions, history, webhooks } = await readDatabase(databaseUrl);
  const sent = webhooks.map(({ id, type }) => [id, type]);
  return JSON.stringify({ orders, transactions, history, sent });
}

function fuzzedIpn(random: Random, ids: readonly [string, ...string[]]): Uint8Array<ArrayBuffer> {
  const valid = {
    paymentId: random.between(100_001, 100_040),
    orderId: random.chance(0.8) ? random.pick(ids) : junkText(random),
    type: random.pick(['PAY', 'PAY', 'PAYOUT']),
    amount: random.pick([10.1, 10, 1e9]),
    currency: random.pick(['EUR', 'USD']),
    status: random.pick(['SUCCESS', 'FAILED', 'ERROR', 'PROCESSING']),
    n: random.between(0, 1e9),
  };
  const text = random.chance(0.5) ? JSON.stringify(valid) : mutatedMessage(valid, random);
  const kind = random.between(0, 9);
  if (kind === 0) return new Uint8Array(mutatedBytes(text, random));
  if (kind === 1) return new Uint8Array(Buffer.from(junkJson(random)));
  if (kind === 2) return new Uint8Array(random.bytes(random.between(0, 200)));
  if (kind === 3)
    return new Uint8Array(
      Buffer.from(random.pick([nested(9), nested(3_000), 'x'.repeat(16_385), '['.repeat(16_000), ''])),
    );
  return new Uint8Array(Buffer.from(text));
}
