// Interprets a 4xx to a request that creates something: did the gateway itself refuse, and does it already have the
// order id? A firewall, a proxy or a framework may answer in its place, before or after the gateway took the request,
// so only an answer with a gateway code is a refusal.
import { CODE, type Profile } from './profile.ts';

const CONFLICT = 409;
/** A wrong key, a blocked wallet, a rate limit: not about the order id, even if the text has a word like "already". */
const NOT_ABOUT_THE_ID = [401, 403, 429];

export type RefusalKind = 'refused' | 'duplicate' | 'foreign' | 'lost';

export function refusalOf(
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
