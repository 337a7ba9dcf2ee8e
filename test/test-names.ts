// The names of a file's tests, for the tests that compare a document with them.
import { readFileSync } from 'node:fs';

/** As written between any of the three quotes. */
export function testsOf(file: string): string[] {
  const calls = readFileSync(file, 'utf8').matchAll(
    /\b(?:it|test|faultTest)\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`([^`]*)`)/g,
  );
  return [...calls].map(([, single, double, template]) => (single ?? double ?? template ?? '').replace(/\\(.)/g, '$1'));
}
