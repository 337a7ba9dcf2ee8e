// What the tests of the desk share: transactions as the proxy's list has them, and a shop with its staff.
import { Browser, openShop } from './shop-fixture.ts';

const transaction = {
  amount: '25.00',
  currency: 'EUR',
  customer: '12345678',
  status: 'PROCESSING',
  reason: null,
  needsReview: false,
  createdAt: '2026-11-20T12:00:00.000Z',
  updatedAt: '2026-11-20T12:00:05.000Z',
  history: [{ at: '2026-11-20T12:00:00.000Z', event: 'created', source: 'merchant', detail: null }],
};
export const payout = (orderId: string, more: object = {}) => ({
  type: 'PAYOUT',
  orderId,
  gatewayOrderId: orderId,
  note: null,
  ...transaction,
  ...more,
});
export const payment = (orderId: string, more: object = {}) => ({
  type: 'PAY',
  orderId,
  gatewayOrderId: orderId,
  method: 'DIRECT',
  payer: '87654321',
  settled: '0.00',
  ...transaction,
  ...more,
});
export const refund = (refundOf: string, more: object = {}) => ({
  type: 'REFUND',
  orderId: 'ST-1',
  gatewayOrderId: `${refundOf}-r1`,
  refundOf,
  note: null,
  ...transaction,
  ...more,
});
export const said = (event: string, detail: string | null, at = '2026-11-20T12:00:05.000Z') => ({
  at,
  event,
  source: 'check',
  detail,
});
export const idIn = (page: string) => /name="id" value="([^"]+)"/.exec(page)?.[1] ?? '';

export async function openDesk() {
  const operatorUrl = 'http://127.0.0.1:8789/admin';
  const shop = openShop(undefined, undefined, { publicUrl: 'http://127.0.0.1:8080', operatorUrl });
  const staff = new Browser(shop);
  const sent = () => shop.proxy.asked.filter(({ method }) => method === 'POST').map(({ body }) => body);
  return { shop, staff, sent, form: idIn((await staff.get('/desk/send')).text) };
}
