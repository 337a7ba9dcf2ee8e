// The edits for the attacks under "Order tokens" in docs/threats.md.
import type { Edits } from '../apply.ts';

const ORDER_TOKEN = 'backend-proxy/orders/order-token.ts';
const HS256 = 'backend-proxy/orders/hs256.ts';
const CONFIG = 'backend-proxy/config/config.ts';
const EVENTS = 'backend-proxy/routes/events.ts';

export const orderTokens: Edits = {
  'Forge an order token': [
    [HS256, 'timingSafeEqual(expected, given)', 'true'],
    [HS256, "alg === 'HS256' && ", ''],
    [HS256, ' && crit === undefined', ''],
  ],
  'Guess the order secret': [
    [ORDER_TOKEN, ' || keys.some((key) => key.byteLength < MIN_SECRET_BYTES)', ''],
    [ORDER_TOKEN, 'key.byteLength < MIN_SECRET_BYTES', 'key.toString().length < 32'],
  ],
  'Guess a short secret': [
    [CONFIG, 'Buffer.byteLength(secret) >= MIN_SECRET_BYTES', 'secret.length > 0'],
    [CONFIG, '/^[!-~]{32,}$/', '/^[!-~]+$/'],
    [CONFIG, '/^[A-Za-z0-9_-]{22,}$/', '/^[A-Za-z0-9_-]+$/'],
  ],
  'Use a token for years': [[ORDER_TOKEN, 'if (data.exp > now()', 'if (data.exp > Infinity + now()']],
  'Use a token that never expires': [[ORDER_TOKEN, 'exp: z.int(SECONDS) }', 'exp: z.int(SECONDS).optional() }']],
  'Send the shopper to another site after paying': [
    [ORDER_TOKEN, '!options.allowedOrigins.includes(origin) || ', ''],
    [
      ORDER_TOKEN,
      '!options.allowedOrigins.includes(origin) ||',
      '!options.allowedOrigins.some((allowed) => claims.returnUrl.startsWith(allowed)) ||',
    ],
  ],
  'Send the shopper to another site by a URL that two parsers read differently': [
    [ORDER_TOKEN, '/^https?$/, normalize: true', '/^https?$/, normalize: false'],
  ],
  'Watch an order after the token has expired': [[EVENTS, 'now() >= stream.terms.exp * 1000', 'now() < 0']],
  'Show people a text other than the stored one': [
    [ORDER_TOKEN, '[^\\p{Cc}\\u202A-\\u202E\\u2066-\\u2069]*$/u', '[^\\p{Cc}]*$/u'],
    [ORDER_TOKEN, '[^\\p{Cc}\\u202A-\\u202E\\u2066-\\u2069]*$/u', '[^\\u202A-\\u202E\\u2066-\\u2069]*$/u'],
  ],
};
