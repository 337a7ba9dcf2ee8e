// Holds SECURITY.md to the project: each row of its attack table names guards that exist and a test that exists, in the file
// where it is said to be. Whether the test fails without the guard is for mutation testing to say.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

interface Row {
  attack: string;
  guards: string[];
  file: string;
  test: string;
}

function rows(): Row[] {
  const lines = readFileSync('SECURITY.md', 'utf8').split('\n');
  const table = lines.slice(lines.findIndex((line) => /^\| attack +\|/.test(line)) + 2);
  return table
    .slice(
      0,
      table.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) => {
      const [, attack = '', , guard = '', tested = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
      const guards = [...guard.matchAll(/`([\w/.-]+\.ts)`/g)].map(([, path = '']) => path);
      const [, file = '', test = ''] = /^`(test\/[\w/.-]+\.ts)`: (.+)$/.exec(tested) ?? [];
      return { attack, guards, file, test };
    });
}

/** The names of a file's tests, as written between any of the three quotes. */
function testsOf(file: string): string[] {
  const calls = readFileSync(file, 'utf8').matchAll(
    /\b(?:it|test|trial)\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`([^`]*)`)/g,
  );
  return [...calls].map(([, single, double, template]) => (single ?? double ?? template ?? '').replace(/\\(.)/g, '$1'));
}

describe("SECURITY.md's attack table", () => {
  it('has a row for each attack, whole', () => {
    assert.ok(rows().length >= 50, `${rows().length} rows`);
    for (const { attack, guards, file, test } of rows()) {
      assert.ok(attack !== '' && guards.length > 0 && file !== '' && test !== '', attack);
    }
  });

  it('names guards that exist', () => {
    const missing = rows().flatMap(({ attack, guards }) =>
      guards.filter((path) => !existsSync(path)).map((path) => `${attack}: ${path}`),
    );
    assert.deepEqual(missing, []);
  });

  it('names tests that exist, where they are', () => {
    const missing = rows().filter(({ file, test }) => !existsSync(file) || !testsOf(file).includes(test));
    assert.deepEqual(missing, []);
  });
});
