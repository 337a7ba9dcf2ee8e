// What each SQL statement of the ledger reads of a large SQLite database: a range of an index, never a whole table or
// index, and nothing that grows is sorted. The statements are those that run when every method is called.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, StatementSync, type SQLInputValue } from 'node:sqlite';
import { before, describe, it, mock, after } from 'node:test';
import { writeEmptyDatabase } from './empty-database.ts';
import { callEveryMethod } from './every-method.ts';
import { fillings, type Filling } from './large-database.ts';

interface Run {
  text: string;
  parameters: SQLInputValue[];
}

/** Writes a file, and beside it a copy with the statistics of an ANALYZE. */
async function fill(file: string, filling: Filling): Promise<void> {
  await writeEmptyDatabase(file);
  const database = new DatabaseSync(file);
  database.exec('pragma synchronous = off; begin');
  const numbers = (most: number) =>
    `(with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${most}) select n from numbers)`;
  for (const text of fillings(filling, numbers)) database.exec(text);
  database.exec('commit; pragma wal_checkpoint(truncate)');
  copyFileSync(file, `${file}.analyzed`);
  database.close();
  const analyzed = new DatabaseSync(`${file}.analyzed`);
  analyzed.exec('analyze');
  analyzed.close();
}

/** The statements that run when every method is called, by step. */
function runEveryMethod(file: string): Promise<Map<string, Run[]>> {
  const current: Run[] = [];
  for (const method of ['all', 'run', 'get', 'iterate'] as const) {
    const original = StatementSync.prototype[method] as (...parameters: SQLInputValue[]) => unknown;
    mock.method(StatementSync.prototype, method, function record(this: StatementSync, ...parameters: SQLInputValue[]) {
      current.push({ text: this.sourceSQL, parameters });
      return original.apply(this, parameters);
    });
  }
  const taken = () => current.splice(0);
  return callEveryMethod(`file:${file}`, { taken, polled: () => new Promise(setImmediate) });
}

const IS_COMMIT_OR_PART = /^(begin|commit|savepoint|release|rollback)/;

/** Small tables, parts of a statement that are limited, the rows of an insert, and rows that were found by their id. */
const SMALL = /^SCAN (meta|recent|swept|newest|due|page|CONSTANT ROW|\d+-ROW VALUES CLAUSE)\b|^SEARCH .*\(id=\?\)$/;

/**
 * The lines of its plan that scan a table or an index, or that sort anything but parts that are limited. An index may
 * be read from its end as far as a limit goes; the pages that this reads are counted below.
 */
function scansAndSorts(database: DatabaseSync, text: string): string[] {
  const plan = database.prepare(`explain query plan ${text}`).all() as { parent: number; detail: string }[];
  const sources = (parent: number) =>
    plan.filter((line) => line.parent === parent && /^(SCAN|SEARCH) /.test(line.detail));
  const isFine = ({ parent, detail }: { parent: number; detail: string }) => {
    if (detail.includes('TEMP B-TREE')) {
      return sources(parent).length > 0 && sources(parent).every((source) => SMALL.test(source.detail));
    }
    const isLimited = / USING (COVERING )?INDEX /.test(detail) && /\blimit \?\)?( as "page")?$/.test(text);
    return !detail.startsWith('SCAN ') || SMALL.test(detail) || isLimited;
  };
  return plan.filter((line) => !isFine(line)).map(({ detail }) => `${detail}: ${text}`);
}

/** Pages read by a statement with an empty cache. What it changes is rolled back. */
function pagesRead(database: DatabaseSync, { text, parameters }: Run): number {
  const bytesRead = () => Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'latin1'))?.[1]);
  const statement = database.prepare(text);
  database.exec('pragma shrink_memory; begin immediate');
  const start = bytesRead();
  try {
    statement.all(...parameters);
  } catch {
    // It inserts a row that is there by now.
  }
  const pages = Math.floor((bytesRead() - start) / 4096);
  database.exec('rollback');
  return pages;
}

/** Less than a tenth of any index. */
const MAX_PAGES = 150;
/** A claim and a recovery look through 1,000 rows of the table at most, and what is open is counted up to 40,000. */
const MORE_PAGES: Record<string, number> = { 'a claim of checks': 1_200, 'a recovery': 1_200, counts: 400, sums: 600 };

for (const filling of ['usual', 'extreme'] as const) {
  describe(`SQLite: 100,000 payments, ${filling}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'plans-'));
    const file = join(folder, 'payments.db');
    let steps = new Map<string, Run[]>();
    let database: DatabaseSync;

    before(async () => {
      await fill(file, filling);
      steps = await runEveryMethod(file);
      database = new DatabaseSync(file);
    });
    after(() => {
      database.close();
      rmSync(folder, { recursive: true, force: true });
    });

    it(`no statement scans or sorts what grows, before and after an ANALYZE (${filling})`, () => {
      const texts = [...steps.values()].flat().flatMap(({ text }) => (IS_COMMIT_OR_PART.test(text) ? [] : [text]));
      const all = [...new Set(texts)];
      assert.ok(all.length > 80, `${all.length} statements`);
      const problems = all.flatMap((text) => scansAndSorts(database, text));
      assert.deepEqual(problems, []);
      const analyzed = new DatabaseSync(`${file}.analyzed`);
      const found = all.flatMap((text) => scansAndSorts(analyzed, text));
      analyzed.close();
      assert.deepEqual(found, []);
    });

    const skip = process.platform === 'linux' ? false : 'skipped: only Linux counts what a process reads';
    it(`no statement reads more than a few pages of the file (${filling})`, { skip }, () => {
      const seen = new Set<string>();
      for (const [name, runs] of steps) {
        for (const run of runs) {
          if (IS_COMMIT_OR_PART.test(run.text) || seen.has(run.text)) continue;
          seen.add(run.text);
          const pages = pagesRead(database, run);
          assert.ok(pages <= (MORE_PAGES[name] ?? MAX_PAGES), `${name}: ${pages} pages by ${run.text}`);
        }
      }
    });
  });
}
