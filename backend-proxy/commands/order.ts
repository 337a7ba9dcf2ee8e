// `payment-proxy order ID`: an order as the merchant API has it, its payments and its refunds.
import { parseArgs } from 'node:util';
import type { OrderReport } from '../routes/orders.ts';
import { UsageError, type Call } from './command-call.ts';
import { merchantApiOf } from './merchant-api.ts';
import { createVisitor, jsonOf, refusalOf } from './visit.ts';

type Moved = OrderReport['payments' | 'refunds'][number];

export async function order({ args, env, print }: Call): Promise<number> {
  const { positionals, values } = parseArgs({ args, allowPositionals: true, options: { proxy: { type: 'string' } } });
  const [orderId, ...more] = positionals;
  if (orderId === undefined || more.length > 0) throw new UsageError('ID is the id of one order.');
  const { proxy, key } = merchantApiOf(env, values.proxy, 'the proxy of the order');
  const visitor = createVisitor();
  try {
    const headers = { Authorization: `Bearer ${key}` };
    const answer = await visitor.visit(`${proxy}/orders/${encodeURIComponent(orderId)}`, { headers });
    const said = jsonOf(answer);
    if ('lost' in answer || answer.status !== 200 || said === undefined) {
      throw new Error(refusalOf(answer));
    }
    for (const each of linesOf(said as OrderReport)) print(each);
    return 0;
  } finally {
    await visitor.close();
  }
}

function linesOf({ orderId, amount, currency, paid, closedAt, payments, refunds, refundable }: OrderReport): string[] {
  const asked = amount === null ? currency : `${amount} ${currency}`;
  const closed = closedAt === null ? '' : `, closed since ${closedAt}`;
  return [
    `${orderId}: ${asked}, ${paid ? 'paid' : 'not paid'}${closed}`,
    ...payments.map((payment) => {
      const { late, surplus, afterClose } = payment;
      return line(`by ${payment.method ?? 'no method'}`, payment, { late, surplus, 'after close': afterClose });
    }),
    ...refunds.map((refund) => line(`refund of ${refund.refundOf}`, refund)),
    ...refundable.map((left) => `${left.gatewayOrderId}: ${left.amount} ${currency} can be refunded`),
  ];
}

function line(what: string, moved: Moved, marks: Record<string, boolean> = {}): string {
  const { gatewayOrderId, amount, currency, status, reason, needsReview } = moved;
  const words = Object.entries({ ...marks, 'needs review': needsReview }).flatMap(([word, is]) => (is ? [word] : []));
  return [`${gatewayOrderId}: ${amount} ${currency}`, what, reason ?? status, ...words].join(', ');
}
