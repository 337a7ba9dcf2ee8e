// What each SQL statement of the ledger reads of a large PostgreSQL database, as the server says of the plan that it
// ran (auto_explain), triggers included: a few rows by an index, never a whole table or index, and nothing that grows
// is sorted. The statements are those that run when every method is called.
import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { Client } from 'pg';
import { connectDatabase } from '../../backend-proxy/ledger/connect.ts';
import { callEveryMethod } from '../backend-proxy/ledger/every-method.ts';
import { fillings, type Filling } from '../backend-proxy/ledger/large-database.ts';
import { startPostgres, whyNoPostgres, type PostgresServer } from './server.ts';

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

interface Step {
  texts: string[];
  plans: { text: string; plan: PlanNode }[];
}

interface Conditions {
  filling: Filling;
  /** Whether the planner has statistics. */
  isAnalyzed: boolean;
  /** Plans of prepared statements: for each value, or for all values, as the server chooses after some runs. */
  plans: 'force_custom_plan' | 'force_generic_plan';
}

/** Against a hang: a poll that fails runs no statement. */
const MAX_POLL_MS = 60_000;

/** Statements that the store prepares; the server may plan those once for all values. */
const prepared = new Set<string>();

const GROWING = new Set(['orders', 'transactions', 'history', 'ipns', 'webhooks']);
/** Rows that one scan may read: a page of a list is 51, with the history of each. */
const MAX_ROWS = 150;
/** Rows that are sorted or merged: such a page of each of 20 ranges. */
const MAX_MERGED = 20 * 51;
/** Pages of a write, the recent IPNs of a claim, and the due that are counted. */
const MORE_ROWS: Record<string, number> = {
  'a report of unmatched IPNs': 500,
  'a prune': 1_000,
  'a claim of checks': 1_000,
  'a claim after a clock step': 1_000,
  'a recovery': 1_000,
  counts: 100_000,
  sums: 15_000,
  // All that changed in the last 25 seconds; for the value that finds every row, that is all rows.
  'a poll': 110_000,
};

/** Round trips to the server, and commits. */
const COSTS = {
  'a start': [2, 1],
  'a repeated start': [1, 0],
  'a start that replaces another': [2, 1],
  'a start with a prompt': [4, 1],
  'an answer': [2, 1],
  'a view': [1, 0],
  'an IPN': [2, 1],
  'an IPN with its claim': [2, 1],
  'a claim of checks': [2, 1],
  'an observation': [2, 1],
  'a payout': [2, 1],
  'a refund': [2, 1],
  'another refund': [2, 1],
  'a poll': [1, 0],
};
const IS_WRITE = /^\s*(with (gate|recent)|insert|update|delete)\b/;
/** Of a new connection, and announcements, for which nothing waits. */
const IS_BESIDE = /^(select set_config|select substr\(pg_walfile_name|listen|select pg_notify)\b/;

/**
 * Reads all that changed lately. Without statistics the server expects that to be a third of all rows, until autovacuum
 * has counted them.
 */
const IS_POLL = /^select o\.order_id, o\.version from \(select order_id/;

/** Parts of a plan that scan a table, or read or sort more rows than the step may. */
function problemsOf(step: string, node: PlanNode): string[] {
  const { 'Node Type': type, 'Relation Name': relation = '' } = node;
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const rows = Math.round((node['Actual Rows'] + removed) * node['Actual Loops']);
  const most = MORE_ROWS[step] ?? (type.endsWith('Scan') ? MAX_ROWS : MAX_MERGED);
  const isScan = type === 'Seq Scan' && GROWING.has(relation);
  const problem = isScan || rows > most ? [`${step}: ${type} of ${relation}, ${rows} rows`] : [];
  return [...problem, ...(node.Plans ?? []).flatMap((part) => problemsOf(step, part))];
}

async function asAdmin(url: string, ...texts: string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const text of texts) await client.query(text);
  await client.end();
}

function runEveryMethod(url: string): Promise<Map<string, Step>> {
  let current: Step = { texts: [], plans: [] };
  const heard = new WeakSet<Client>();
  const original = Client.prototype.query as (...given: unknown[]) => unknown;
  mock.method(
    Client.prototype,
    'query',
    function record(this: Client, ...given: [string | { text: string; name?: string }, ...unknown[]]) {
      if (!heard.has(this)) {
        heard.add(this);
        this.on('notice', ({ message = '' }) => {
          const [, json] = /plan:\s*({.*})\s*$/s.exec(message) ?? [];
          if (json === undefined) return;
          const { 'Query Text': text, Plan: plan } = JSON.parse(json) as { 'Query Text': string; Plan: PlanNode };
          current.plans.push({ text, plan });
        });
      }
      const [query] = given;
      current.texts.push(typeof query === 'string' ? query : query.text);
      if (typeof query !== 'string' && query.name !== undefined) prepared.add(query.text);
      return original.apply(this, given);
    },
  );
  return callEveryMethod(url, {
    taken() {
      const step = current;
      current = { texts: [], plans: [] };
      return step;
    },
    async polled() {
      const deadline = Date.now() + MAX_POLL_MS;
      while (current.plans.length === 0) {
        // Without an end, this would go on after the limit of the test, and the file would hang.
        assert.ok(Date.now() < deadline, 'the poll ran no statement');
        await new Promise(setImmediate);
      }
    },
  });
}

const why = whyNoPostgres();
describe('PostgreSQL: 100,000 payments', { skip: why === undefined ? false : `skipped: ${why}` }, () => {
  let server: PostgresServer;
  const filled = new Map<Filling, string>();

  before(async () => {
    server = await startPostgres();
    // As the first database of a server, with nothing else under way.
    await asAdmin(await server.createDatabase(), 'alter system set autovacuum = off', 'select pg_reload_conf()');
    await Promise.all((['usual', 'extreme'] as const).map(fill));
  });
  after(() => server.end());

  async function fill(filling: Filling): Promise<void> {
    const url = await server.createDatabase();
    const store = await connectDatabase(url, (error) => assert.fail(String(error)));
    await store.close();
    const texts = fillings(filling, (most) => `generate_series(1::bigint, ${most}) as numbers(n)`);
    await asAdmin(url, 'set synchronous_commit = off; set session_replication_role = replica', ...texts);
    filled.set(filling, url);
  }

  async function run({ filling, isAnalyzed, plans }: Conditions): Promise<Map<string, Step>> {
    const url = filled.get(filling) ?? '';
    const template = url.split('/').at(-1);
    const name = `${template}_${isAnalyzed}_${plans}`;
    const settings = {
      session_preload_libraries: 'auto_explain',
      'auto_explain.log_min_duration': '0',
      'auto_explain.log_analyze': 'on',
      'auto_explain.log_timing': 'off',
      'auto_explain.log_nested_statements': 'on',
      'auto_explain.log_format': 'json',
      'auto_explain.log_level': 'warning',
      plan_cache_mode: plans,
    };
    const set = Object.entries(settings).map(([key, value]) => `alter database ${name} set ${key} = '${value}'`);
    await asAdmin(url.replace(/[^/]+$/, 'postgres'), `create database ${name} template ${template}`, ...set);
    const copy = url.replace(/[^/]+$/, name);
    if (isAnalyzed) await asAdmin(copy, 'analyze');
    return runEveryMethod(copy);
  }

  function problemsIn(steps: Map<string, Step>, applies: (text: string) => boolean): string[] {
    return [...steps].flatMap(([name, { plans }]) =>
      plans.flatMap(({ text, plan }) =>
        applies(text) ? problemsOf(name, plan).map((each) => `${each}: ${text}`) : [],
      ),
    );
  }

  it('no statement reads or sorts much of a usual database, and each operation takes as many as written here', async () => {
    const steps = await run({ filling: 'usual', isAnalyzed: true, plans: 'force_custom_plan' });
    assert.deepEqual(
      problemsIn(steps, () => true),
      [],
    );
    const costs = Object.keys(COSTS).map((name) => {
      const texts = steps.get(name)?.texts.filter((text) => !IS_BESIDE.test(text)) ?? [];
      return [name, [texts.length, texts.filter((text) => IS_WRITE.test(text)).length]];
    });
    assert.deepEqual(Object.fromEntries(costs), COSTS);
  });

  it('no statement reads or sorts much of an extreme database', async () => {
    const steps = await run({ filling: 'extreme', isAnalyzed: true, plans: 'force_custom_plan' });
    assert.deepEqual(
      problemsIn(steps, () => true),
      [],
    );
  });

  it('no prepared statement reads or sorts much if it was planned without statistics, for any value', async () => {
    const steps = await run({ filling: 'extreme', isAnalyzed: false, plans: 'force_generic_plan' });
    assert.ok(prepared.size > 30, `${prepared.size} prepared statements`);
    const problems = problemsIn(steps, (text) => prepared.has(text) && !IS_POLL.test(text));
    assert.deepEqual(problems, []);
  });
});
