// The edits for the attacks under "The demo shop" in docs/threats.md.
import type { Edits } from '../apply.ts';

export const demoShop: Edits = {
  'Send money from a public desk': [
    ['demo/shop/desk-auth.ts', 'return isLoopback(new URL(publicUrl).hostname) ?', 'return publicUrl ?'],
  ],
  'Push paid orders out of the shop': [['demo/shop/order-store.ts', '(other) => other.paidAt === null', '() => true']],
};
