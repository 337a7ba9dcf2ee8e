// Every kind of answer to the one POST of a payment or payout, and to a status check. To add a kind, add a row.
import type { Reply, Lost } from './wire.ts';

export interface PostAnswer {
  /** The gateway carries it out, unless it has the id already. */
  arrives: boolean;
  /** Milliseconds until the answer; default: a quick one. Calls are given up after 30 s. */
  afterMs?: number;
  /** What is made of the gateway's own answer. */
  reply(made: Reply): Reply | Lost;
}

const http = (status: number, body: string, headers: Record<string, string> = {}) => ({
  reply: (): Reply => ({ status, body, headers: { 'content-type': 'application/json', ...headers } }),
});
const lost = (code: string) => ({ reply: (): Lost => ({ lost: code }) });
const changed = (fields: object) => ({
  reply: ({ body, ...rest }: Reply): Reply => ({ ...rest, body: JSON.stringify({ ...JSON.parse(body), ...fields }) }),
});
const HTML = '<html><h1>It works!</h1></html>';

export const POST_ANSWERS = {
  'as documented': { arrives: true, reply: (made) => made },
  '12 s late': { arrives: true, afterMs: 12_000, reply: (made) => made },
  '28 s late': { arrives: true, afterMs: 28_000, reply: (made) => made },
  'after the call was given up': { arrives: true, afterMs: 40_000, reply: (made) => made },
  'no connection': { arrives: false, ...lost('ECONNREFUSED') },
  'lost, not made': { arrives: false, ...lost('UND_ERR_SOCKET') },
  'lost, made': { arrives: true, ...lost('UND_ERR_SOCKET') },
  'half of it': { arrives: true, reply: ({ body, ...rest }) => ({ ...rest, body: body.slice(0, body.length >> 1) }) },
  'no payment id': { arrives: true, ...changed({ paymentId: null }) },
  'another payment id': { arrives: true, ...changed({ paymentId: 7 }) },
  'another method': { arrives: true, ...changed({ method: 'CHECKOUT', checkout: 'https://pay.example/pay?token=t' }) },
  'another id': { arrives: true, ...changed({ orderId: 'another' }) },
  HTML: { arrives: true, ...http(200, HTML) },
  '500, not made': { arrives: false, ...http(500, '{"error":"Internal"}') },
  '500, made': { arrives: true, ...http(500, '{"error":"Internal"}') },
  '503, not made': { arrives: false, ...http(503, HTML) },
  '403 of a firewall, not made': { arrives: false, ...http(403, HTML) },
  '403 of a firewall, made': { arrives: true, ...http(403, HTML) },
  '404 of a framework, made': { arrives: true, ...http(404, '{"status":404,"error":"Not Found"}') },
  '429': { arrives: false, ...http(429, '{"code":"TOO_MANY"}', { 'retry-after': '600' }) },
  'wallet not found': {
    arrives: false,
    ...http(400, '{"code":"WALLET_NOT_FOUND","message":"Wallet not yet existing"}'),
  },
  'wrong key': { arrives: false, ...http(401, '{"code":"INVALID_API_KEY","message":"API key used is invalid"}') },
  'wallet blocked': {
    arrives: false,
    ...http(403, '{"code":"WALLET_BLOCKED","message":"This wallet is already blocked."}'),
  },
  'reference not unique': { arrives: false, ...http(400, '{"code":"CUSTOMER_REFERENCE_NOT_UNIQUE"}') },
  'repeated on the way: 409': { arrives: true, ...http(409, '{"code":"ORDER_ID_NOT_UNIQUE"}') },
} as const satisfies Record<string, PostAnswer>;
export type PostAnswerName = keyof typeof POST_ANSWERS;

/** How this gateway says that it has the id already. `made again`: it does not mind, and makes another. */
export const DUPLICATES = {
  '409': http(409, '{}'),
  '400 with a code': http(400, '{"code":"ORDER_ID_NOT_UNIQUE"}'),
  '422 in a list': http(422, '{"errors":[{"code":"DUPLICATED"}]}'),
  '500': http(500, '{"error":"unique constraint"}'),
  reset: lost('UND_ERR_SOCKET'),
  'made again': undefined,
} as const;
export type DuplicateName = keyof typeof DUPLICATES;

/** What status checks get for a while. */
export const STATUS_ANSWERS = {
  'as documented': (honest: Reply): Reply | Lost => honest,
  'no connection': lost('ECONNREFUSED').reply,
  '503': http(503, HTML).reply,
  HTML: http(200, HTML).reply,
  'wrong path': http(404, '{"status":404,"error":"Not Found"}').reply,
  '429': http(429, '{}', { 'retry-after': '30' }).reply,
  'without amount': (honest: Reply): Reply =>
    honest.status === 200 ? changed({ amount: null }).reply(honest) : honest,
  masked: (honest: Reply): Reply => (honest.status === 200 ? changed({ customer: null }).reply(honest) : honest),
  /** What was true five minutes ago. */
  lagging: (honest: Reply): Reply => honest,
} as const satisfies Record<string, (honest: Reply) => Reply | Lost>;
export type StatusAnswerName = keyof typeof STATUS_ANSWERS;
export const LAG_MS = 300_000;
