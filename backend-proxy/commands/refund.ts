// `payment-proxy refund ID [AMOUNT]`: sends money of an order back through the merchant API, to the wallet that paid.
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { MerchantRefund } from '../protocol/merchant-view.ts';
import { UsageError, type Call } from './command-call.ts';
import { merchantApiOf } from './merchant-api.ts';
import { createVisitor, jsonOf, refusalOf, wordOf } from './visit.ts';

export async function refund({ args, env, print }: Call): Promise<number> {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      payment: { type: 'string' },
      note: { type: 'string' },
      key: { type: 'string' },
      proxy: { type: 'string' },
    },
  });
  const [orderId, amount, ...more] = positionals;
  if (orderId === undefined || more.length > 0) throw new UsageError('ID is the id of one order, AMOUNT a decimal.');
  const { proxy, key } = merchantApiOf(env, values.proxy, 'the proxy of the order', 'refunds');
  // Printed before the request: with it, a refund whose answer is lost is asked for again, and sent once.
  const idempotencyKey = values.key ?? `refund-${randomUUID()}`;
  print(`key ${idempotencyKey}`);
  const visitor = createVisitor();
  try {
    const answer = await visitor.visit(`${proxy}/orders/${encodeURIComponent(orderId)}/refunds`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': idempotencyKey,
      },
      body: JSON.stringify({ amount, note: values.note, gatewayOrderId: values.payment }),
    });
    if ('lost' in answer || answer.status >= 500) {
      const again = `it may have been sent: ask again with --key ${idempotencyKey}, and it is sent at most once`;
      throw new Error(`${wordOf(answer)}: ${again}`);
    }
    if (answer.status !== 202) throw new Error(`not refunded: ${refusalOf(answer)}`);
    const sent = jsonOf(answer) as MerchantRefund;
    const { gatewayOrderId, customer, status } = sent;
    print(`${gatewayOrderId}: ${sent.amount} ${sent.currency} to the wallet ending in ${endOf(customer)}, ${status}`);
    return 0;
  } finally {
    await visitor.close();
  }
}

function endOf(wallet: string | null): string {
  return wallet?.slice(-4) ?? '?';
}
