// A digest of what was asked for, to tell a repeated request from a different one.
import { createHash } from 'node:crypto';

export function fingerprintOf(parts: readonly (string | number | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
