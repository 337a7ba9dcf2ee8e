// `npm run test:unit` and `npm run test:watch`, the same with --watch: the tests that start no process and no browser.
//   npm run test:unit -- test/backend-proxy/payouts.test.ts --test-name-pattern='24 hours'
// Paths replace the list below; options are those of `node --test`. Code stays compiled from one run to the next.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

const ALL = ['test/*.test.ts', 'test/{backend-proxy,demo,widget}/**/*.test.ts'];
const TIME_LIMIT_MS = 300_000;
/** Tests of the payment database wait for the disk half of the time. */
const AT_ONCE = Math.max(4, availableParallelism());

const options = process.argv.slice(2).filter((word) => word.startsWith('-'));
const paths = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const args = [`--test-timeout=${TIME_LIMIT_MS}`, `--test-concurrency=${AT_ONCE}`, ...options];
const child = spawn(process.execPath, ['--test', ...args, ...(paths.length > 0 ? paths : ALL)], {
  stdio: 'inherit',
  env: { ...process.env, NODE_COMPILE_CACHE: 'node_modules/.cache/compiled' },
});
child.once('exit', (code) => (process.exitCode = code ?? 1));
