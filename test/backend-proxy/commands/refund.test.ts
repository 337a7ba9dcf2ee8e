// `payment-proxy refund` and `payment-proxy order`: what they print and their exit codes, over HTTP with a key.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { runCommand } from '../../../backend-proxy/commands/command-line.ts';
import { SECRETS, createWorld } from '../world.ts';

const DESK = 'canary-key-of-the-desk-'.padEnd(40, 'x');

async function createPaid(t: TestContext) {
  const refundAs = { DIRECT: 'no', CHECKOUT: 'no', JETGO: 'no', QR: 'JETGO' };
  const key = { name: 'desk', scopes: ['read', 'refunds'], key: DESK } as const;
  const config = { merchantKeys: [SECRETS.merchant, key] };
  const world = await createWorld(t, { config, profile: { refundAs } });
  await world.start(world.token({ amount: '10.00' }), { method: 'QR' });
  await world.settleAfter('approve', 'A-1', '23456789');
  const url = await world.listen();
  const run = async (...args: string[]) => {
    const [out, err]: [string[], string[]] = [[], []];
    const print = (line: string) => void out.push(line);
    const printError = (line: string) => void err.push(line);
    const env = { MERCHANT_KEYS: `desk:read+refunds:${DESK}` };
    const code = await runCommand([...args, '--proxy', url], { env, print, printError });
    return { code, out, err: err.join('\n') };
  };
  return { world, run };
}

it('payment-proxy refund sends money back once for its key, and payment-proxy order prints what is left', async (t) => {
  const { world, run } = await createPaid(t);
  const sent = ['key k-1', 'A-1-r1: 4.00 EUR to the wallet ending in 6789, PROCESSING'];
  for (const _ of [1, 2]) {
    const args = ['refund', 'A-1', '4', '--note', 'cold', '--key', 'k-1'];
    assert.deepEqual(await run(...args), { code: 0, out: sent, err: '' });
  }
  assert.equal((await world.gatewayHas('A-1-r1'))?.createRequests, 1);
  await world.settleAfter('approve', 'A-1-r1');
  const lines = [
    'A-1: 10.00 EUR, paid',
    'A-1: 10.00 EUR, by QR, SUCCESS',
    'A-1-r1: 4.00 EUR, refund of A-1, SUCCESS',
    'A-1: 6.00 EUR can be refunded',
  ];
  assert.deepEqual(await run('order', 'A-1'), { code: 0, out: lines, err: '' });
  const whole = await run('refund', 'A-1');
  assert.match(whole.out.join(' '), /^key refund-[-0-9a-f]{36} A-1-r2: 6\.00 EUR to the wallet/);
});

it('payment-proxy refund ends with 1 and says why nothing was sent, or how to ask again', async (t) => {
  const { world, run } = await createPaid(t);
  const more = await run('refund', 'A-1', '11');
  assert.deepEqual([more.code, more.out.length], [1, 1]);
  assert.match(more.err, /not refunded: HTTP 422 amount: an amount above 0 and at most 10\.00 EUR/);
  assert.match((await run('refund', 'none')).err, /HTTP 404/);
  assert.match((await run('order', 'none')).err, /HTTP 404 No such order/);
  for (const command of ['refund', 'order']) assert.equal((await run(command)).code, 2);
  world.ledger.openRefund = () => Promise.reject(new Error('away'));
  const lost = await run('refund', 'A-1', '--key', 'k-3');
  assert.match(lost.err, /HTTP 500: it may have been sent: ask again with --key k-3/);
});
