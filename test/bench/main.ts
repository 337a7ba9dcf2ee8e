// The command line of `npm run bench [-- widget|proxy]`. Without a name it runs both. A benchmark prints tables, and
// fails only if the measured software does not work.
import { parseArgs } from 'node:util';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' }, quick: { type: 'boolean', default: false } },
});
const rounds = values.quick ? 1 : Number(values.rounds);

const BENCHES: Record<string, () => Promise<string>> = {
  widget: async () => (await import('./widget.ts')).benchWidget({ rounds }),
  proxy: async () => (await import('./proxy/bench.ts')).benchProxy(rounds, values.quick ? 600 : 3_000),
};

const names = positionals.length > 0 ? positionals : Object.keys(BENCHES);
if (names.some((name) => !Object.hasOwn(BENCHES, name)) || !Number.isInteger(rounds) || rounds < 1) {
  console.error(`Usage: npm run bench -- [${Object.keys(BENCHES).join('|')}] [--rounds 5] [--quick]`);
  process.exit(2);
}
for (const name of names) console.log(`\n${await BENCHES[name]?.()}`);
