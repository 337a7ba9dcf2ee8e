// Compares secrets in constant time, so that the time taken does not reveal how much of a guess was right.
import { createHash, timingSafeEqual } from 'node:crypto';

function hash(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}

export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(hash(one), hash(other));
}
