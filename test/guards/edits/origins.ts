// The edits for the attacks under "Origins and keys" in docs/threats.md.
import type { Edits } from '../apply.ts';

const GUARDS = 'backend-proxy/http/guards.ts';
const APP = 'backend-proxy/app.ts';
const HEALTH = 'backend-proxy/routes/health.ts';

export const origins: Edits = {
  'Use the widget on a foreign page': [
    [GUARDS, 'origin !== undefined && !allowed.includes(origin)', 'false'],
    [APP, "app.use('/order/*', crossOrigin(config.allowedOrigins));", ''],
  ],
  "Reuse one party's secret to send payouts": [
    ['backend-proxy/config/shared-secrets.ts', 'if (HOLDERS[name] === HOLDERS[other]) {', 'if (true) {'],
  ],
  'Pay out from a browser': [[GUARDS, "c.req.header('Origin') !== undefined", 'false']],
  'Read orders with an order token': [
    [GUARDS, 'if (!isKey(bearerOf(c))) throw', "if (bearerOf(c) === '') throw"],
    [HEALTH, "app.use('/metrics', merchantOnly(keys, 'METRICS_TOKEN; without one, the merchant API key'));", ''],
  ],
  'Find a secret by the time or the text of the answer': [
    [GUARDS, 'timingSafeEqual(known, given)', 'known.equals(given)'],
  ],
};
