// Reads the attack table of SECURITY.md, and the names of a file's tests: for the tests that hold the one to the other, and
// for `npm run test:guards`.
import { readFileSync } from 'node:fs';

export interface Row {
  attack: string;
  guards: string[];
  file: string;
  test: string;
}

export function attackRows(): Row[] {
  const lines = readFileSync('SECURITY.md', 'utf8').split('\n');
  const table = lines.slice(lines.findIndex((line) => /^\| attack +\|/.test(line)) + 2);
  return table
    .slice(
      0,
      table.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) => {
      const [, attack = '', , guard = '', tested = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
      const guards = [...guard.matchAll(/`([\w/.-]+\.m?[tj]s)`/g)].map(([, path = '']) => path);
      const [, file = '', test = ''] = /^`(test\/[\w/.-]+\.ts)`: (.+)$/.exec(tested) ?? [];
      return { attack, guards, file, test };
    });
}

/** The names of a file's tests, as written between any of the three quotes. */
export function testsOf(file: string): string[] {
  const calls = readFileSync(file, 'utf8').matchAll(
    /\b(?:it|test|trial)\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`([^`]*)`)/g,
  );
  return [...calls].map(([, single, double, template]) => (single ?? double ?? template ?? '').replace(/\\(.)/g, '$1'));
}
