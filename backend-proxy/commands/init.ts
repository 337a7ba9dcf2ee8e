// `payment-proxy init [FILE]`: writes an environment file with fresh secrets, and says what is left to fill in. It never
// replaces a file, because that may hold the only copy of the secrets of a running proxy.
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { EXAMPLE_ENVIRONMENT } from '../installation.ts';
import { UsageError, type Call } from './report.ts';

const base64url = (bytes: number) => randomBytes(bytes).toString('base64url');

const SECRETS: Record<string, () => string> = {
  ORDER_SECRET: () => base64url(48),
  MERCHANT_API_KEY: () => base64url(32),
  IPN_SECRET: () => base64url(24),
  WEBHOOK_SECRET: () => `whsec_${randomBytes(32).toString('base64')}`,
  METRICS_TOKEN: () => base64url(24),
  ADMIN_TOKEN: () => base64url(32),
};
const LEFT =
  'GATEWAY_API_KEY, ALLOWED_ORIGINS, PUBLIC_URL; for webhooks WEBHOOK_URL, and the # before WEBHOOK_SECRET goes';

export async function init({ args, print }: Call): Promise<number> {
  const { positionals } = parseArgs({ args, allowPositionals: true, options: {} });
  const [file = '.env', ...more] = positionals;
  if (more.length > 0) throw new UsageError('One FILE.');
  const text = readFileSync(EXAMPLE_ENVIRONMENT, 'utf8').replaceAll(
    /^([A-Z_]+)=$/gm,
    // The proxy refuses a WEBHOOK_SECRET without a WEBHOOK_URL.
    (line, name: string) => (name === 'WEBHOOK_SECRET' ? '# ' : '') + line + (SECRETS[name]?.() ?? ''),
  );
  try {
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Error(`${resolve(file)} exists already, and keeps its secrets: name another file.`, { cause: error });
  }
  print(`${resolve(file)} has fresh secrets, and only you can read it. Fill in: ${LEFT}.`);
  print(`Then: node --env-file=${file} node_modules/.bin/payment-proxy check`);
  return 0;
}
