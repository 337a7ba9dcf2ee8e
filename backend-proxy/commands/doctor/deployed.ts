// What the checks of `doctor` know about the proxy that they test.
import type { Config } from '../../config/config.ts';
import { skipped, type Finding } from '../report.ts';
import type { Lost, Visit, VisitOptions, Visitor } from '../visit.ts';

export const SETTINGS = [
  'ORDER_SECRET',
  'MERCHANT_API_KEY',
  'MERCHANT_KEYS',
  'IPN_SECRET',
  'ALLOWED_ORIGINS',
  'TRUSTED_PROXIES',
] as const;

export interface Deployed {
  /** Ends with a slash. */
  base: URL;
  /** Those in this command's environment; they should be the proxy's. */
  settings: Partial<Pick<Config, (typeof SETTINGS)[number]>>;
  visitor: Visitor;
  /** Requests a path below the base, without a slash at its beginning. */
  visit(path: string, options?: VisitOptions): Promise<Visit | Lost>;
  /** The header with a token for an order that nobody pays; undefined without the secret. */
  token: ((orderId?: string) => Record<string, string>) | undefined;
}

export function needs(about: string, variables: string): Finding {
  return skipped(about, `needs ${variables}`);
}
