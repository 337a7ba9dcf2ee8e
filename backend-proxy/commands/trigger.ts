// `payment-proxy trigger TYPE --to URL`: signs and sends a sample webhook, to try a merchant's endpoint.
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { iso } from '../protocol/iso-time.ts';
import { WEBHOOKS, merchantView, type WebhookType } from '../protocol/merchant-view.ts';
import { UsageError, type Call } from './command-call.ts';
import { createTarget } from './loopback-target.ts';
import { sampleTransaction } from './sample-transaction.ts';
import { createVisitor } from './visit.ts';

export async function trigger({ args, env, print }: Call, now: () => number = Date.now): Promise<number> {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: { to: { type: 'string' }, show: { type: 'boolean' } },
  });
  const [type = '', ...more] = positionals;
  if (!isWebhookType(type) || more.length > 0) {
    throw new UsageError(`TYPE is one of ${Object.keys(WEBHOOKS).join(', ')}.`);
  }
  const visitor = createVisitor();
  try {
    const target = createTarget(values.to, { env, visitor, print }, now);
    const id = `msg_sample_${randomBytes(12).toString('hex')}`;
    const body = JSON.stringify({ type, timestamp: iso(now()), data: merchantView(sampleTransaction(type, now())) });
    if (values.show === true) print(JSON.stringify(JSON.parse(body), null, 2));
    const answer = await target.send({ id, body });
    print(`${type} ${id} ${answer}`);
    return /^HTTP 2\d\d$/.test(answer) ? 0 : 1;
  } finally {
    await visitor.close();
  }
}

function isWebhookType(text: string): text is WebhookType {
  return Object.hasOwn(WEBHOOKS, text);
}
