// The command line of `npm run bench [-- widget|proxy|bytes]`. Without a name it runs the widget's benchmark, then the
// proxy's. A benchmark prints tables, and fails only if the measured software does not work.
import { parseArgs } from 'node:util';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    large: { type: 'boolean', default: false },
  },
});
const rounds = values.quick ? 1 : Number(values.rounds);

const BENCHES: Record<string, () => Promise<void>> = {
  widget: async () => (await import('./widget.ts')).benchWidget({ rounds }),
  proxy: benchProxy,
  bytes: async () => console.log(await (await import('./bytes.ts')).tablesOfBytes()),
};

async function benchProxy(): Promise<void> {
  const { benchProxy: bench, isRow, ROW_NAMES } = await import('./proxy/bench.ts');
  const only = values.only?.split(',') ?? ROW_NAMES;
  if (!only.every(isRow)) {
    console.error(`--only takes rows of: ${ROW_NAMES.join(', ')}`);
    process.exit(2);
  }
  await bench(only, { rounds, size: values.quick ? 'quick' : 'full', isLarge: values.large });
}

const names = positionals.length > 0 ? positionals : ['widget', 'proxy'];
const unknown = names.filter((name) => !Object.hasOwn(BENCHES, name));
if (unknown.length > 0 || !Number.isInteger(rounds) || rounds < 1) {
  console.error(`Usage: npm run bench -- [${Object.keys(BENCHES).join('|')}] [--rounds 5]
  proxy: [--only ROW[,ROW]] [--quick] [--large: also 10 million payments]`);
  process.exit(2);
}
for (const name of names) await BENCHES[name]?.();
