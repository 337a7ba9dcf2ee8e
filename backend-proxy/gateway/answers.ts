// Interprets the gateway's answers: their kind, what a 4xx means, and which codes and links a shopper may get.
// Pure: from a status, its Retry-After and the fields of a body to the kinds of the port. The profile names the fields.
// An answer that is not exactly as documented is "lost" or "unavailable", never "failed".
import { z } from 'zod';
import { isSafeWebUrl } from '../protocol/links.ts';
import { PAYS_BY, METHODS } from '../protocol/wire.ts';
import { GATEWAY_TYPES, TYPES } from '../protocol/transaction.ts';
import type { IpnReading, Report } from '../protocol/verify.ts';
import type { Accepted, Checked, Sent } from './gateway.ts';
import { CODE, type Profile } from './profile.ts';

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
  // a JSON 404, so `isNoSuchOrder` tells the documented answer apart, and status-checks.ts decides what an "unknown"
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

const someText = z.string().min(1).max(100_000);
/** No control characters: valid ids have none, and the text type of PostgreSQL cannot store a NUL. */
const identifier = z.string().regex(/^\P{Cc}{1,100}$/u);
const optionalIdentifier = identifier.nullish();
// Built once: building a schema costs more than a hundred parses.
const acceptedSchema = z.object({
  method: z.enum(METHODS),
  checkoutUrl: someText.nullish(),
  qr: someText.nullish(),
  appUrl: someText.nullish(),
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

// Interprets a 4xx to a request that creates something: did the gateway itself refuse, and does it already have the
// order id? A firewall, a proxy or a framework may answer in its place, before or after the gateway took the request,
// so only an answer with a gateway code is a refusal.

const CONFLICT = 409;
/** A wrong key, a blocked wallet, a rate limit: not about the order id, even if the text has a word like "already". */
const NOT_ABOUT_THE_ID = [401, 403, 429];

type RefusalKind = 'refused' | 'duplicate' | 'foreign' | 'lost';

function refusalOf(
  status: number,
  fields: Record<string, unknown> | undefined,
  { refusal, request, duplicate, duplicateCodes, httpStatuses }: Profile,
): { kind: RefusalKind; detail: string } {
  const code = fields?.[refusal.code];
  const isCode = typeof code === 'string' && CODE.test(code);
  const detail = `HTTP ${status}${isCode ? ` ${code}` : ''}`;
  const mayBeDuplicate = status >= 400 && status < 500 && !NOT_ABOUT_THE_ID.includes(status);
  const names = ['order', request.orderId.toLowerCase()];
  const isDuplicate = (text: unknown): boolean =>
    typeof text === 'string' && names.some((name) => text.toLowerCase().includes(name)) && mentions(text, duplicate);
  const texts = [code, fields?.[refusal.message]];
  const saysDuplicate = (isCode && duplicateCodes.includes(code)) || texts.some(isDuplicate);
  if (status === CONFLICT || (mayBeDuplicate && saysDuplicate)) return { kind: 'duplicate', detail };
  if (!httpStatuses.rejected.includes(status)) return { kind: 'lost', detail: `HTTP ${status}` };
  return { kind: isCode ? 'refused' : 'foreign', detail };
}

const NEGATION = /^(no|not|non|never|cannot|without|(do|does|did|is|are|was|were|has|have|had|can|could|would)nt)$/;

/**
 * Whether a word of the text begins with a listed prefix: "exists", "ORDER_ALREADY_EXISTS", "orderIdAlreadyUsed".
 * Words are split at non-letters and in camelCase. A negation right before the word cancels it: "does_not_exist",
 * "doesn't exist".
 */
export function mentions(text: unknown, listed: readonly string[]): boolean {
  if (typeof text !== 'string') return false;
  const apart = text.replace(/['’]/g, '').replace(/(\p{Ll}(?=\p{Lu})|\p{Lu}(?=\p{Lu}\p{Ll}))/gu, '$1 ');
  let isNegated = false;
  for (const word of apart.toLowerCase().split(/\P{L}+/u)) {
    if (!listed.some((beginning) => word.startsWith(beginning))) isNegated = NEGATION.test(word);
    // "Not unique" means the same as "must be unique". A negation also spans words: "not already used".
    else if (!isNegated || word.startsWith('unique')) return true;
  }
  return false;
}

// Decodes the QR code of an answer into an image or text that is safe to show. Pure; undefined if it is not as
// documented, and then the whole answer counts as undocumented.

/** The most text in a code that phones can still scan. */
const MAX_QR_TEXT_BYTES = 1024;
const MAX_IMAGE_BYTES = 64 * 1024;
/** The first bytes of each format, as Latin-1. */
const IMAGES = {
  'image/png': /^\x89PNG\r\n.\n/s,
  'image/jpeg': /^\xFF\xD8\xFF/,
  'image/gif': /^GIF8[79]a/,
  'image/webp': /^RIFF....WEBP/s,
};

/** Decodes base64 to an image as a `data:` URL, to be shown only by an <img>, or to the text of a code. */
export function qrContentOf(base64: string): string | undefined {
  // Whitespace is removed first: a pattern that allows it around the padding takes quadratic time.
  const text = base64.replace(/\s/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.length > MAX_IMAGE_BYTES) return undefined;
  const start = bytes.toString('latin1', 0, 16);
  const image = Object.entries(IMAGES).find(([, pattern]) => pattern.test(start));
  if (image !== undefined) return dataUrl(image[0], bytes);
  const content = decodeText(bytes);
  if (content === undefined) return undefined;
  // An <img> runs no script of it and loads nothing.
  if (isSvg(content)) return dataUrl('image/svg+xml', bytes);
  return drawableText(content);
}

function dataUrl(type: string, bytes: Buffer): string {
  return `data:${type};base64,${bytes.toString('base64')}`;
}

/** Undefined if the bytes are not UTF-8. Keeps a byte order mark. */
function decodeText(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether a browser would treat the content as an SVG; such content is never shown as text. */
function isSvg(content: string): boolean {
  const start = content
    .slice(0, 512)
    .replace(/^\uFEFF/, '')
    .trimStart();
  return /^(<\?xml[^>]*>\s*)?(<!--[^]*?-->\s*)?<svg[\s>]/i.test(start);
}

function drawableText(content: string): string | undefined {
  const text = content.trim();
  // Unassigned, private and control characters do not occur in links: it is another kind of file.
  const isText = text !== '' && !/[\p{Cc}\p{Cn}\p{Co}]/u.test(text);
  return isText && Buffer.byteLength(content) <= MAX_QR_TEXT_BYTES ? text : undefined;
}

// Which links of a gateway's answer may reach a shopper's browser: the checkout page and the wallet application.
// Pure. Each function returns the checked URL, or undefined for a link that may not be followed.

const MAX_URL_LENGTH = 2048;

/** A web URL on one of `hosts` (host with its port, if any); an empty list allows any host. */
export function checkoutUrlOf(text: string, hosts: readonly string[]): string | undefined {
  const url = parse(text);
  if (url === undefined || !isSafeWebUrl(url)) return undefined;
  return hosts.length === 0 || hosts.includes(url.host) ? url.href : undefined;
}

/**
 * A link that opens the wallet app: a listed scheme, because unlisted ones can start anything on the device, or a web
 * URL on one of `hosts`.
 */
export function appUrlOf(text: string, hosts: readonly string[], schemes: readonly string[]): string | undefined {
  const url = parse(text);
  return url && schemes.includes(url.protocol.slice(0, -1)) ? url.href : checkoutUrlOf(text, hosts);
}

function parse(text: string): URL | undefined {
  return text.length <= MAX_URL_LENGTH && URL.canParse(text) ? new URL(text) : undefined;
}
