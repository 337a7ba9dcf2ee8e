// `npm start`: builds the widget where it must, runs the demo, prints five links and what to do, ends with Ctrl-C.
// Each run begins fresh; `npm start -- --dir FOLDER` keeps the proxy's database in that folder.
import { parseArgs } from 'node:util';
import { startStack, type Stack } from './stack.ts';
import { buildWidgetIfStale } from './widget-build.ts';

const { values } = parseArgs({ options: { dir: { type: 'string' } } });

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
  if (await buildWidgetIfStale()) console.log('Built the widget.');
  stack = await startStack({ ...(values.dir !== undefined && { dir: values.dir }), onDeath: fail });
  console.log(`
  Shop      ${stack.shop}
  Desk      ${stack.shop}/desk
  Wallet    ${stack.sandbox}/wallet
  Gateway   ${stack.sandbox}
  Themes    ${stack.shop}/themes

  Buy something in the shop, pay for it with the wallet, then send money back from the desk.
  The gateway's page shows what it remembers, and can approve, decline, let time pass. Ctrl-C ends it all.
`);
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}
