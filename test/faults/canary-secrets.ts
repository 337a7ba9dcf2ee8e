// The secrets of every test run. Each is a canary: easy to recognize in any output, and it must appear in none. They
// are used nowhere else, so they may be in the source.
import { createSearch } from '../secret-search.ts';

export const SECRETS = {
  gatewayApiKey: 'canary-gateway-api-key-4f1d77c2',
  orderSecret: 'canary-order-secret-9b2e5a10-c3d4e5f6',
  merchantApiKey: 'canary-merchant-api-key-71c0de55-aa01',
  shopKey: 'canary-key-of-the-shop-c2b0e6d4f8',
  ipnSecret: 'canary_ipn_secret_38ac91ff02',
  webhookSecret: `whsec_${Buffer.from('canary-webhook-secret-5d6e7f8091').toString('base64')}`,
  databasePassword: 'canary-database-password-0c64ba12',
};

/** The names of the secrets that a text contains. */
export const leaksIn = createSearch(SECRETS);

/** A database URL with a password, as operators have it, even if the server does not ask for one. */
export function withPassword(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.password = SECRETS.databasePassword;
  return url.href;
}

/** The secrets as the proxy's environment variables. */
export function secretEnvironment(): Record<string, string> {
  return {
    GATEWAY_API_KEY: SECRETS.gatewayApiKey,
    ORDER_SECRET: SECRETS.orderSecret,
    MERCHANT_API_KEY: SECRETS.merchantApiKey,
    MERCHANT_KEYS: `shop:orders+read:${SECRETS.shopKey}`,
    IPN_SECRET: SECRETS.ipnSecret,
    WEBHOOK_SECRET: SECRETS.webhookSecret,
  };
}
