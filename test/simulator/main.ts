// `node test/simulator/main.ts [--seed N] [--seconds N] [--brief]`: runs histories for so many seconds of processor
// time until one fails, and prints the shortest like it. With a seed: that one alone.
import { parseArgs } from 'node:util';
import { Database } from './database.ts';
import { run, shorten } from './history.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seconds: { type: 'string', default: '20' },
    brief: { type: 'boolean', default: false },
  },
});
const database = await Database.open();
const first = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const spent = () => process.cpuUsage().user / 1e6;
let seed = first;
let failure = await run(database, seed);
while (failure === undefined && values.seed === undefined && spent() < Number(values.seconds)) {
  seed += 1;
  failure = await run(database, seed);
}
const count = `${seed - first + 1} histories from seed ${first}, ${spent().toFixed(1)} s`;
if (failure !== undefined) {
  const { invariant, what, trace } = values.brief ? failure : await shorten(database, failure);
  console.log(`seed ${seed}: ${invariant}: ${what}${values.brief ? '' : `\n${trace.join('\n')}`}`);
}
console.log(count);
process.exit(failure === undefined ? 0 : 1);
