// The statements of the first step, which a database that has made it never makes again.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';
import { DIALECTS, type Dialect } from '../../../backend-proxy/ledger/schema/dialect.ts';
import { FIRST_STEP } from '../../../backend-proxy/ledger/schema/steps.ts';

const RECORDED: Record<Dialect | 'name', string> = {
  name: '2026-12-tables-2',
  sqlite: '5b7fa42dce7ff87e',
  postgres: 'cf9ac55e27d98f33',
};

/** Without the two values that are random in each database. */
function digestOf(dialect: Dialect): string {
  const statements = FIRST_STEP.change(DIALECTS[dialect]).map((statement) =>
    statement.replaceAll(/'[\w-]{36,43}'/g, "'random'").replaceAll(/\s+/g, ' '),
  );
  return createHash('sha256').update(statements.join(';')).digest('hex').slice(0, 16);
}

it('the first step is as it was released', () => {
  const now = { name: FIRST_STEP.name, sqlite: digestOf('sqlite'), postgres: digestOf('postgres') };
  assert.deepEqual(
    now,
    RECORDED,
    'The statements of the first step differ, also if they are made of another file, such as TRANSACTION_TYPES. ' +
      `A database that has its tables never makes them: once ${FIRST_STEP.name} is released, keep them and add a step ` +
      'to STEPS (CONTRIBUTING.md, "A change of a table"). Before that, give the step another name, so that a start ' +
      'refuses a database of an earlier build, and write the new digests here: ' +
      JSON.stringify(now),
  );
});
