// A digest of request parameters, to detect that an idempotency key is reused for another request.
import { createHash, createHmac } from 'node:crypto';

const KEYED = 'keyed ';

export function fingerprintOf(parts: readonly (string | number | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/**
 * The fingerprint after the request's personal data was erased: without the key, nobody can try all wallet ids until
 * one fits.
 */
export function keyedFingerprint(key: string, fingerprint: string): string {
  if (fingerprint.startsWith(KEYED)) return fingerprint;
  return KEYED + createHmac('sha256', key).update(fingerprint).digest('base64url');
}

/** Whether a stored fingerprint, plain or keyed, is that of the same request. */
export function isSameRequest(key: string, stored: string, fingerprint: string): boolean {
  return stored === fingerprint || stored === keyedFingerprint(key, fingerprint);
}
