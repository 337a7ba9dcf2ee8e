// Finds secrets that are used for two things. Each secret has a holder, who must not be able to do what another secret
// allows.

/** Who holds it besides the proxy. */
const HOLDERS = {
  MERCHANT_API_KEY: "the merchant's server",
  MERCHANT_KEYS: 'the holder of a key with a scope',
  ORDER_SECRET: "the merchant's server",
  WEBHOOK_SECRET: "the merchant's server",
  GATEWAY_API_KEY: 'the gateway',
  IPN_SECRET: 'the gateway',
  METRICS_TOKEN: 'monitoring',
  ADMIN_TOKEN: 'the operator',
} as const;

export type HeldSecret = keyof typeof HOLDERS;

const SECRETS = Object.keys(HOLDERS) as HeldSecret[];

export interface SharedSecrets {
  /** Two holders have the same secret: one of them can act as the other. */
  refused: { name: string; problem: string }[];
  /** One holder uses it for two things: replacing it for one replaces it for both. */
  warned: string[];
}

/** `secretsIn` splits the value of a variable into its secrets. */
export function sharedSecrets(
  given: Readonly<Record<string, string | undefined>>,
  secretsIn: (name: string, value: string) => string[],
): SharedSecrets {
  const shared: SharedSecrets = { refused: [], warned: [] };
  for (const [at, name] of SECRETS.entries()) {
    const mine = new Set(secretsIn(name, given[name] ?? ''));
    for (const other of SECRETS.slice(at + 1)) {
      if (!secretsIn(other, given[other] ?? '').some((secret) => mine.has(secret))) continue;
      if (HOLDERS[name] === HOLDERS[other]) {
        shared.warned.push(`${name} and ${other} are the same secret; make one for each`);
      } else {
        const problem = `the same secret as ${name}, which ${HOLDERS[name]} has and ${HOLDERS[other]} must not have`;
        shared.refused.push({ name: other, problem });
      }
    }
  }
  return shared;
}
