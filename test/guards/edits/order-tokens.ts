// The edits for the attacks under "Order tokens" in docs/threats.md.
import type { Edits } from '../apply.ts';

const ORDER_TOKEN = 'backend-proxy/orders/order-token.ts';
const HS256 = 'backend-proxy/orders/hs256.ts';
const CONFIG = 'backend-proxy/config/config.ts';
const EVENTS = 'backend-proxy/routes/events.ts';

export const orderTokens: Edits = {
  'Forge an order token': [
    { file: HS256, find: 'timingSafeEqual(expected, given)', put: 'true' },
    { file: HS256, find: "alg === 'HS256' && ", put: '' },
    { file: HS256, find: ' && crit === undefined', put: '' },
  ],
  'Guess the order secret': [
    { file: ORDER_TOKEN, find: ' || keys.some((key) => key.byteLength < MIN_SECRET_BYTES)', put: '' },
    { file: ORDER_TOKEN, find: 'key.byteLength < MIN_SECRET_BYTES', put: 'key.toString().length < 32' },
  ],
  'Guess a short secret': [
    { file: CONFIG, find: 'Buffer.byteLength(secret) >= MIN_SECRET_BYTES', put: 'secret.length > 0' },
    { file: CONFIG, find: '/^[!-~]{32,}$/', put: '/^[!-~]+$/' },
    { file: CONFIG, find: '/^[A-Za-z0-9_-]{22,}$/', put: '/^[A-Za-z0-9_-]+$/' },
  ],
  'Use a token for years': [
    { file: ORDER_TOKEN, find: 'if (data.exp > now()', put: 'if (data.exp > Infinity + now()' },
  ],
  'Use a token that never expires': [
    { file: ORDER_TOKEN, find: 'exp: z.int(SECONDS) }', put: 'exp: z.int(SECONDS).optional() }' },
  ],
  'Send the shopper to another site after paying': [
    { file: ORDER_TOKEN, find: '!options.allowedOrigins.includes(origin) || ', put: '' },
    {
      file: ORDER_TOKEN,
      find: '!options.allowedOrigins.includes(origin) ||',
      put: '!options.allowedOrigins.some((allowed) => claims.returnUrl.startsWith(allowed)) ||',
    },
  ],
  'Send the shopper to another site by a URL that two parsers read differently': [
    { file: ORDER_TOKEN, find: '/^https?$/, normalize: true', put: '/^https?$/, normalize: false' },
  ],
  'Watch an order after the token has expired': [
    { file: EVENTS, find: 'now() >= stream.terms.exp * 1000', put: 'now() < 0' },
  ],
  'Show people a text other than the stored one': [
    { file: ORDER_TOKEN, find: '[^\\p{Cc}\\u202A-\\u202E\\u2066-\\u2069]*$/u', put: '[^\\p{Cc}]*$/u' },
    {
      file: ORDER_TOKEN,
      find: '[^\\p{Cc}\\u202A-\\u202E\\u2066-\\u2069]*$/u',
      put: '[^\\u202A-\\u202E\\u2066-\\u2069]*$/u',
    },
  ],
};
