// Interprets the answers of the gateway. Pure: from a status, its Retry-After and the fields of a body to the kinds
// of the port. The profile names the fields, refusal.ts interprets a 4xx, links.ts and qr-content.ts check what may
// reach a shopper.
// An answer that is not exactly as documented is "lost" or "unavailable", never "failed".
import { z } from 'zod';
import { GATEWAY_TYPES, TYPES } from '../protocol/transaction.ts';
import type { IpnReading, Report } from '../protocol/verify.ts';
import { PAYS_BY } from '../protocol/methods.ts';
import { METHODS } from '../protocol/wire.ts';
import type { Accepted, Checked, Sent } from './gateway.ts';
import { CODE, type Profile } from './profile.ts';
import { refusalOf } from './refusal.ts';
import { appUrlOf, checkoutUrlOf } from './links.ts';
import { qrContentOf } from './qr-content.ts';

export type Fields = Record<string, unknown>;

export interface Reply {
  status: number;
  /** Fields of the body, numbers as their source text; undefined if the body is not a JSON object. */
  fields: Fields | undefined;
  /** The wait that a Retry-After asked for. */
  retryAfterMs?: number;
}

/** No answer, or one that could not be read to its end. `lost` is the code or name of the error. */
export interface Lost {
  lost: string;
}

/** Errors that occur only before a connection is made: the request was never written. */
const CONNECT_ERRORS: readonly string[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];

export function readSent<Answer>(
  reply: Reply | Lost,
  profile: Profile,
  read: (fields: Fields) => Answer | undefined,
): Sent<Answer> {
  if ('lost' in reply) return { kind: CONNECT_ERRORS.includes(reply.lost) ? 'unreached' : 'lost', detail: reply.lost };
  if (reply.status !== 200 && reply.status !== 202) {
    return refusalOf(reply.status, reply.fields, profile);
  }
  const answer = reply.fields && read(reply.fields);
  return answer ? { kind: 'accepted', answer } : { kind: 'lost', detail: 'undocumented answer' };
}

/** The result of a status check of this transaction. */
export function readChecked(reply: Reply | Lost, transactionId: string, profile: Profile): Checked {
  if ('lost' in reply) return { kind: 'unavailable', detail: reply.lost };
  const { status, fields } = reply;
  // A page that is not a JSON object shows that the gateway was not reached. Frameworks also answer a wrong path with
  // a JSON 404, so `isNoSuchOrder` tells the documented answer apart, and unknown-proof.ts decides what an "unknown"
  // proves.
  if (profile.httpStatuses.unknown.includes(status) && fields) {
    const { noSuchOrder } = profile;
    return { kind: 'unknown', isNoSuchOrder: noSuchOrder !== null && fields[noSuchOrder.field] === noSuchOrder.value };
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
/** No control characters: valid ids have none, and the text type of PostgreSQL cannot store a NUL. */
const identifier = z.string().regex(/^\P{Cc}{1,100}$/u);
const optionalIdentifier = identifier.nullish();
// Built once: building a schema costs more than a hundred parses.
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
  // An invalid customer id does not invalidate the report.
  customer: identifier.nullish().catch(null),
  amount: z.string().max(40).nullish(),
  currency: z.string().max(10).nullish(),
  status: z.string().max(100).nullish(),
  /** The gateway's code for the failure; shown to the merchant. */
  message: z.string().regex(CODE).nullish().catch(null),
});

/** The payment id of an answer; undefined if the answer does not name the transaction. */
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
  switch (PAYS_BY[method]) {
    case 'prompt':
      return none;
    case 'link': {
      const safe = checkoutUrl ? checkoutUrlOf(checkoutUrl, checkoutHosts) : undefined;
      return safe === undefined ? undefined : { ...none, checkoutUrl: safe };
    }
    case 'code': {
      const code = qr ? qrContentOf(qr) : undefined;
      // An unsafe link is dropped: the code alone is enough to pay.
      const link = appUrl ? appUrlOf(appUrl, checkoutHosts, profile.appSchemes) : undefined;
      return code === undefined ? undefined : { ...none, qr: code, appUrl: link ?? null };
    }
    default:
      return PAYS_BY[method] satisfies never;
  }
}

/** An IPN and the answer of a status check have the same fields; only the order id and the type are required. */
export function readReport(fields: Fields, profile: Profile): IpnReading | undefined {
  const { report: names, types } = profile;
  const parsed = reportSchema.safeParse({
    ...Object.fromEntries(Object.entries(names).map(([ours, theirs]) => [ours, fields[theirs]])),
    transactionId: fields[names.orderId],
  });
  if (!parsed.success) return undefined;
  const { transactionId, type, paymentId, customer, amount, currency, status, message } = parsed.data;
  const ownType = GATEWAY_TYPES.find((each) => types[each] === type);
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
