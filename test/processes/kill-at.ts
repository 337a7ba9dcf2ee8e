// Loaded before a command: kills its process right before the call of node:fs that KILL_AT names, counted from 0, among
// those that change which files there are or what is on disk.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const CALLS = ['linkSync', 'renameSync', 'rmSync', 'fsyncSync'] as const;
const killAt = Number(process.env['KILL_AT']);
let calls = 0;

for (const name of CALLS) {
  const original = fs[name] as (...args: unknown[]) => unknown;
  const replacement = (...args: unknown[]) => {
    if (calls === killAt) process.kill(process.pid, 'SIGKILL');
    calls += 1;
    return original(...args);
  };
  Object.assign(fs, { [name]: replacement });
}
syncBuiltinESMExports();
