// The version of this project, for the log, metrics, the `version` command and the OpenAPI document. Read at run time
// from the nearest package.json: the project's, or that of the npm package, which lies as far above (installation.ts).
import { readFileSync } from 'node:fs';

const FILE = new URL('../package.json', import.meta.url);

export const VERSION: string = (JSON.parse(readFileSync(FILE, 'utf8')) as { version: string }).version;
