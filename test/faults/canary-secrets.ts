// The secrets of every run, each a canary: recognizable wherever it turns up, and it may turn up nowhere.
// They are no one's real secrets; that is why they can stand here.
import { createSearch } from '../secret-search.ts';

export const SECRETS = {
  gatewayApiKey: 'canary-gateway-api-key-4f1d77c2',
  orderSecret: 'canary-order-secret-9b2e5a10-c3d4e5f6',
  merchantApiKey: 'canary-merchant-api-key-71c0de55-aa01',
  ipnSecret: 'canary_ipn_secret_38ac91ff02',
  webhookSecret: `whsec_${Buffer.from('canary-webhook-secret-5d6e7f8091').toString('base64')}`,
  databasePassword: 'canary-database-password-0c64ba12',
};

/** The names of the secrets that a text shows. */
export const leaksIn = createSearch(SECRETS);

/** A database's address as operators have it: with a password, which is asked for or not. */
export function withPassword(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.password = SECRETS.databasePassword;
  return url.href;
}

/** What the proxy is told of them, by its environment. */
export function secretEnvironment(): Record<string, string> {
  return {
    GATEWAY_API_KEY: SECRETS.gatewayApiKey,
    ORDER_SECRET: SECRETS.orderSecret,
    MERCHANT_API_KEY: SECRETS.merchantApiKey,
    IPN_SECRET: SECRETS.ipnSecret,
    WEBHOOK_SECRET: SECRETS.webhookSecret,
  };
}
