// Where the files beside the code are, and what an operator does if one is missing. The code runs from its sources
// (backend-proxy/*.ts) and from the npm package, whose build puts all of it into lib/*.js: both lie one folder below
// the root, so the same paths lead to the same files. That holds only for modules of that depth, hence this one.
import { fileURLToPath } from 'node:url';

const inRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const isPackage = import.meta.url.endsWith('.js');

/** The built widget. */
export const WIDGET_FOLDER = inRoot('dist/widget');

/** The environment's variables with their defaults. */
export const EXAMPLE_ENVIRONMENT = inRoot('.env.example');

/** Where Node keeps compiled code. */
export const CACHE_FOLDER = inRoot('node_modules/.cache/proxy');

const REINSTALL = 'reinstall payment-proxy';

/** What an operator does about missing files, as the end of a sentence. */
export const REMEDIES = {
  widget: isPackage ? REINSTALL : 'run `npm run build` first',
  dependencies: isPackage ? REINSTALL : 'run `npm ci` first',
};
