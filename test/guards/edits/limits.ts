// The edits for the attacks under "Limits by wallet and address" in docs/threats.md.
import type { Edits } from '../apply.ts';

const PAYMENTS = 'backend-proxy/ledger/rules/payments.ts';
const CALLER_ADDRESS = 'backend-proxy/http/caller-address.ts';
const PUBLIC_ADDRESS = 'backend-proxy/config/public-address.ts';

export const limits: Edits = {
  "Send prompts to another person's phone": [
    [PAYMENTS, 'if (recent.length < inAll && own.length < perCustomer) return;', 'return;'],
  ],
  "Send prompts to another person's phone by two proxies": [
    [
      'backend-proxy/ledger/postgres/in-transaction.ts',
      'wallet === undefined ? BEGIN : `${BEGIN}; select pg_advisory_xact_lock(${lockOf(wallet)})`',
      'BEGIN',
    ],
  ],
  "Use up a wallet's limit": [
    [PAYMENTS, ' && own.length < perCustomer', ''],
    [PAYMENTS, 'recent.length < inAll && ', ''],
    [PAYMENTS, 'customer_ref === customerReference', 'true'],
  ],
  'Fill the database from one address': [['backend-proxy/http/rate-limit.ts', 'if (count > most)', 'if (count < 0)']],
  'Fill the database with one order': [
    [PAYMENTS, 'counted.length >= limits.perOrder', 'counted.length < 0'],
    [PAYMENTS, '.length >= directPerOrder', '.length < 0'],
  ],
  "Forge the caller's address": [
    [CALLER_ADDRESS, 'hops.at(-trustedProxies)', 'hops[0]'],
    [CALLER_ADDRESS, 'hops.at(-1)', 'hops[0]'],
  ],
  'Change the address for each request': [
    [CALLER_ADDRESS, 'withoutPort(hop.trim())', 'hop.trim()'],
    [PUBLIC_ADDRESS, "return `${all.slice(0, 4).join(':')}::/64`;", 'return address;'],
  ],
  'Send a text instead of an address': [
    [PUBLIC_ADDRESS, 'if (isIP(address) !== 6) return undefined;', 'if (isIP(address) !== 6) return address;'],
  ],
};
