// The version of this project, for the log, metrics, the `version` command and the OpenAPI document, and the Node that
// it needs. Read at run time from the nearest package.json: the project's, or that of the npm package, which lies as
// far above (installation.ts). Every Node from 20 can load this file.
import { readFileSync } from 'node:fs';

const FILE = new URL('../package.json', import.meta.url);

export const VERSION: string = (JSON.parse(readFileSync(FILE, 'utf8')) as { version: string }).version;

/** As `engines` of the project's package.json says; that of the proxy's package is what the client needs. */
const NEEDED_NODE = 24;

/** Which Node is needed, if this one is too old. Bun and Deno name the Node that they resemble. */
export function nodeRefusal(program: string): string | undefined {
  const { node, bun, deno } = process.versions;
  if (bun !== undefined || deno !== undefined || Number.parseInt(node, 10) >= NEEDED_NODE) return undefined;
  return `${program} needs Node ${NEEDED_NODE} or newer; this is ${node}`;
}
