// What each answer of the gateway is taken for. Pure: a status, its headers' wait and a body's fields in, the port's own kinds out.
// What the fields are called is the profile's, who refused is refusal.ts's, and what may reach a shopper is qr-content.ts's.
// Anything not exactly as documented is "lost" or "unavailable", never "failed".
import { z } from 'zod';
import { TRANSACTION_TYPES, TYPES } from '../protocol/transaction.ts';
import type { IpnReading, Report } from '../protocol/verify.ts';
import { ANSWER } from '../protocol/methods.ts';
import { METHODS } from '../protocol/wire.ts';
import type { Accepted, Checked, Sent } from './gateway.ts';
import { CODE, type Profile } from './profile.ts';
import { refusalOf } from './refusal.ts';
import { appUrlOf, checkoutUrlOf, qrContentOf } from './qr-content.ts';

export type Fields = Record<string, unknown>;

export interface Reply {
  status: number;
  /** The body's fields, numbers as the text wrote them; undefined where it is not a JSON object. */
  fields: Fields | undefined;
  /** What a Retry-After asked for. */
  retryAfterMs?: number;
}

/** No answer, or none that could be read to its end. `why` is an error's code or name. */
export interface Lost {
  lost: string;
}

/** Errors of making a connection, and of nothing after that: the request was never written. */
const UNREACHED: readonly string[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];

export function sentBy<Answer>(
  reply: Reply | Lost,
  profile: Profile,
  read: (fields: Fields) => Answer | undefined,
): Sent<Answer> {
  if ('lost' in reply) return { kind: UNREACHED.includes(reply.lost) ? 'unreached' : 'lost', detail: reply.lost };
  if (reply.status !== 200 && reply.status !== 202) {
    const { kind, detail } = refusalOf(reply.status, reply.fields, profile);
    return kind === 'lost' ? { kind, detail, ...waitOf(reply) } : { kind, detail };
  }
  const answer = reply.fields && read(reply.fields);
  return answer ? { kind: 'accepted', answer } : { kind: 'lost', detail: 'undocumented answer', ...waitOf(reply) };
}

/** What the status check said when it was asked about this transaction. */
export function checkedBy(reply: Reply | Lost, transactionId: string, profile: Profile): Checked {
  if ('lost' in reply) return { kind: 'unavailable', detail: reply.lost };
  const { status, fields } = reply;
  // Any page but a JSON object says that we did not reach it. A wrong path is answered in JSON by every framework, too: so it
  // is told whether it was the gateway's own word, and what "unknown" proves is decided elsewhere.
  if (profile.httpStatuses.unknown.includes(status) && fields) {
    const { noSuchOrder } = profile;
    return { kind: 'unknown', isOwnWord: noSuchOrder !== null && fields[noSuchOrder.field] === noSuchOrder.value };
  }
  if (status !== 200) return { kind: 'unavailable', detail: `HTTP ${status}`, ...waitOf(reply) };
  const report = fields && readReport(fields, profile);
  if (report?.transactionId !== transactionId)
    return { kind: 'unavailable', detail: 'undocumented answer', ...waitOf(reply) };
  return { kind: 'found', report: { ...report, outcome: report.outcome ?? 'pending' } };
}

function waitOf({ retryAfterMs }: Reply): { retryAfterMs?: number } {
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}

const text = z.string().min(1).max(100_000);
/** No control characters: no id has one, and PostgreSQL's text cannot hold a NUL. */
const identifier = z.string().regex(/^\P{Cc}{1,100}$/u);
const optionalIdentifier = identifier.nullish();
// Made once: building a schema costs more than a hundred readings by it.
const acceptedSchema = z.object({
  method: z.enum(METHODS),
  checkoutUrl: text.nullish(),
  qr: text.nullish(),
  appUrl: text.nullish(),
});
const reportSchema = z.object({
  transactionId: identifier,
  type: z.string(),
  paymentId: identifier.nullish(),
  // Where it is no id, the rest of the report still counts.
  customer: identifier.nullish().catch(null),
  amount: z.string().max(40).nullish(),
  currency: z.string().max(10).nullish(),
  status: z.string().max(100).nullish(),
  /** The gateway's own code for what happened, for the merchant's eyes. */
  message: z.string().regex(CODE).nullish().catch(null),
});

/** The payment id in an answer, which has to name the transaction. */
export function readIdentity(fields: Fields, transactionId: string, { answer: names }: Profile) {
  if (fields[names.orderId] !== transactionId) return undefined;
  const paymentId = optionalIdentifier.safeParse(fields[names.paymentId]);
  return paymentId.success ? { paymentId: paymentId.data ?? null } : undefined;
}

export function readAccepted(
  fields: Fields,
  transactionId: string,
  { profile, checkoutHosts }: { profile: Profile; checkoutHosts: readonly string[] },
): Accepted | undefined {
  const names = profile.answer;
  const identity = readIdentity(fields, transactionId, profile);
  const parsed = acceptedSchema.safeParse({
    method: fields[names.method],
    checkoutUrl: fields[names.checkoutUrl],
    qr: fields[names.qr],
    appUrl: fields[names.appUrl],
  });
  if (identity === undefined || !parsed.success) return undefined;
  const { method, checkoutUrl, qr, appUrl } = parsed.data;
  const none = { ...identity, method, checkoutUrl: null, qr: null, appUrl: null };
  switch (ANSWER[method]) {
    case 'prompt':
      return none;
    case 'link': {
      const safe = checkoutUrl ? checkoutUrlOf(checkoutUrl, checkoutHosts) : undefined;
      return safe === undefined ? undefined : { ...none, checkoutUrl: safe };
    }
    case 'code': {
      const code = qr ? qrContentOf(qr) : undefined;
      // A link that may not be shown is left out: the code alone is enough to pay.
      const link = appUrl ? appUrlOf(appUrl, checkoutHosts, profile.appSchemes) : undefined;
      return code === undefined ? undefined : { ...none, qr: code, appUrl: link ?? null };
    }
    default:
      return ANSWER[method] satisfies never;
  }
}

/** An IPN and a status check's answer have the same fields; only the order id and the type are sure to be there. */
export function readReport(fields: Fields, profile: Profile): IpnReading | undefined {
  const { report: names, types } = profile;
  const parsed = reportSchema.safeParse({
    ...Object.fromEntries(Object.entries(names).map(([ours, theirs]) => [ours, fields[theirs]])),
    transactionId: fields[names.orderId],
  });
  if (!parsed.success) return undefined;
  const { transactionId, type, paymentId, customer, amount, currency, status, message } = parsed.data;
  const ownType = TRANSACTION_TYPES.find((each) => types[each] === type);
  if (ownType === undefined) return undefined;
  const outcome = status ? outcomeOf(status, ownType, profile) : null;
  return {
    transactionId,
    type: ownType,
    paymentId: paymentId ?? null,
    customer: customer ?? null,
    amount: amount ?? null,
    currency: currency ?? null,
    outcome,
    ...(outcome === 'failed' && message && { message, ...(profile.expired.includes(message) && { isExpired: true }) }),
  };
}

function outcomeOf(status: string, type: Report['type'], { statuses }: Profile): Report['outcome'] {
  const meaning = Object.hasOwn(statuses, status) ? (statuses[status] ?? 'pending') : 'pending';
  if (meaning !== 'error') return meaning;
  return TYPES[type].isOutgoing ? 'pending' : 'failed';
}
