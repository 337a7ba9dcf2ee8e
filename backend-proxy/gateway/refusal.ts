// Interprets a 4xx to a request that creates something: did the gateway itself refuse, and does it already have the
// order id? A firewall, a proxy or a framework may answer in its place, before or after the gateway took the request,
// so only an answer with a gateway code is a refusal.
import { CODE, type Profile } from './profile.ts';

const CONFLICT = 409;
/** A rate limit: the request was not examined, even if its text has a word like "already". */
const TOO_MANY = 429;

export type RefusalKind = 'refused' | 'duplicate' | 'foreign' | 'lost';

export function refusalOf(
  status: number,
  fields: Record<string, unknown> | undefined,
  { refusal, duplicate, httpStatuses }: Profile,
): { kind: RefusalKind; detail: string } {
  const code = fields?.[refusal.code];
  const isCode = typeof code === 'string' && CODE.test(code);
  const detail = `HTTP ${status}${isCode ? ` ${code}` : ''}`;
  const is4xx = status >= 400 && status < 500 && status !== TOO_MANY;
  const isDuplicate = [code, fields?.[refusal.message]].some((text) => mentions(text, duplicate));
  if (status === CONFLICT || (is4xx && isDuplicate)) return { kind: 'duplicate', detail };
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
