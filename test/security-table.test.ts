// Compares docs/threats.md with the project: each attack names guards and a test that exist, and each guard has an edit
// that removes it and fits the code. `npm run test:guards`, which is too slow for each run, shows that the test fails.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { changesOf, withoutGuard } from './guards/apply.ts';
import { EDITS } from './guards/edits.ts';
import { attackRows, testsOf } from './security-table.ts';

it('docs/threats.md has at least 50 attacks, each with a name, a guard and a test', () => {
  assert.ok(attackRows().length >= 50, `${attackRows().length} rows`);
  for (const { attack, guards, file, test } of attackRows()) {
    assert.ok(attack !== '' && guards.length > 0 && file !== '' && test !== '', attack);
  }
});

it('docs/threats.md names guards that exist', () => {
  const missing = attackRows().flatMap(({ attack, guards }) =>
    guards.filter((path) => !existsSync(path)).map((path) => `${attack}: ${path}`),
  );
  assert.deepEqual(missing, []);
});

it('docs/threats.md names tests that exist in the file that it names', () => {
  const missing = attackRows().filter(({ file, test }) => !existsSync(file) || !testsOf(file).includes(test));
  assert.deepEqual(missing, []);
});

it('test/guards/edits.ts has an edit for each attack of docs/threats.md, and none for another', () => {
  const attacks = attackRows().map(({ attack }) => attack);
  assert.equal(new Set(attacks).size, attacks.length, 'no two have the same name');
  const withoutEdit = attacks.filter((attack) => (EDITS[attack] ?? []).length === 0);
  const gone = Object.keys(EDITS).filter((attack) => !attacks.includes(attack));
  assert.deepEqual({ withoutEdit, gone }, { withoutEdit: [], gone: [] });
});

it('docs/threats.md names exactly the guards that the edits of an attack remove', () => {
  const differing = attackRows().flatMap(({ attack, guards }) => {
    const named = new Set(guards);
    const edited = new Set((EDITS[attack] ?? []).flatMap(changesOf).map(([file]) => file));
    return named.symmetricDifference(edited).size > 0 ? [{ attack, named: [...named], edited: [...edited] }] : [];
  });
  assert.deepEqual(differing, []);
});

it('SECURITY.md has at least ten attacks, each by its name in docs/threats.md and with guards that exist', () => {
  const listed = [...readFileSync('SECURITY.md', 'utf8').matchAll(/^\d+\. \*\*(.+?)\.\*\* ([^]+?)\n(?=\d+\. |\n)/gm)];
  const known = new Set(attackRows().map(({ attack }) => attack));
  assert.ok(listed.length > 10, `${listed.length}`);
  for (const [, attack = '', text = ''] of listed) {
    const guards = [...text.matchAll(/`([\w/.-]+\.ts)`/g)].map(([, path = '']) => path);
    assert.ok(known.has(attack) && guards.length > 0 && guards.every((path) => existsSync(path)), attack);
  }
});

it('the text that an edit replaces is in its file exactly once', () => {
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
