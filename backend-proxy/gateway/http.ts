// The gateway over HTTP, and how far its clock is ahead of ours.
// There is one POST per call, never repeated; no redirect is followed, and every wait is limited. answers.ts interprets
// the answers.
import { Agent, request, type Dispatcher } from 'undici';
import { GATEWAY_TIMEOUT_MS, STATUS_CONNECTIONS } from '../protocol/durations.ts';
import { isLoopbackName } from '../protocol/links.ts';
import { decimalOf, isTooDeep, parseExact } from '../protocol/money.ts';
import type { GatewayType } from '../protocol/transaction.ts';
import { METHODS, type Method } from '../protocol/wire.ts';
import { codeOf, readBody, retryAfterMs } from '../received.ts';
import {
  readChecked,
  readAccepted,
  readIdentity,
  readReport,
  readSent,
  type Fields,
  type Lost,
  type Reply,
} from './answers.ts';
import type { Collection, ExtraHeaders, Gateway, Operation, PayoutOrder } from './gateway.ts';
import type { Profile } from './profile.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 256 * 1024;
/** No answer can slow the checks for longer. */
const MAX_RETRY_AFTER_MS = 60_000;
/** Separate connections per operation, so that a hanging endpoint blocks only itself. */
const MAX_CONNECTIONS = { pay: 64, payout: 8, status: STATUS_CONNECTIONS } as const satisfies Record<Operation, number>;

export interface GatewayOptions {
  url: string;
  apiKey: string;
  profile: Profile;
  /** Hosts allowed in a checkout URL or a web link to the wallet; empty: any https host. */
  checkoutHosts: readonly string[];
  /** Replaces the connection pools of all three operations. */
  dispatcher?: Dispatcher;
  totalTimeoutMs?: number;
  /** Wall clock, to read a Retry-After that is a date, and to compare the gateway's. */
  now?: () => number;
}

export function createGateway(options: GatewayOptions): Gateway {
  const { profile } = options;
  const pools = options.dispatcher ? sharedPool(options.dispatcher) : separatePools();
  let offsetMs: number | undefined;
  const onOffset = (ms: number) => void (offsetMs = ms);
  const post = (operation: Operation, path: string, body: Fields, headers?: ExtraHeaders) =>
    postJson(path, body, headers, { ...options, dispatcher: pools[operation], onOffset });
  const { status: statusPath } = profile.paths;

  return {
    async pay(collection, headers) {
      const reply = await post('pay', profile.paths.pay, payRequest(collection, profile), headers);
      return readSent(reply, profile, (fields) => readAccepted(fields, collection.transactionId, options));
    },
    async payout(payout, headers) {
      const reply = await post('payout', profile.paths.payout, payoutRequest(payout, profile), headers);
      return readSent(reply, profile, (fields) => readIdentity(fields, payout.transactionId, profile));
    },
    ...(statusPath !== null && {
      status: async (transactionId: string, type: GatewayType, headers?: ExtraHeaders) => {
        const body = { [profile.report.orderId]: transactionId, [profile.report.type]: profile.types[type] };
        return readChecked(await post('status', statusPath, body, headers), transactionId, profile);
      },
    }),
    readIpn: (text) => {
      if (isTooDeep(text)) return { kind: 'refused' };
      const fields = asFields(text);
      const reading = fields && readReport(fields, profile);
      return reading ? { kind: 'read', reading } : { kind: 'unreadable' };
    },
    refundMethods: new Set(METHODS.filter((method) => profile.refundAs[method] !== 'no')),
    payoutDecimals: profile.payoutDecimals,
    isTest: profile.sandbox ?? isLoopbackName(new URL(options.url).hostname),
    walletAppUrl: profile.walletAppUrl?.startsWith('/')
      ? addressOf(options.url, profile.walletAppUrl)
      : profile.walletAppUrl,
    causeOf: (code) =>
      (['CANCELLED', 'LOW_BALANCE'] as const).find((cause) => code !== null && profile.causes[cause].includes(code)) ??
      null,
    clockOffset: () => offsetMs,
    close: async () => {
      await Promise.all([...new Set(Object.values(pools))].map((pool) => pool.close()));
    },
  };
}

const addressOf = (url: string, path: string): string => url.replace(/\/$/, '') + path;

type Pools = Record<Operation, Dispatcher>;

function sharedPool(dispatcher: Dispatcher): Pools {
  return { pay: dispatcher, payout: dispatcher, status: dispatcher };
}

function separatePools(): Pools {
  const pool = (connections: number) =>
    new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS }, connections, pipelining: 1 });
  return {
    pay: pool(MAX_CONNECTIONS.pay),
    payout: pool(MAX_CONNECTIONS.payout),
    status: pool(MAX_CONNECTIONS.status),
  };
}

interface Sending extends GatewayOptions {
  onOffset(ms: number): void;
}

async function postJson(
  path: string,
  body: Fields,
  extraHeaders: ExtraHeaders | undefined,
  { url, apiKey, dispatcher, totalTimeoutMs = GATEWAY_TIMEOUT_MS, now = Date.now, onOffset }: Sending,
): Promise<Reply | Lost> {
  try {
    const sentAt = now();
    const answer = await request(addressOf(url, path), {
      method: 'POST',
      headers: {
        'X-API-KEY': apiKey,
        'Content-Type': 'application/json',
        Accept: 'application/json',
        ...extraHeaders,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(totalTimeoutMs),
      ...(dispatcher && { dispatcher }),
    });
    const offset = clockOffset(answer.headers.date, sentAt, now());
    if (offset !== undefined) onOffset(offset);
    const waitMs = retryAfterMs(answer.headers['retry-after'], now(), MAX_RETRY_AFTER_MS);
    return {
      status: answer.statusCode,
      fields: asFields((await readBody(answer.body, MAX_ANSWER_BYTES)).toString('utf8')),
      ...(waitMs !== undefined && { retryAfterMs: waitMs }),
    };
  } catch (error) {
    return { lost: codeOf(error) };
  }
}

function asFields(text: string): Fields | undefined {
  const value = parseExact(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** Optional fields per method, as the gateway documents them. */
const OPTIONAL_FIELDS = {
  DIRECT: ['customer', 'customerReference', 'language'],
  CHECKOUT: ['customer', 'language'],
  JETGO: [],
  QR: [],
} as const satisfies Record<Method, readonly ('customer' | 'customerReference' | 'language')[]>;

function payRequest(collection: Collection, { request: names }: Profile): Fields {
  const { method } = collection;
  const optionalFields = Object.fromEntries(
    OPTIONAL_FIELDS[method].flatMap((field) => (collection[field] === null ? [] : [[names[field], collection[field]]])),
  );
  return {
    [names.orderId]: collection.transactionId,
    [names.amount]: exactNumber(collection.amountMinor, collection.currency),
    [names.currency]: collection.currency,
    [names.method]: method,
    [names.returnUrl]: collection.returnUrl,
    ...optionalFields,
  };
}

function payoutRequest(payout: PayoutOrder, { request: names, types, refundAs }: Profile): Fields {
  const type = payout.refunds === undefined ? types.payoutRequest : refundAs[payout.refunds];
  return {
    [names.orderId]: payout.transactionId,
    [names.amount]: exactNumber(payout.amountMinor, payout.currency),
    [names.currency]: payout.currency,
    [names.customer]: payout.customer,
    ...(type !== null && { [names.type]: type }),
    ...(payout.note !== null && { [names.note]: payout.note }),
  };
}

/**
 * A JSON number in major units with its exact digits: 10.10, and 50 rather than 50.00, which a strict reader rejects
 * as an integer.
 */
function exactNumber(amountMinor: number, currency: string): unknown {
  return JSON.rawJSON(decimalOf(amountMinor, currency).replace(/\.0+$/, ''));
}

// How far the gateway's clock is ahead of this process's, by the Date of its answers.

/**
 * In ms. Date has whole seconds, and was written at some time between request and answer: what this leaves open is
 * taken as no difference, so any other answer is certain. Undefined without a readable date.
 */
export function clockOffset(date: unknown, sentAt: number, answeredAt: number): number | undefined {
  const from = Date.parse(typeof date === 'string' ? date : '');
  if (Number.isNaN(from)) return undefined;
  const [least, most] = [from - answeredAt, from + 1_000 - sentAt];
  if (least > 0) return least;
  return Math.min(0, most);
}
