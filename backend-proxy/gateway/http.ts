// The gateway over HTTP: one POST per call, never repeated, no redirect followed, every wait limited.
// Owns the connection, the API key and the reading of answers; what the fields are called is the profile's, what may
// reach a shopper is trust.ts's. Anything not exactly as documented is "uncertain", never "failed".
import { Agent, request, type Dispatcher } from 'undici';
import { z } from 'zod';
import { formatAmount } from '../protocol/money.ts';
import type { TransactionType } from '../protocol/transaction.ts';
import type { IpnReading, Report } from '../protocol/verify.ts';
import { METHODS } from '../protocol/wire.ts';
import type { Accepted, Checked, Collection, Gateway, PayoutOrder, Sent } from './gateway.ts';
import { isTooDeep, parseExact } from './json.ts';
import type { Profile } from './profile.ts';
import { appUrlOf, checkoutUrlOf, qrOf } from './trust.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const TOTAL_TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 256 * 1024;
const MAX_CONNECTIONS = 64;
/** Errors of making a connection, and of nothing after that: the request was never written. */
const UNREACHED: readonly string[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];

export interface GatewayOptions {
  url: string;
  apiKey: string;
  profile: Profile;
  /** Hosts that a checkout URL may have; empty: any https host. */
  checkoutHosts: readonly string[];
  dispatcher?: Dispatcher;
  totalTimeoutMs?: number;
}

interface Reply {
  status: number;
  /** The body's fields, numbers as the text wrote them; undefined where it is not a JSON object. */
  fields: Record<string, unknown> | undefined;
}

export function createGateway(options: GatewayOptions): Gateway {
  const { profile } = options;
  const dispatcher =
    options.dispatcher ??
    new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS }, connections: MAX_CONNECTIONS, pipelining: 1 });
  const post = (path: string, body: Record<string, unknown>) => postJson(path, body, { ...options, dispatcher });
  const { status: statusPath } = profile.paths;

  return {
    async pay(collection) {
      return sent(await post(profile.paths.pay, payRequest(collection, profile)), profile, (fields) =>
        readAccepted(fields, collection.id, options),
      );
    },
    async payout(payout) {
      return sent(await post(profile.paths.payout, payoutRequest(payout, profile)), profile, (fields) => {
        const answer = readIdentity(fields, payout.id, profile);
        return answer && { paymentId: answer.paymentId };
      });
    },
    ...(statusPath !== null && {
      status: async (id: string, type: TransactionType) => {
        const body = { [profile.report.orderId]: id, [profile.report.type]: profile.types[type] };
        return checked(await post(statusPath, body), profile);
      },
    }),
    readIpn: (text) => {
      if (isTooDeep(text)) return { kind: 'refused' };
      const fields = asFields(text);
      const reading = fields && readReport(fields, profile);
      return reading ? { kind: 'read', reading } : { kind: 'unreadable' };
    },
    payoutDecimals: profile.payoutDecimals,
    close: () => dispatcher.close(),
  };
}

async function postJson(
  path: string,
  body: Record<string, unknown>,
  { url, apiKey, dispatcher, totalTimeoutMs = TOTAL_TIMEOUT_MS }: GatewayOptions,
): Promise<Reply | { lost: string }> {
  try {
    const answer = await request(url.replace(/\/$/, '') + path, {
      method: 'POST',
      headers: { 'X-API-KEY': apiKey, 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(totalTimeoutMs),
      ...(dispatcher && { dispatcher }),
    });
    return { status: answer.statusCode, fields: asFields(await readText(answer.body)) };
  } catch (error) {
    return { lost: reasonOf(error) };
  }
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > MAX_ANSWER_BYTES) throw new Error('answer too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A word for the log: the error's code or name, never its text, which may quote the other side. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

function asFields(text: string): Record<string, unknown> | undefined {
  const value = parseExact(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

function payRequest(collection: Collection, { request: names }: Profile): Record<string, unknown> {
  const { method, customer, customerReferenceNo, language } = collection;
  const takesCustomer = method === 'DIRECT' || method === 'CHECKOUT';
  return {
    [names.orderId]: collection.id,
    [names.amount]: exactNumber(collection.amountMinor, collection.currency),
    [names.currency]: collection.currency,
    [names.method]: method,
    [names.returnUrl]: collection.returnUrl,
    ...(takesCustomer && customer !== null && { [names.customer]: customer }),
    ...(method === 'DIRECT' && { [names.customerReferenceNo]: customerReferenceNo }),
    ...(takesCustomer && language !== null && { [names.language]: language }),
  };
}

function payoutRequest(payout: PayoutOrder, { request: names, types }: Profile): Record<string, unknown> {
  return {
    [names.orderId]: payout.id,
    [names.amount]: exactNumber(payout.amountMinor, payout.currency),
    [names.currency]: payout.currency,
    [names.customer]: payout.customer,
    [names.type]: types.payoutRequest,
    ...(payout.note !== null && { [names.note]: payout.note }),
  };
}

/** A JSON number in major units with its exact digits: 10.10, and 50 rather than 50.00, which is no integer to a strict reader. */
function exactNumber(amountMinor: number, currency: string): unknown {
  return JSON.rawJSON(formatAmount(amountMinor, currency).replace(/\.0+$/, ''));
}

function sent<Answer>(
  reply: Reply | { lost: string },
  { httpStatuses, refusal }: Profile,
  read: (fields: Record<string, unknown>) => Answer | undefined,
): Sent<Answer> {
  if ('lost' in reply) return { kind: UNREACHED.includes(reply.lost) ? 'unreached' : 'uncertain', why: reply.lost };
  if (httpStatuses.rejected.includes(reply.status)) {
    const code = word.parse(reply.fields?.[refusal.code]);
    return { kind: 'rejected', why: `HTTP ${reply.status}${code ? ` ${code}` : ''}` };
  }
  if (reply.status !== 200 && reply.status !== 202) return { kind: 'uncertain', why: `HTTP ${reply.status}` };
  const answer = reply.fields && read(reply.fields);
  return answer ? { kind: 'accepted', answer } : { kind: 'uncertain', why: 'undocumented answer' };
}

const text = z.string().min(1).max(100_000);
/** No control characters: no id has one, and PostgreSQL's text cannot hold a NUL. */
const identifier = z.string().regex(/^\P{Cc}{1,100}$/u);
const optionalIdentifier = identifier.nullish();
/** The gateway's own code for what happened, for the merchant's eyes: a word and never a text, which could hold anything. */
const word = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{1,63}$/)
  .nullish()
  .catch(null);
// Made once: building a schema costs more than a hundred readings by it.
const acceptedSchema = z.object({
  method: z.enum(METHODS),
  checkoutUrl: text.nullish(),
  qr: text.nullish(),
  appUrl: text.nullish(),
});
const reportSchema = z.object({
  orderId: identifier,
  type: z.string(),
  paymentId: identifier.nullish(),
  // Compared with nothing: where it is no id, the rest of the report still counts.
  customer: identifier.nullish().catch(null),
  amount: z.string().max(40).nullish(),
  currency: z.string().max(10).nullish(),
  status: z.string().max(100).nullish(),
  message: word,
});

function readIdentity(fields: Record<string, unknown>, id: string, { answer: names }: Profile) {
  if (fields[names.orderId] !== id) return undefined;
  const paymentId = optionalIdentifier.safeParse(fields[names.paymentId]);
  return paymentId.success ? { paymentId: paymentId.data ?? null } : undefined;
}

function readAccepted(
  fields: Record<string, unknown>,
  id: string,
  { profile, checkoutHosts }: GatewayOptions,
): Accepted | undefined {
  const names = profile.answer;
  const identity = readIdentity(fields, id, profile);
  const parsed = acceptedSchema.safeParse({
    method: fields[names.method],
    checkoutUrl: fields[names.checkoutUrl],
    qr: fields[names.qr],
    appUrl: fields[names.appUrl],
  });
  if (identity === undefined || !parsed.success) return undefined;
  const { method, checkoutUrl, qr, appUrl } = parsed.data;
  const none = { ...identity, method, checkoutUrl: null, qr: null, appUrl: null };
  if (method === 'DIRECT') return none;
  if (method === 'CHECKOUT') {
    const safe = checkoutUrl ? checkoutUrlOf(checkoutUrl, checkoutHosts) : undefined;
    return safe === undefined ? undefined : { ...none, checkoutUrl: safe };
  }
  const code = qr ? qrOf(qr) : undefined;
  // A link that may not be shown is left out: the code alone is enough to pay.
  return code === undefined ? undefined : { ...none, qr: code, appUrl: (appUrl && appUrlOf(appUrl)) || null };
}

function checked(reply: Reply | { lost: string }, profile: Profile): Checked {
  if ('lost' in reply) return { kind: 'unavailable', why: reply.lost };
  // Said in JSON, it is the gateway that does not know the order. Any other page says that we did not reach it, and a wrong
  // path must never look like "no such payout".
  if (profile.httpStatuses.unknown.includes(reply.status) && reply.fields) return { kind: 'unknown' };
  if (reply.status !== 200) return { kind: 'unavailable', why: `HTTP ${reply.status}` };
  const report = reply.fields && readReport(reply.fields, profile);
  if (report === undefined) return { kind: 'unavailable', why: 'undocumented answer' };
  return { kind: 'found', report: { ...report, outcome: report.outcome ?? 'pending' } };
}

/** An IPN and a status check's answer have the same fields; only the order id and the type are sure to be there. */
function readReport(
  fields: Record<string, unknown>,
  { report: names, types, statuses }: Profile,
): IpnReading | undefined {
  const parsed = reportSchema.safeParse(
    Object.fromEntries(Object.entries(names).map(([ours, theirs]) => [ours, fields[theirs]])),
  );
  if (!parsed.success) return undefined;
  const { orderId, type, paymentId, customer, amount, currency, status, message } = parsed.data;
  if (type !== types.PAY && type !== types.PAYOUT) return undefined;
  const outcome = status ? (ownStatus(statuses, status) ?? 'pending') : null;
  return {
    orderId,
    type: type === types.PAY ? 'PAY' : 'PAYOUT',
    paymentId: paymentId ?? null,
    customer: customer ?? null,
    amount: amount ?? null,
    currency: currency ?? null,
    outcome,
    ...(outcome === 'failed' && message && { message }),
  };
}

function ownStatus(statuses: Profile['statuses'], status: string): Report['outcome'] | undefined {
  return Object.hasOwn(statuses, status) ? statuses[status] : undefined;
}
