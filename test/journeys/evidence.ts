// Gathers what a run leaves behind that could contain a secret: the processes' logs, what the browsers received and
// showed, the webhooks, the database's bytes. The caller decides what must not be found. Answers to requests that no
// browser sends are in test/backend-proxy/config/secrets.test.ts.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stack } from '../../demo/stack.ts';
import type { Search } from '../secret-search.ts';

export interface Evidence {
  logs: string[];
  HAR: Uint8Array[];
  pages: string[];
  webhooks: string[];
  database: Uint8Array[];
}

interface Sources {
  stack: Stack;
  /** The folder with the database and the browsers' HAR files. */
  dir: string;
  pages: readonly string[];
  webhooks: readonly string[];
}

/** The stack keeps this many lines of each log; at this length lines may have been dropped. */
const MAX_LINES = 2_000;

export async function gather({ stack, dir, pages, webhooks }: Sources): Promise<Evidence> {
  const files = await readdir(dir);
  const contents = (pattern: RegExp) =>
    Promise.all(files.filter((name) => pattern.test(name)).map((name) => readFile(join(dir, name))));
  const logs = Object.values(stack.logs);
  assert.ok(
    logs.every(({ length }) => length < MAX_LINES),
    'lines of a log were dropped',
  );
  return {
    logs: logs.map((lines) => lines.join('\n')),
    HAR: (await contents(/\.har$/)).flatMap((har) => [har, ...embedded(har)]),
    pages: [...pages],
    webhooks: [...webhooks],
    database: await contents(/^payments\.db/),
  };
}

/** Each name that the search finds, with the places where it was found. */
export function findIn(evidence: Evidence, search: Search): string[] {
  const places = Object.entries(evidence) as [string, readonly (string | Uint8Array)[]][];
  const found = places.flatMap(([place, all]) =>
    all.flatMap((one) => search(one).map((name) => `${name} in ${place}`)),
  );
  return [...new Set(found)].toSorted();
}

/** A HAR holds binary bodies in base64, in which a search would miss a secret. */
function embedded(har: Buffer): Buffer[] {
  const { log } = JSON.parse(har.toString()) as {
    log: { entries: { response: { content: { text?: string; encoding?: string } } }[] };
  };
  return log.entries.flatMap(({ response: { content } }) =>
    content.encoding === 'base64' ? [Buffer.from(content.text ?? '', 'base64')] : [],
  );
}
