// The edits for the attacks under "Origins and keys" in docs/threats.md.
import type { Edits } from '../apply.ts';

const GUARDS = 'backend-proxy/http/guards.ts';
const APP = 'backend-proxy/app.ts';
const HEALTH = 'backend-proxy/routes/health.ts';

export const origins: Edits = {
  'Use the widget on a foreign page': [
    { file: GUARDS, find: 'origin !== undefined && !allowed.includes(origin)', put: 'false' },
    { file: APP, find: "app.use('/order/*', crossOrigin(config.allowedOrigins));", put: '' },
  ],
  "Reuse one party's secret to send payouts": [
    {
      file: 'backend-proxy/config/shared-secrets.ts',
      find: 'if (HOLDERS[name] === HOLDERS[other]) {',
      put: 'if (true) {',
    },
  ],
  'Pay out from a browser': [{ file: GUARDS, find: "c.req.header('Origin') !== undefined", put: 'false' }],
  'Read orders with an order token': [
    { file: GUARDS, find: 'if (!isKey(bearerOf(c))) throw', put: "if (bearerOf(c) === '') throw" },
    {
      file: HEALTH,
      find: "app.use('/metrics', merchantOnly(keys, 'METRICS_TOKEN; without one, the merchant API key'));",
      put: '',
    },
  ],
  'Find a secret by the time or the text of the answer': [
    { file: GUARDS, find: 'timingSafeEqual(known, given)', put: 'known.equals(given)' },
  ],
};
