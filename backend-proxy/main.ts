// `npm run proxy`. Keeps what was compiled between starts, which takes a third off each (hundreds of modules), and so has to
// run before anything else is loaded: what the proxy is made of is start.ts's.
// Beside the packages, and not in a temporary folder where anyone could lay code for us: who may write here may write them.
// Where it cannot be written, the start only takes longer.
import { enableCompileCache, flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/proxy', import.meta.url)));

try {
  const { start } = await import('./start.ts');
  await start(process.env);
  // Now, because a process that is killed keeps nothing.
  flushCompileCache();
} catch (error) {
  // Meant for the operator as it is: what is wrong with the configuration, or why the books cannot be opened.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
