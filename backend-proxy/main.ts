// `npm run proxy`. Enables the compile cache, which must happen before other modules load and saves a third of the
// start time.
// The cache is under node_modules, not a shared temp directory: whoever can write there can already change our code.
// If it cannot be written, the start only takes longer.
import { enableCompileCache, flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { reasonOf } from './start-error.ts';

// New files are readable only for this user: the database holds wallet ids.
process.umask(0o077);
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/proxy', import.meta.url)));

try {
  const { start } = await import('./start.ts');
  await start(process.env);
  // Now, because a killed process would not save it.
  flushCompileCache();
} catch (error) {
  // Formatted by hand, because the logger itself may be what failed to load.
  const line = { level: 'fatal', time: new Date().toISOString(), event: 'not started', error: reasonOf(error) };
  process.stdout.write(`${JSON.stringify(line)}\n`, () => process.exit(1));
}
