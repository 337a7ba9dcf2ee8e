// `payment-proxy listen` and `trigger` as processes: webhooks to a server on this machine, which verifies them with the
// reference library.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { trigger } from '../../backend-proxy/commands/trigger.ts';
import { WEBHOOKS } from '../../backend-proxy/protocol/merchant-view.ts';
import { leaksIn, SECRETS } from '../faults/canary-secrets.ts';
import { createRunningClock } from '../faults/manual-clock.ts';
import { startMerchant } from '../faults/merchant-server.ts';
import { install, runCommand } from './command-kit.ts';

it('trigger sends every type of webhook, signed by WEBHOOK_SECRET, with data like the real one', async (t) => {
  const merchant = await startMerchant({ clock: createRunningClock() });
  t.after(merchant.close);
  const types = Object.keys(WEBHOOKS);
  const env = { WEBHOOK_SECRET: SECRETS.webhookSecret };
  const out: string[] = [];
  const print = (line: string) => void out.push(line);
  for (const type of types) assert.equal(await trigger({ args: [type, '--to', merchant.url], env, print }), 0);
  assert.deepEqual(merchant.invalid, []);
  const received = [...merchant.webhooks.values()];
  assert.deepEqual(received.map(({ type }) => type).toSorted(), types.toSorted());
  assert.deepEqual(leaksIn(out.join('\n')), []);
});

it('trigger without WEBHOOK_SECRET prints the secret of this run, shows the body, and fails if it is not accepted', async (t) => {
  const ended = await runCommand(t, ['trigger', 'payout.failed', '--to', 'http://127.0.0.1:1/hooks', '--show']);
  assert.equal(ended.code, 1);
  assert.match(ended.out, /whsec_[A-Za-z0-9+/]{43}=/);
  assert.match(ended.out, /"status": "FAILED",\n {4}"reason": "DECLINED"/);
  assert.match(ended.out, /^payout\.failed msg_sample_\w+ ECONNREFUSED$/m);
});

it('listen sends on each new webhook once, with its own bytes, and leaves what is there alone', async (t) => {
  const { env, start, merchant: ask, gateway } = await install(t);
  const merchant = await startMerchant({ clock: createRunningClock() });
  t.after(merchant.close);
  const proxy = await start();
  const pay = (orderId: string) =>
    ask(proxy, '/payouts', { orderId, amount: '14', currency: 'EUR', customer: '12345678' });
  const isQueued = async (orderId: string) => {
    for (let tried = 0; tried < 600; tried += 1) {
      const { webhooks } = (await (await ask(proxy, '/webhooks')).json()) as { webhooks: { orderId: string }[] };
      if (webhooks.some((each) => each.orderId === orderId)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.fail(`no webhook of ${orderId}: ${JSON.stringify(await gateway.transactions())}`);
  };
  await pay('before');
  await isQueued('before');
  const listening = runCommand(
    t,
    ['listen', '--to', merchant.url, '--proxy', proxy.url],
    { ...env, WEBHOOK_SECRET: SECRETS.webhookSecret },
    {
      onLine(line, end) {
        if (line.startsWith('Webhooks of')) void pay('after');
        else end();
      },
    },
  );
  const ended = await listening;
  assert.match(ended.out, /^payout\.succeeded after msg_\w+ HTTP 20\d$/m, ended.err);
  assert.deepEqual(merchant.invalid, []);
  const delivered = [...merchant.webhooks.values()].map(({ data }) => data.orderId);
  assert.deepEqual(delivered, ['after']);
  assert.deepEqual(leaksIn(ended.out + ended.err), []);
  const { webhooks } = (await (await ask(proxy, '/webhooks')).json()) as { webhooks: { state: string }[] };
  assert.deepEqual([...new Set(webhooks.map(({ state }) => state))], ['pending'], 'the proxy has sent none itself');
});
