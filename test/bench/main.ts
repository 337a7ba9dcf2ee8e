// The command line of `npm run bench [-- widget|server|bytes] [--rounds N]`. Without a name it runs the widget's
// benchmark, then the server's. A benchmark prints tables, and fails only if the measured software does not work.
import { parseArgs } from 'node:util';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' } },
});
const rounds = Number(values.rounds);

const BENCHES: Record<string, () => Promise<void>> = {
  widget: async () => (await import('./widget.ts')).benchWidget(rounds),
  server: async () => (await import('./server.ts')).benchServer(rounds),
  bytes: async () => (await import('./bytes.ts')).showBytes(),
};

const names = positionals.length > 0 ? positionals : ['widget', 'server'];
const unknown = names.filter((name) => !Object.hasOwn(BENCHES, name));
if (unknown.length > 0 || !Number.isInteger(rounds) || rounds < 1) {
  console.error(`Usage: npm run bench -- [${Object.keys(BENCHES).join('|')}] [--rounds 5]`);
  process.exit(2);
}
for (const name of names) await BENCHES[name]?.();
