// `npm run bench -- proxy`: the proxy beside its floors, in turns, over loopback and the local disk. Prints medians
// with the least and the most, processor time, and ratios to the floors of the same round; at the end, each ratio with
// its aim. No time makes it fail. A wrong answer does, and so does a database that lacks what was answered.
import { loadavg } from 'node:os';
import { findingsTable, type Finding } from './findings.ts';
import { Lab, type Options } from './lab.ts';
import { ROWS, type RowName } from './rows.ts';

export function isRow(name: string): name is RowName {
  return Object.hasOwn(ROWS, name);
}

export const ROW_NAMES = Object.keys(ROWS);

export async function benchProxy(only: readonly RowName[], options: Options): Promise<void> {
  console.log(`Node ${process.version}, ${options.rounds} rounds at most, medians (least–most), load ${load()}`);
  const lab = await Lab.open(options);
  const findings: Finding[] = [];
  try {
    for (const name of only) {
      const { title, measure } = ROWS[name];
      const from = performance.now();
      const { text, findings: found } = await measure(lab);
      const seconds = Math.round((performance.now() - from) / 1000);
      console.log(`\n## ${title}\n${text}\n(--only ${name}: ${seconds} s, load ${load()})`);
      findings.push(...found);
    }
  } finally {
    await lab.close();
  }
  if (findings.length > 0) console.log(`\n${findingsTable(findings)}`);
}

function load(): string {
  return loadavg()[0]?.toFixed(1) ?? '';
}
