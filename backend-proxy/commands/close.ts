// `payment-proxy close ID`: closes an order through the merchant API, and says what may still be paid.
import { parseArgs } from 'node:util';
import type { ClosedReport } from '../routes/orders.ts';
import { UsageError, type Call } from './command-call.ts';
import { merchantApiOf } from './merchant-api.ts';
import { createVisitor, jsonOf, refusalOf } from './visit.ts';

export async function close({ args, env, print }: Call): Promise<number> {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: { reason: { type: 'string' }, 'if-unpaid': { type: 'boolean' }, proxy: { type: 'string' } },
  });
  const [orderId, ...more] = positionals;
  if (orderId === undefined || more.length > 0) throw new UsageError('ID is the id of one order.');
  const { proxy, key } = merchantApiOf(env, values.proxy, 'the proxy of the order', 'orders');
  const visitor = createVisitor();
  try {
    const answer = await visitor.visit(`${proxy}/orders/${encodeURIComponent(orderId)}/close`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ reason: values.reason, ifUnpaid: values['if-unpaid'] }),
    });
    const said = jsonOf(answer);
    if (said?.['closed'] !== true) throw new Error(`not closed: ${refusalOf(answer)}`);
    const { closedAt, mayStillBePaid } = said as ClosedReport;
    print(`${orderId} is closed since ${closedAt}`);
    for (const { gatewayOrderId, method, until } of mayStillBePaid)
      print(`${gatewayOrderId} (${method ?? 'no method'}) may still be paid${until === null ? '' : ` until ${until}`}`);
    return 0;
  } finally {
    await visitor.close();
  }
}
