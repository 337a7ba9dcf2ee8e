// The products and their prices. A browser sends product ids and quantities, never an amount: the server computes the
// amount that it signs into the order token. Money is integer cents of one currency, and a decimal string outside.

export const CURRENCY = 'EUR';
export const MAX_OF_ONE = 9;
/** The smallest and largest top-up of the coffee card, as decimal strings for the order token. */
export const TOP_UP = { least: '5.00', most: '200.00' };

export type Artwork = 'dawn' | 'ridge' | 'harbor' | 'dripper';

export interface Product {
  id: string;
  name: string;
  note: string;
  size: string;
  cents: number;
  artwork: Artwork;
}

export interface Line {
  product: Product;
  quantity: number;
}

export const PRODUCTS: readonly Product[] = [
  {
    id: 'dawn-chorus',
    name: 'Dawn Chorus',
    note: 'Ethiopia, washed. Apricot, jasmine, lime.',
    size: '250 g',
    cents: 1500,
    artwork: 'dawn',
  },
  {
    id: 'high-ridge',
    name: 'High Ridge',
    note: 'Colombia, washed. Cherry, panela, cocoa.',
    size: '250 g',
    cents: 1300,
    artwork: 'ridge',
  },
  {
    id: 'night-harbor',
    name: 'Night Harbor',
    note: 'Decaf, sugar cane process. Plum, malt, molasses.',
    size: '250 g',
    cents: 1375,
    artwork: 'harbor',
  },
  {
    id: 'stone-dripper',
    name: 'Stone Dripper',
    note: 'Stoneware, glazed\u00A0by\u00A0hand. For one or two cups.',
    size: 'set with 40 filters',
    cents: 3800,
    artwork: 'dripper',
  },
];

/** The order lines of a form. Unknown products, and quantities that are not 1 to 9, are ignored. */
export function linesOf(quantities: Record<string, unknown>): Line[] {
  return PRODUCTS.flatMap((product) => {
    const asked = quantities[product.id];
    const quantity = typeof asked === 'string' && /^\d$/.test(asked) ? Number(asked) : 0;
    return quantity > 0 ? [{ product, quantity }] : [];
  });
}

export function totalCents(lines: readonly Line[]): number {
  return lines.reduce((sum, { product, quantity }) => sum + product.cents * quantity, 0);
}

/** 1375 → "13.75". */
export function decimal(cents: number): string {
  return `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}

/** "13.75" → 1375. The proxy always writes two decimals for this currency. */
export function centsOf(amount: string): number {
  return Number(amount.replace('.', ''));
}

const euros = new Intl.NumberFormat('en-IE', { style: 'currency', currency: CURRENCY });

export const money = (cents: number, currency?: string) => formatMoney(decimal(cents), currency);

export function formatMoney(amount: string, currency: string = CURRENCY): string {
  return currency === CURRENCY ? euros.format(Number(amount)) : `${amount} ${currency}`;
}
