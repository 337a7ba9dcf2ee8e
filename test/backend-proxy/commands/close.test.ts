// `payment-proxy close`: what it prints and its exit code, over HTTP with a merchant's key.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { runCommand } from '../../../backend-proxy/commands/command-line.ts';
import { SECRETS, createWorld } from '../world.ts';

async function createShop(t: TestContext) {
  const keys = { shop: ['orders'], office: ['read'] } as const;
  const secretOf = (name: string) => `canary-key-of-${name}-`.padEnd(40, 'x');
  const scoped = Object.entries(keys).map(([name, scopes]) => ({ name, scopes, key: secretOf(name) }));
  const world = await createWorld(t, { config: { merchantKeys: [SECRETS.merchant, ...scoped] } });
  const url = await world.listen();
  const run = async (as: keyof typeof keys, ...args: string[]) => {
    const [out, err]: [string[], string[]] = [[], []];
    const env = { MERCHANT_KEYS: `${as}:${keys[as].join('+')}:${secretOf(as)}` };
    const call = {
      env,
      print: (line: string) => void out.push(line),
      printError: (line: string) => void err.push(line),
    };
    const code = await runCommand(['close', ...args, '--proxy', url], call);
    return { code, out, err: err.join('\n') };
  };
  return { world, run };
}

it('payment-proxy close closes an order, prints what may still be paid, and does so again', async (t) => {
  const { world, run } = await createShop(t);
  await world.start(world.token(), { method: 'CHECKOUT' });
  await world.start(world.token(), { method: 'QR' });
  const out = [
    `A-1 is closed since ${new Date(world.now()).toISOString()}`,
    'A-1 (CHECKOUT) may still be paid until 2026-11-20T12:15:00.000Z',
    'A-1-2 (QR) may still be paid',
  ];
  for (const _ of [1, 2])
    assert.deepEqual(await run('shop', 'A-1', '--reason', 'out of stock'), { code: 0, out, err: '' });
  assert.equal((await world.merchant('GET', '/orders/A-1')).body['closeReason'], 'out of stock');
});

it('payment-proxy close ends with 1 and says why if the order is not closed', async (t) => {
  const { world, run } = await createShop(t);
  await world.proxy.begin();
  await world.start(world.token(), { method: 'QR' });
  const open = await run('shop', 'A-1', '--if-unpaid');
  assert.deepEqual([open.code, open.out], [1, []]);
  assert.match(open.err, /^payment-proxy close: not closed: HTTP 409 The payment A-1 is under way/);
  await world.settleAfter('approve', 'A-1');
  assert.match((await run('shop', 'A-1')).err, /not closed: HTTP 409 This order is paid/);
  assert.match((await run('office', 'A-1')).err, /one of MERCHANT_KEYS with the scope orders/);
  assert.equal((await run('shop')).code, 2);
});
