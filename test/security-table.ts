// Reads the attacks of docs/threats.md, which are items of lists, and the names of a file's tests.
// Used by the tests that compare the two, and by `npm run test:guards`.
import { readFileSync } from 'node:fs';

export interface Row {
  attack: string;
  guards: string[];
  file: string;
  test: string;
}

/** Guard and test of an attack are nested items; a part that is missing reads as ''. */
export function attackRows(): Row[] {
  return readFileSync('docs/threats.md', 'utf8')
    .replaceAll(/^#.*$/gm, '')
    .split(/^- /m)
    .slice(1)
    .map((item) => item.replaceAll(/\n(?! {2}- )\s*/g, ' '))
    .map((item) => {
      const [, attack = ''] = /^\*\*(.+?)\.\*\* \S/.exec(item) ?? [];
      const [, guard = ''] = /^ {2}- Guard: (.+)/m.exec(item) ?? [];
      const guards = [...guard.matchAll(/`([\w/.-]+\.m?[tj]s|docs\/deploy\/[\w.]+)`/g)].map(([, path = '']) => path);
      const [, file = '', test = ''] = /^ {2}- Test: `(test\/[\w/.-]+\.ts)`: (.+)/m.exec(item) ?? [];
      return { attack, guards, file, test: test.trimEnd().replaceAll('\\<', '<') };
    });
}

/** The names of a file's tests, as written between any of the three quotes. */
export function testsOf(file: string): string[] {
  const calls = readFileSync(file, 'utf8').matchAll(
    /\b(?:it|test|faultTest)\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`([^`]*)`)/g,
  );
  return [...calls].map(([, single, double, template]) => (single ?? double ?? template ?? '').replace(/\\(.)/g, '$1'));
}
