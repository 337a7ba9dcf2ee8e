// Order tokens of `doctor`. They have no `iat`, so the proxy stores nothing about an order that is only viewed.
import { createSecretKey } from 'node:crypto';
import { signHs256 } from '../../orders/hs256.ts';
import type { Deployed } from './deployed.ts';

const LIFETIME_S = 3_600;

export function createOrderToken(
  { ORDER_SECRET: secrets = [], ALLOWED_ORIGINS: origins = [] }: Deployed['settings'],
  now: () => number = Date.now,
): Deployed['token'] {
  const [secret] = secrets;
  const [origin] = origins;
  if (secret === undefined || origin === undefined) return undefined;
  const key = createSecretKey(Buffer.from(secret));
  return (orderId = 'payment-proxy-doctor') => {
    const exp = Math.floor(now() / 1000) + LIFETIME_S;
    const token = signHs256({ orderId, amount: '1', currency: 'EUR', returnUrl: `${origin}/`, exp }, key);
    return { Authorization: `Bearer ${token}` };
  };
}
