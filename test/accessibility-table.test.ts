// Compares ACCESSIBILITY.md with the project: each row names a test that exists, or says that a person has to look, or
// that it does not apply; and each criterion of WCAG 2.2 at levels A and AA has a row.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { testsOf } from './test-names.ts';

/** By their chapters, for example 1.1: how each level A or AA criterion ends. 4.1.1 was withdrawn. */
const CRITERIA: Record<string, number[]> = {
  '1.1': [1],
  '1.2': [1, 2, 3, 4, 5],
  '1.3': [1, 2, 3, 4, 5],
  '1.4': [1, 2, 3, 4, 5, 10, 11, 12, 13],
  '2.1': [1, 2, 4],
  '2.2': [1, 2],
  '2.3': [1],
  '2.4': [1, 2, 3, 4, 5, 6, 7, 11],
  '2.5': [1, 2, 3, 4, 7, 8],
  '3.1': [1, 2],
  '3.2': [1, 2, 3, 4, 6],
  '3.3': [1, 2, 3, 4, 7, 8],
  '4.1': [2, 3],
};

const DOCUMENT = readFileSync('ACCESSIBILITY.md', 'utf8');

const rows = [...DOCUMENT.matchAll(/^\| +(?!Clause|-)(.+?) +\| +(.+?) +\| +(.+?) +\|$/gm)].map(
  ([, clause = '', how = '', held = '']) => ({ clause, how, held }),
);

/** Each test by its word in the tables. */
const tests = new Map(
  [...DOCUMENT.matchAll(/^- \*\*(\w+)\*\*: `(test\/[\w/.-]+\.ts)`:\s+([^]+?)$(?=\n- |\n*$(?![^]))/gm)].map(
    ([, word = '', file = '', name = '']) => [word, { file, name: name.replaceAll(/\s+/g, ' ') }],
  ),
);

it('ACCESSIBILITY.md has a row for each criterion of WCAG 2.2 at levels A and AA', () => {
  const listed = new Set(rows.flatMap(({ clause }) => criteriaIn(clause)));
  const all = Object.entries(CRITERIA).flatMap(([chapter, ends]) => ends.map((end) => `${chapter}.${end}`));
  assert.equal(all.length, 55);
  const unlisted = all.filter((each) => !listed.has(each));
  assert.deepEqual(unlisted, []);
});

it('each row of ACCESSIBILITY.md names its tests, a person, or that it is not applicable', () => {
  assert.ok(rows.length > 50, `${rows.length} rows`);
  const empty = rows.filter(
    ({ held }) =>
      held !== 'not applicable' &&
      held !== 'by a person: not yet' &&
      !held.split(', ').every((word) => tests.has(word)),
  );
  assert.deepEqual(empty, []);
});

it('the tests that ACCESSIBILITY.md lists exist, and each holds a row', () => {
  const missing = [...tests].filter(([, { file, name }]) => !existsSync(file) || !testsOf(file).includes(name));
  assert.deepEqual(missing, []);
  const used = new Set(rows.flatMap(({ held }) => held.split(', ')));
  const unused = [...tests.keys()].filter((word) => !used.has(word));
  assert.deepEqual(unused, []);
});

/** `1.2.1 to 1.2.5, 1.4.2` as the criteria that it names. */
function criteriaIn(clause: string): string[] {
  return [...clause.matchAll(/\b(\d\.\d)\.(\d+)(?: to \1\.(\d+))?/g)].flatMap(([, chapter = '', first, last = first]) =>
    Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => `${chapter}.${Number(first) + at}`),
  );
}
