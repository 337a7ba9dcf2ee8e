// `payment-proxy`, in a clone `npm run proxy`: without arguments the proxy, otherwise a command of commands/. Enables
// the compile cache before it loads nearly all modules, which saves a third of the start time. The cache is
// under node_modules, not in a shared temp directory: whoever can write there can already change our code. If it cannot
// be written, the start only takes longer.
import * as module from 'node:module';
import { CACHE_FOLDER, nodeRefusal } from './installation.ts';
import { whyNotStarted } from './errors.ts';

// New files are readable only for this user: the database holds wallet ids.
process.umask(0o077);
// Deno and Bun have no such cache.
module.enableCompileCache?.(CACHE_FOLDER);

const args = process.argv.slice(2);
// Before anything is loaded that an older Node does not have.
const tooOld = nodeRefusal('payment-proxy');
if (tooOld !== undefined && args.length > 0) {
  console.error(tooOld);
  process.exitCode = 1;
} else if (tooOld !== undefined) notStarted(tooOld);
else if (args.length === 0) await startProxy();
else {
  const { runCommand } = await import('./commands/command-line.ts');
  const unread = endOfReading();
  process.exitCode = await runCommand(args, {
    env: process.env,
    print: console.log,
    printError: console.error,
    unread,
  });
}

/** Aborts when nobody reads the output any more, as after `payment-proxy check | head -1`, instead of a crash. */
function endOfReading(): AbortSignal {
  const ended = new AbortController();
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      ended.abort();
    });
  }
  return ended.signal;
}

async function startProxy(): Promise<void> {
  try {
    const { start } = await import('./start.ts');
    await start(process.env);
    // Now, because a killed process would not save it.
    module.flushCompileCache?.();
  } catch (error) {
    notStarted(whyNotStarted(error));
  }
}

/** Formatted by hand, because the logger itself may be what failed to load. */
function notStarted(error: string): void {
  const line = { level: 'fatal', time: new Date().toISOString(), event: 'not started', error };
  // After the logger's lines of this turn, which it writes at the turn's end.
  setImmediate(() => process.stdout.write(`${JSON.stringify(line)}\n`, () => process.exit(1)));
}
