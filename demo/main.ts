// `npm start`: builds the widget if it is out of date, starts the demo and prints its links. Ctrl-C ends it. Each run
// starts with an empty database; `npm start -- --dir FOLDER` keeps the proxy's database in that folder.
import { parseArgs } from 'node:util';
import { startStack, type Stack } from './stack.ts';
import { buildWidgetIfStale } from './widget-build.ts';

let stack: Stack | undefined;
let isEnding = false;

async function end(code: number): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  await stack?.stop();
  process.exit(code);
}

process.on('SIGINT', () => void end(0)).on('SIGTERM', () => void end(0));

function fail(message: string): void {
  console.error(message);
  void end(1);
}

try {
  const { values } = parseArgs({ options: { dir: { type: 'string' }, help: { type: 'boolean' } } });
  if (values.help) {
    console.log('npm start -- [--dir FOLDER]\nWith --dir, the proxy’s database is kept in FOLDER for the next run.');
    process.exit();
  }
  await buildWidgetIfStale(() => console.log('Building the widget …'));
  stack = await startStack({ ...(values.dir !== undefined && { dir: values.dir }), onExit: fail });
  console.log(`
  Shop      ${stack.shop}
  Wallet    ${stack.sandbox}/wallet
  Desk      ${stack.shop}/desk
  Gateway   ${stack.sandbox}
  Themes    ${stack.shop}/themes
  Operator  ${stack.operator}

  Buy something in the shop, pay for it with the wallet, then refund it from the desk.
  The gateway's page lists its transactions, and can approve, decline and advance the clock.
  The operator's token is ${stack.secrets.adminToken}. Ctrl-C ends the demo.
`);
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}
