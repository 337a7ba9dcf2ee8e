// The edits for the attacks under "Limits by wallet and address" in docs/threats.md.
import type { Edits } from '../apply.ts';

const PAYMENTS = 'backend-proxy/ledger/rules/payments.ts';
const CALLER_ADDRESS = 'backend-proxy/http/caller-address.ts';
const PUBLIC_ADDRESS = 'backend-proxy/config/public-address.ts';

export const limits: Edits = {
  "Send prompts to another person's phone": [
    { file: PAYMENTS, find: 'if (recent.length < inAll && own.length < perCustomer) return;', put: 'return;' },
  ],
  "Send prompts to another person's phone by two proxies": [
    {
      file: 'backend-proxy/ledger/postgres/in-transaction.ts',
      find: 'wallet === undefined ? BEGIN : `${BEGIN}; select pg_advisory_xact_lock(${lockOf(wallet)})`',
      put: 'BEGIN',
    },
  ],
  "Use up a wallet's limit": [
    { file: PAYMENTS, find: ' && own.length < perCustomer', put: '' },
    { file: PAYMENTS, find: 'recent.length < inAll && ', put: '' },
    { file: PAYMENTS, find: 'customer_ref === customerReference', put: 'true' },
  ],
  'Fill the database from one address': [
    { file: 'backend-proxy/http/rate-limit.ts', find: 'if (count > most)', put: 'if (count < 0)' },
  ],
  'Fill the database with one order': [
    { file: PAYMENTS, find: 'counted.length >= limits.perOrder', put: 'counted.length < 0' },
    { file: PAYMENTS, find: '.length >= directPerOrder', put: '.length < 0' },
  ],
  "Forge the caller's address": [
    { file: CALLER_ADDRESS, find: 'hops.at(-trustedProxies)', put: 'hops[0]' },
    { file: CALLER_ADDRESS, find: 'hops.at(-1)', put: 'hops[0]' },
  ],
  'Change the address for each request': [
    { file: CALLER_ADDRESS, find: 'withoutPort(hop.trim())', put: 'hop.trim()' },
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
