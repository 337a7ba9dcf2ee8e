// The edits for the attacks under "The demo shop" in docs/threats.md.
import type { Edits } from '../apply.ts';

export const demoShop: Edits = {
  'Send money from a public desk': [
    {
      file: 'demo/shop/desk-auth.ts',
      find: 'return isLoopback(new URL(publicUrl).hostname) ?',
      put: 'return publicUrl ?',
    },
  ],
  'Push paid orders out of the shop': [
    { file: 'demo/shop/order-store.ts', find: '(other) => other.paidAt === null', put: '() => true' },
  ],
};
