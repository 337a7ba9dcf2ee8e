// Two proxies on one PostgreSQL database: the delay of an event when its stream is open at another proxy than the one
// that the IPN reached.
import assert from 'node:assert/strict';
import { quantile, spread, table } from '../../table.ts';
import { atMost, ratios, type Measured } from '../findings.ts';
import type { Lab } from '../lab.ts';
import { countStored } from '../stored.ts';

const ROUNDS_AT_MOST = 3;
const IPNS_PER_SECOND = 20;
const WAIT_SECONDS = 15;

/** IPNs all reach proxy A; the streams of every other order are open at B. */
export async function measureOtherProxy(lab: Lab): Promise<Measured> {
  const count = lab.sized({ full: 100, quick: 20, smoke: 2 });
  const delays: { atA: number[]; atB: number[] } = { atA: [], atB: [] };
  for (let round = 0; round < lab.roundsAtMost(ROUNDS_AT_MOST); round++) {
    const database = await lab.createDatabase('PostgreSQL');
    const start = (cpu: number) => lab.start('proxy', { database, isShared: true, cpu });
    const [a, b] = await Promise.all([start(0), start(1)]);
    const turns = [await lab.openOrders(a, count), await lab.openOrders(a, count, b)];
    const [toA, toB] = await Promise.all(turns.map((orders) => lab.ring(a, orders, IPNS_PER_SECOND, WAIT_SECONDS)));
    delays.atA.push(quantile(toA?.toEvent ?? [], 0.5));
    delays.atB.push(quantile(toB?.toEvent ?? [], 0.5));
    await lab.load.call('closeStreams');
    await Promise.all([a.end(), b.end()]);
    const answered = { transactions: a.done.transactions + b.done.transactions, ipns: a.done.ipns + b.done.ipns };
    assert.deepEqual(await countStored(database), answered, 'the proxies stored what they answered with success');
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
