// doctor fails a proxy at a public address whose gateway moves no money.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { tryOrder, type Deployed } from '../../../backend-proxy/commands/doctor.ts';

async function moneyAt(base: string, view: object): Promise<string> {
  const answer = { status: 200, headers: {}, body: Buffer.from(JSON.stringify(view)) };
  const deployed = {
    base: new URL(base),
    settings: { ORDER_SECRET: ['s'.repeat(32)], ALLOWED_ORIGINS: ['https://shop.example'] },
    visit: async () => answer,
  };
  const findings = await tryOrder(deployed as unknown as Deployed);
  return findings.find(({ about }) => about === 'money')?.result ?? 'none';
}

it('doctor fails a test gateway at a public address, and no other', async () => {
  assert.equal(await moneyAt('https://shop.example/pay/', { test: true }), 'FAIL');
  assert.equal(await moneyAt('https://shop.example/pay/', { test: false }), 'ok');
  assert.equal(await moneyAt('https://shop.example/pay/', {}), 'ok', 'a proxy of an earlier version');
  assert.equal(await moneyAt('http://127.0.0.1:8787/', { test: true }), 'ok');
});
