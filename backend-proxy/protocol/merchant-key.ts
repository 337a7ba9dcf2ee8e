// The keys of the merchant API: what each may do, and the name that the history and the log have of it.

/** What a key may be allowed, in the order and words of the documentation. Each merchant route names one or more. */
export const SCOPES = {
  orders: 'sign and close orders, and read one by its id',
  read: 'read everything',
  refunds: 'send money back to the wallet that paid',
  payouts: 'send money to any wallet, and read a payout by its id',
  operate: 'resolve reviews, send webhooks again, erase personal data',
} as const;

export type Scope = keyof typeof SCOPES;
export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[];

export interface MerchantKey {
  /** Of `a-z 0-9 -`; several keys may have the same one, to rotate. */
  name: string;
  scopes: readonly Scope[];
  key: string;
}

/** In the history of a transaction. */
export type MerchantSource = 'merchant' | `merchant:${string}`;

/** The name of the keys that may do everything. */
const MERCHANT = 'merchant';

/** A key without scopes of its own, as MERCHANT_API_KEY has, may do everything. */
export function merchantKey(key: string | MerchantKey): MerchantKey {
  return typeof key === 'string' ? { name: MERCHANT, scopes: SCOPE_NAMES, key } : key;
}

export function sourceOf({ name }: Pick<MerchantKey, 'name'>): MerchantSource {
  return name === MERCHANT ? MERCHANT : `${MERCHANT}:${name}`;
}
