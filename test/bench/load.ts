// The load on a server: IPNs and starts as fast as it answers, and single IPNs to measure the delay until the event
// is on the stream. A wrong answer ends the benchmark.
import assert from 'node:assert/strict';
import { signOrder } from '../../demo/shop/order-token.ts';
import type { OrderView } from '../../backend-proxy/protocol/wire.ts';
import type { InstantGateway } from './gateway.ts';
import { IPN_SECRET, ORDER_SECRET, SHOP, type Subject } from './subject.ts';

const AT_ONCE = 64;
const WARM_UP_MS = 500;
const MEASURE_MS = 1_000;
/** Stays below the proxy's initial limit of 20 status checks per second. */
const IPN_EVERY_MS = 66;
const IPNS_FOLLOWED = 30;

export interface Rate {
  perSecond: number;
  /** The server's processor time per request. */
  cpuMicroseconds: number;
}

let lastOrder = 0;
const newOrder = () => `bench-${++lastOrder}`;

export function ipnRate(subject: Subject): Promise<Rate> {
  return rate(subject, () => sendIpn(subject, newOrder()));
}

export function startRate(subject: Subject): Promise<Rate> {
  return rate(subject, async () => {
    const orderId = newOrder();
    await startPayment(subject, orderId, tokenOf(orderId));
  });
}

/** Milliseconds from sending each IPN until the event with `paid: true` is read. */
export async function eventDelays(subject: Subject, gateway: InstantGateway): Promise<number[]> {
  const delays: number[] = [];
  for (let sent = 0; sent < IPNS_FOLLOWED; sent++) {
    const nextAt = performance.now() + IPN_EVERY_MS;
    delays.push(await followOne(subject, gateway));
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, nextAt - performance.now())));
  }
  return delays;
}

async function followOne(subject: Subject, gateway: InstantGateway): Promise<number> {
  const orderId = newOrder();
  const token = tokenOf(orderId);
  await startPayment(subject, orderId, token);
  const headers = { authorization: `Bearer ${token}` };
  const { statusCode, body } = await subject.pool.request({ path: '/order/events', method: 'GET', headers });
  assert.equal(statusCode, 200, `${subject.name} opens a stream`);
  let sentAt: number | undefined;
  let answered: Promise<void> | undefined;
  let text = '';
  for await (const chunk of body) {
    text += String(chunk);
    if (sentAt === undefined && text.includes('"PROCESSING"')) {
      gateway.settle(orderId);
      sentAt = performance.now();
      answered = sendIpn(subject, orderId);
    } else if (text.includes('"paid":true') && sentAt !== undefined) {
      const delay = performance.now() - sentAt;
      await answered;
      return delay;
    }
  }
  return assert.fail(`${subject.name} ended the stream of ${orderId} before it was paid`);
}

async function sendIpn({ pool, name, done }: Subject, orderId: string): Promise<void> {
  const ipn = { paymentId: 111328, orderId, type: 'PAY', amount: 10.1, currency: 'EUR', status: 'SUCCESS' };
  const { statusCode, body } = await pool.request({
    path: `/ipn/${IPN_SECRET}`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ipn),
  });
  await body.dump();
  assert.equal(statusCode, 200, `${name} stores an IPN`);
  done.ipns++;
}

async function startPayment({ pool, name, done }: Subject, orderId: string, token: string): Promise<void> {
  const { statusCode, body } = await pool.request({
    path: '/order/payments',
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': `key-${orderId}`,
    },
    body: '{"method":"QR"}',
  });
  assert.equal(statusCode, 201, `${name} starts a payment`);
  done.transactions++;
  const view = (await body.json()) as OrderView;
  assert.ok(view.payment?.qr && 'modules' in view.payment.qr, `${name} answers with a code`);
}

function tokenOf(orderId: string): string {
  const nowS = Math.floor(Date.now() / 1000);
  const order = {
    orderId,
    currency: 'EUR',
    amount: '10.10',
    returnUrl: `${SHOP}/thanks`,
    description: 'Tea',
    language: 'en',
  };
  return signOrder({ ...order, customerReferenceNo: 'c-1', iat: nowS, exp: nowS + 3600 }, ORDER_SECRET);
}

/** Keeps AT_ONCE requests in flight: each answer is followed at once by the next request. */
async function rate({ cpuSeconds }: Subject, send: () => Promise<void>): Promise<Rate> {
  const until = async (endAt: number) => {
    let answered = 0;
    const one = async () => {
      for (; performance.now() < endAt; answered++) await send();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    return answered;
  };
  await until(performance.now() + WARM_UP_MS);
  const [from, cpuFrom] = [performance.now(), cpuSeconds()];
  const answered = await until(from + MEASURE_MS);
  return {
    perSecond: answered / ((performance.now() - from) / 1000),
    cpuMicroseconds: ((cpuSeconds() - cpuFrom) / answered) * 1_000_000,
  };
}
