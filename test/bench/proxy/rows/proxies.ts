// Several proxies on one PostgreSQL database: the delay of an event when its stream is open at another proxy than the
// one that the IPN reached, and payments a second of one proxy and of four.
import assert from 'node:assert/strict';
import { median, quantile, spread, table } from '../../table.ts';
import { atMost, figures, ratesTable, ratios, type Measured } from '../findings.ts';
import type { Lab, Rate } from '../lab.ts';
import type { Server } from '../servers.ts';
import { countStored } from '../stored.ts';

const ROUNDS_AT_MOST = 3;
const IPNS_PER_SECOND = 20;
const WAIT_SECONDS = 15;
const CONNECTIONS = 32;

/** IPNs all reach proxy A; the streams of every other order are open at B. */
export async function measureOtherProxy(lab: Lab): Promise<Measured> {
  const count = lab.sized({ full: 100, quick: 20, smoke: 2 });
  const delays: { atA: number[]; atB: number[] } = { atA: [], atB: [] };
  for (let round = 0; round < lab.roundsAtMost(ROUNDS_AT_MOST); round++) {
    const database = await lab.createDatabase('PostgreSQL');
    const [a, b] = await startTogether(lab, database, 2);
    assert.ok(a && b);
    const turns = [await lab.openOrders(a, count), await lab.openOrders(a, count, b)];
    const [toA, toB] = await Promise.all(turns.map((orders) => lab.ring(a, orders, IPNS_PER_SECOND, WAIT_SECONDS)));
    delays.atA.push(quantile(toA?.toEvent ?? [], 0.5));
    delays.atB.push(quantile(toB?.toEvent ?? [], 0.5));
    await lab.load.call('closeStreams');
    await endTogether([a, b], database);
  }
  const rows = [
    ['stream at A', spread(delays.atA, 2)],
    ['at B', spread(delays.atB, 2)],
  ];
  return {
    text: table(['IPN at A', 'IPN → event, p50 ms'], rows),
    findings: [atMost('IPN at A → event at B / at A', 1.15, ratios(delays.atB, delays.atA))],
  };
}

export async function measureFourProxies(lab: Lab): Promise<Measured> {
  const names = ['one proxy', 'four proxies'] as const;
  const most = lab.sized({ full: 4, quick: 4, smoke: 2 });
  const measured = await lab.inTurns(names, lab.roundsAtMost(ROUNDS_AT_MOST), async (name) => {
    const database = await lab.createDatabase('PostgreSQL');
    const servers = await startTogether(lab, database, name === 'one proxy' ? 1 : most);
    const how = { connections: CONNECTIONS / servers.length };
    const rates = await Promise.all(servers.map((server) => lab.rate(server, 'start', how)));
    await endTogether(servers, database);
    return inSum(rates);
  });
  return { text: `${ratesTable('payments', measured, 'one proxy')}\nAll share two processors.`, findings: [] };
}

function startTogether(lab: Lab, database: string, many: number): Promise<Server[]> {
  const settings = { database, isShared: true };
  return Promise.all(Array.from({ length: many }, (_, at) => lab.start('proxy', { ...settings, cpu: at % 2 })));
}

async function endTogether(servers: readonly Server[], database: string): Promise<void> {
  await Promise.all(servers.map((server) => server.end()));
  const answered = { transactions: 0, ipns: 0 };
  for (const { done } of servers) {
    answered.transactions += done.transactions;
    answered.ipns += done.ipns;
  }
  assert.deepEqual(await countStored(database), answered, 'the proxies stored what they answered with success');
}

function inSum(rates: readonly Rate[]): Rate {
  const middle = (figure: keyof Rate) => median(figures(rates, figure));
  return {
    perSecond: rates.reduce((sum, { perSecond }) => sum + perSecond, 0),
    cpuMicroseconds: middle('cpuMicroseconds'),
    p50Ms: middle('p50Ms'),
    p99Ms: middle('p99Ms'),
    loadShare: middle('loadShare'),
  };
}
