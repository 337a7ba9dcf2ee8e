// A digest of request parameters, to detect that an idempotency key is reused for another request.
import { createHash } from 'node:crypto';

export function fingerprintOf(parts: readonly (string | number | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
