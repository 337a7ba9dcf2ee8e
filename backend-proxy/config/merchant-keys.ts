// Reads MERCHANT_KEYS: entries `name:scope+scope:key`. A problem names an entry by its number and never quotes it,
// because each part of it may be the key.
import { SOURCES } from '../protocol/transaction.ts';
import { SCOPE_NAMES, merchantKey, type MerchantKey, type Scope } from '../protocol/merchant-key.ts';

const NAME = /^[a-z0-9-]{1,32}$/;
const KEY = /^[A-Za-z0-9_-]{32,}$/;

/** All keys of a configuration. */
export function merchantKeysOf(config: {
  MERCHANT_API_KEY?: readonly string[] | undefined;
  MERCHANT_KEYS?: readonly MerchantKey[] | undefined;
}): MerchantKey[] {
  return [...(config.MERCHANT_API_KEY ?? []).map(merchantKey), ...(config.MERCHANT_KEYS ?? [])];
}

/** The key of an entry; the entry itself if it has no parts. */
export function keyIn(entry: string): string {
  return entry.slice(entry.lastIndexOf(':') + 1);
}

/** Every wrong entry is a problem of its own. */
export function readMerchantKeys(entries: readonly string[]): { keys: MerchantKey[]; problems: string[] } {
  const keys = entries.map((entry) => {
    const [name = '', scopes = '', key = ''] = entry.split(':');
    return { name, scopes: [...new Set(scopes.split('+'))] as Scope[], key };
  });
  const problems = keys.flatMap((entry, at) => {
    const first = keys.findIndex(({ key }) => key === entry.key);
    const problem = first < at ? `the same key as entry ${first + 1}` : problemOf(entry, entries[at] ?? '');
    return problem === undefined ? [] : [`entry ${at + 1}: ${problem}`];
  });
  return { keys, problems: entries.length === 0 ? ['at least one entry name:scope+scope:key'] : problems };
}

function problemOf({ name, scopes, key }: MerchantKey, entry: string): string | undefined {
  if (entry.split(':').length !== 3) return 'name:scope+scope:key, separated by commas';
  if (!NAME.test(name)) return 'its name has 1 to 32 of a-z 0-9 -';
  // In the history it could not be told from what is not this key's.
  if ((SOURCES as readonly string[]).includes(name)) return `its name is not ${name}, which the history has for others`;
  if (!scopes.every((scope) => SCOPE_NAMES.includes(scope))) return `its scopes are of ${SCOPE_NAMES.join('+')}`;
  return KEY.test(key) ? undefined : 'its key has at least 32 of A-Z a-z 0-9 _ -';
}
