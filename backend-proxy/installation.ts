// The version, where the files beside the code are, and what an operator does if one is missing. The code runs from
// its sources (backend-proxy/*.ts) and from the npm package, whose build puts all of it into lib/*.js: both lie one
// folder below the root, so the same paths lead to the same files. Only modules of that depth can look, hence this one.
// Every Node from 20 can load this file.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const inRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const isPackage = import.meta.url.endsWith('.js');

/** Of the project or of the npm package. */
export const VERSION = (JSON.parse(readFileSync(inRoot('package.json'), 'utf8')) as { version: string }).version;

/** The built widget. */
export const WIDGET_FOLDER = inRoot('dist/widget');

/** The environment's variables with their defaults. */
export const EXAMPLE_ENVIRONMENT = inRoot('.env.example');

/** Where Node keeps compiled code. */
export const CACHE_FOLDER = inRoot('node_modules/.cache/proxy');

/** As `engines` of the project's package.json says; that of the proxy's package is what the client needs. */
const NEEDED_NODE = 24;

/** Which Node is needed, if this one is too old. Bun and Deno name the Node that they resemble. */
export function nodeRefusal(program: string): string | undefined {
  const { node, bun, deno } = process.versions;
  if (bun !== undefined || deno !== undefined || Number.parseInt(node, 10) >= NEEDED_NODE) return undefined;
  return `${program} needs Node ${NEEDED_NODE} or newer; this is ${node}`;
}

const REINSTALL = 'reinstall payment-proxy';

/** What an operator does about missing files, as the end of a sentence. */
export const REMEDIES = {
  widget: isPackage ? REINSTALL : 'run `npm run build` first',
  dependencies: isPackage ? REINSTALL : 'run `npm ci` first',
};
