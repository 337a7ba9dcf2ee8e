// What a 4xx to a request that creates something says. Owns the one question that money hangs on: who wrote it, and whether it
// says that the order id was there before. A box on the way (a firewall, a proxy, a framework with another path) answers in the
// gateway's place, before or after the gateway took the request; so only the gateway's own words are a refusal.
import { CODE, type Profile } from './profile.ts';

const CONFLICT = 409;
/** Says that nobody looked at the request, whatever its text says of limits that are "already" reached. */
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
  const saysDuplicate = [code, fields?.[refusal.message]].some((text) => says(text, duplicate));
  if (status === CONFLICT || (is4xx && saysDuplicate)) return { kind: 'duplicate', detail };
  if (!httpStatuses.rejected.includes(status)) return { kind: 'lost', detail: `HTTP ${status}` };
  return { kind: isCode ? 'refused' : 'foreign', detail };
}

const NEGATION = /^(no|not|non|never|cannot|without|(do|does|did|is|are|was|were|has|have|had|can|could|would)nt)$/;

/**
 * Whether one of the words of a text (split at all that is no letter, and in camelCase) begins with a listed one: "exists",
 * "ORDER_ALREADY_EXISTS", "orderIdAlreadyUsed". Not by a negation right before it: "does_not_exist", "doesn't exist".
 */
export function says(text: unknown, listed: readonly string[]): boolean {
  if (typeof text !== 'string') return false;
  const apart = text.replace(/['’]/g, '').replace(/(\p{Ll}(?=\p{Lu})|\p{Lu}(?=\p{Lu}\p{Ll}))/gu, '$1 ');
  let isNegated = false;
  for (const word of apart.toLowerCase().split(/\P{L}+/u)) {
    if (!listed.some((beginning) => word.startsWith(beginning))) isNegated = NEGATION.test(word);
    // "Not unique" says the same as "must be unique". A negation goes on over "not already used".
    else if (!isNegated || word.startsWith('unique')) return true;
  }
  return false;
}
