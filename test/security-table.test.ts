// Holds SECURITY.md to the project: each row of its attack table names guards that exist and a test that exists, in the file
// where it is said to be, and each guard has an edit that takes it away and fits the code. That the test then fails is shown by
// `npm run test:guards`, which takes too long for every run.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { changesOf, withoutGuard } from './guards/apply.ts';
import { EDITS } from './guards/edits.ts';
import { attackRows, testsOf } from './security-table.ts';

describe("SECURITY.md's attack table", () => {
  it('has at least 50 attacks, each with a name, a guard and a test', () => {
    assert.ok(attackRows().length >= 50, `${attackRows().length} rows`);
    for (const { attack, guards, file, test } of attackRows()) {
      assert.ok(attack !== '' && guards.length > 0 && file !== '' && test !== '', attack);
    }
  });

  it('names guards that exist', () => {
    const missing = attackRows().flatMap(({ attack, guards }) =>
      guards.filter((path) => !existsSync(path)).map((path) => `${attack}: ${path}`),
    );
    assert.deepEqual(missing, []);
  });

  it('names tests that exist, where they are', () => {
    const missing = attackRows().filter(({ file, test }) => !existsSync(file) || !testsOf(file).includes(test));
    assert.deepEqual(missing, []);
  });

  it('has an edit for each of its rows, and none for a row that is gone', () => {
    const attacks = attackRows().map(({ attack }) => attack);
    assert.equal(new Set(attacks).size, attacks.length, 'no two have the same name');
    const withoutEdit = attacks.filter((attack) => (EDITS[attack] ?? []).length === 0);
    const gone = Object.keys(EDITS).filter((attack) => !attacks.includes(attack));
    assert.deepEqual({ withoutEdit, gone }, { withoutEdit: [], gone: [] });
  });

  it('names the guards that its edits take away, and no others', () => {
    const differing = attackRows().flatMap(({ attack, guards }) => {
      const named = new Set(guards);
      const edited = new Set((EDITS[attack] ?? []).flatMap(changesOf).map(({ file }) => file));
      return named.symmetricDifference(edited).size > 0 ? [{ attack, named: [...named], edited: [...edited] }] : [];
    });
    assert.deepEqual(differing, []);
  });

  it('has edits that fit: each text to find is in its file exactly once', () => {
    const unfit = Object.entries(EDITS).flatMap(([attack, edits]) =>
      edits.flatMap((edit) => {
        try {
          withoutGuard(edit);
          return [];
        } catch (error) {
          return [`${attack}: ${String(error)}`];
        }
      }),
    );
    assert.deepEqual(unfit, []);
  });
});
