// `payment-proxy version`.
import { parseArgs } from 'node:util';
import { VERSION } from '../version.ts';
import type { Call } from './command-call.ts';

export async function version({ args, print }: Call): Promise<number> {
  parseArgs({ args, options: {} });
  print(VERSION);
  return 0;
}
