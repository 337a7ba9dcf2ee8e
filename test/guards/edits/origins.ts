// The edits for the attacks under "Origins and keys" in docs/threats.md.
import type { Edits } from '../apply.ts';

const GUARDS = 'backend-proxy/http/guards.ts';
const APP = 'backend-proxy/app.ts';
const ROUTE = 'backend-proxy/http/route.ts';
const ACCESS = 'backend-proxy/http/access.ts';

export const origins: Edits = {
  'Use the widget on a foreign page': [
    [GUARDS, 'origin !== undefined && !allowed.includes(origin)', 'false'],
    [APP, "app.use('/order/*', crossOrigin(config.allowedOrigins));", ''],
  ],
  "Reuse one party's secret to send payouts": [
    ['backend-proxy/config/shared-secrets.ts', 'if (HOLDERS[name] === HOLDERS[other]) {', 'if (true) {'],
  ],
  'Pay out from a browser': [[GUARDS, "c.req.header('Origin') !== undefined", 'false']],
  'Pay out with the key of a shop': [
    [ROUTE, 'checkAccess(c, scopes)', 'checkAccess(c, [])'],
    [ACCESS, '!scopes.some((scope) => merchant.scopes.includes(scope))', 'false'],
  ],
  'Open a new route with any key': [
    [
      ACCESS,
      "if (merchant === undefined) throw new Refusal('unauthorized', 'No key opens this route.');",
      'if (!merchant) return;',
    ],
  ],
  'Use a key with the scopes of another entry': [
    ['backend-proxy/config/merchant-keys.ts', 'first < at', 'false'],
    ['backend-proxy/config/shared-secrets.ts', "MERCHANT_KEYS: 'the holder of a key with a scope',", ''],
  ],
  'Read orders with an order token': [
    [GUARDS, 'const merchant = keys[find(bearerOf(c))];', "const merchant = bearerOf(c) === '' ? undefined : keys[0];"],
  ],
  'Find a secret by the time or the text of the answer': [
    [GUARDS, 'timingSafeEqual(known, given)', 'known.equals(given)'],
  ],
};
