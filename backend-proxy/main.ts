// `npm run proxy`. Keeps what was compiled between starts, which takes a third off each (hundreds of modules), and so has to
// run before anything else is loaded: what the proxy is made of is start.ts's.
// Beside the packages, and not in a temporary folder where anyone could lay code for us: who may write here may write them.
// Where it cannot be written, the start only takes longer.
import { enableCompileCache, flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Whatever this process makes, the books above all, is for its own user: they hold wallet ids.
process.umask(0o077);
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/proxy', import.meta.url)));

try {
  const { start } = await import('./start.ts');
  await start(process.env);
  // Now, because a process that is killed keeps nothing.
  flushCompileCache();
} catch (error) {
  // A line of the log like any other, made by hand: what would make it may be what is missing.
  const line = { level: 'fatal', time: new Date().toISOString(), event: 'not started', error: reasonOf(error) };
  process.stdout.write(`${JSON.stringify(line)}\n`, () => process.exit(1));
}

/** Meant for the operator: what is wrong with the configuration, why the books cannot be opened, what is not installed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isMissing = 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
  return isMissing
    ? `${error.message.split('\n')[0]}: the dependencies are not installed; run \`npm ci\` before.`
    : error.message;
}
