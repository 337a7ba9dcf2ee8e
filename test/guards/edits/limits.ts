// The edits for the attacks under "Limits by wallet and address" in SECURITY.md.
import type { Edits } from '../apply.ts';

const CREATE = 'backend-proxy/ledger/create.ts';
const GUARDS = 'backend-proxy/routes/guards.ts';
const PUBLIC_ADDRESS = 'backend-proxy/public-address.ts';

export const limits: Edits = {
  "Send prompts to another person's phone": [
    { file: CREATE, find: 'if (prompts.length < inAll && own.length < perCustomer) return;', put: 'return;' },
  ],
  "Use up a wallet's limit": [
    { file: CREATE, find: ' && own.length < perCustomer', put: '' },
    { file: CREATE, find: 'prompts.length < inAll && ', put: '' },
    { file: CREATE, find: 'customer_ref === customerReference', put: 'true' },
  ],
  'Fill the database from one address': [
    { file: 'backend-proxy/routes/rate-limit.ts', find: 'if (count > most)', put: 'if (count < 0)' },
  ],
  'Fill the database with one order': [
    { file: CREATE, find: 'counted.length >= limits.perOrder', put: 'counted.length < 0' },
    { file: CREATE, find: '.length >= directPerOrder', put: '.length < 0' },
  ],
  "Forge the caller's address": [{ file: GUARDS, find: 'hops.at(-trustedProxies)', put: 'hops[0]' }],
  'Change the address for each request': [
    { file: GUARDS, find: "withoutPort(hops.at(-trustedProxies) ?? '')", put: "hops.at(-trustedProxies) ?? ''" },
    { file: PUBLIC_ADDRESS, find: "return `${all.slice(0, 4).join(':')}::/64`;", put: 'return address;' },
  ],
  'Send a text instead of an address': [
    {
      file: PUBLIC_ADDRESS,
      find: 'if (isIP(address) !== 6) return undefined;',
      put: 'if (isIP(address) !== 6) return address;',
    },
  ],
};
