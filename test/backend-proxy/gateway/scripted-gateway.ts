// The HTTP adapter over a server that keeps each request and gives the answer of the test: as bytes for the adapter's
// own tests (`scripted`), and by the names of a profile for the contract (`openHttp`).
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import type { GatewayOptions } from '../../../backend-proxy/gateway/http.ts';
import type { Gateway } from '../../../backend-proxy/gateway/gateway.ts';
import type { Profile } from '../../../backend-proxy/gateway/profile.ts';
import { parseExact } from '../../../backend-proxy/protocol/money.ts';
import { GATEWAY_TYPES } from '../../../backend-proxy/protocol/transaction.ts';
import { httpGateway } from './http-gateway.ts';
import type { Adapter, Arrived, Break, Offer, Reported, Says } from './gateway-kit.ts';
import { serveOnLoopback } from '../../loopback.ts';

export const API = '/api/v3/integration/merchants/payments';
export const CHECKOUT = { paymentId: 111328, orderId: 'A-1', method: 'CHECKOUT', checkout: 'https://checkout.example/pay?token=t', qr: null }; // prettier-ignore
export const QR = { paymentId: 'b3f1', orderId: 'A-1', method: 'QR', qr: Buffer.from('https://wallet.example/q').toString('base64') }; // prettier-ignore
export const REPORT = { paymentId: 111328, orderId: 'A-1', type: 'PAY', customer: '12345678', amount: 500, currency: 'EUR', status: 'SUCCESS', message: 'SUCCESS' }; // prettier-ignore

export type Answer =
  | ((response: ServerResponse, request: IncomingMessage) => void)
  | { status?: number; headers?: Record<string, string | string[]>; body: unknown };

export interface Scripted {
  gateway: Gateway;
  /** The requests as received. */
  requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];
  url: string;
  /** Sets the answer to each further request. */
  answers(answer: Answer): void;
  stop(): Promise<void>;
}

export async function scripted(
  t: TestContext,
  first: Answer = { body: '' },
  options: Partial<GatewayOptions> = {},
): Promise<Scripted> {
  const requests: Scripted['requests'] = [];
  let answer = first;
  const { url, close } = await serveOnLoopback((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      if (typeof answer === 'function') return answer(response, request);
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
      const headers = { 'content-type': 'application/json', ...answer.headers };
      response.writeHead(answer.status ?? 200, headers).end(text);
    });
  });
  const gateway = httpGateway(url, options);
  t.after(async () => {
    // The test may have done either.
    await Promise.allSettled([close(), gateway.close()]);
  });
  return { gateway, requests, url, answers: (next) => void (answer = next), stop: close };
}

const NO_SUCH_ORDER = { field: 'reason', value: 'NO_SUCH_ORDER' };

/** Opens the HTTP adapter for the contract, with the names of this profile on the wire. */
export function openHttp(profile: Profile): Adapter['open'] {
  return async (t, { checkoutHosts = [], timeoutMs, isWeaker = false } = {}) => {
    const paths = isWeaker ? { ...profile.paths, status: null } : profile.paths;
    const { gateway, requests, answers, stop } = await scripted(t, undefined, {
      profile: { ...profile, paths, noSuchOrder: NO_SUCH_ORDER },
      checkoutHosts,
      ...(timeoutMs !== undefined && { totalTimeoutMs: timeoutMs }),
    });
    return {
      gateway,
      arrived: () => requests.map(({ url, body }) => arrivedAt(url, body, profile)),
      says: sayingBy(profile, answers),
      ipn: (report) => JSON.stringify(reportFields(report, profile)),
      stop,
    };
  };
}

function arrivedAt(url: string, body: string, { paths, request: names, report, types }: Profile): Arrived {
  const fields = parseExact(body) as Record<string, string>;
  if (url === paths.status) {
    const type = GATEWAY_TYPES.find((each) => types[each] === fields[report.type]);
    return { operation: 'status', transactionId: fields[report.orderId] ?? '', ...(type && { type }) };
  }
  const { [names.orderId]: transactionId = '', [names.amount]: amount = '', [names.currency]: currency = '' } = fields;
  const method = fields[names.method];
  const operation = url === paths.pay ? 'pay' : 'payout';
  return { operation, transactionId, amount, currency, ...(method !== undefined && { method }) };
}

function sayingBy(profile: Profile, answers: Scripted['answers']): Says {
  const { refusal, duplicate } = profile;
  const { field, value } = NO_SUCH_ORDER;
  return {
    accepted: (offer) => answers({ status: 202, body: offerFields(offer, profile) }),
    reported: (report) => answers({ body: reportFields(report, profile) }),
    refused: (code) => answers({ status: 400, body: { [refusal.code]: code } }),
    duplicate: () => answers({ status: 400, body: { [refusal.message]: `Order ${duplicate[0]}` } }),
    foreign: () => answers({ status: 403, body: '<h1>Forbidden</h1>' }),
    unknown: (isNoSuchOrder) => answers({ status: 404, body: isNoSuchOrder ? { [field]: value } : {} }),
    failing: (waitMs) =>
      answers({ status: 503, body: '', ...(waitMs && { headers: { 'retry-after': String(waitMs / 1000) } }) }),
    redirect: () => answers({ status: 307, headers: { location: '/elsewhere' }, body: '' }),
    garbage: () => answers({ body: 'It works!' }),
    nothing: (because) => answers(BROKEN[because]),
  };
}

const BROKEN: Record<Break, Answer> = {
  cut: (response) => response.destroy(),
  half: (response) => response.writeHead(200, { 'content-length': 99 }).write('{', () => response.destroy()),
  silence: () => undefined,
  drip: (response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write(' '), 10);
    response.on('close', () => clearInterval(drip));
  },
  flood: { body: ' '.repeat(256 * 1024 + 1) },
};

function offerFields({ transactionId, paymentId, qr, ...offer }: Offer, { answer: names }: Profile): object {
  return {
    [names.orderId]: transactionId,
    [names.paymentId]: paymentId !== null && /^\d+$/.test(paymentId) ? JSON.rawJSON(paymentId) : paymentId,
    [names.method]: offer.method,
    [names.checkoutUrl]: offer.checkoutUrl,
    [names.qr]: qr && Buffer.from(qr).toString('base64'),
    [names.appUrl]: offer.appUrl,
  };
}

function reportFields({ transactionId, type, amount, outcome, ...report }: Reported, profile: Profile): object {
  const { report: names, statuses, types } = profile;
  const word = Object.keys(statuses).find((each) => statuses[each] === outcome) ?? 'PAYMENT_FINALIZED';
  return {
    [names.orderId]: transactionId,
    [names.type]: types[type],
    [names.paymentId]: report.paymentId,
    [names.customer]: report.customer,
    [names.amount]: amount === undefined ? undefined : JSON.rawJSON(amount),
    [names.currency]: report.currency,
    [names.status]: outcome && word,
  };
}
