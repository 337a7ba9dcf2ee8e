// Access to the desk, which can send money: without a password only from this machine, else with DESK_PASSWORD. A real
// merchant has a sign-in here.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { basicAuth } from 'hono/basic-auth';

export interface StaffSettings {
  /** How browsers reach the shop; other host names are redirected here. */
  publicUrl: string;
  deskPassword?: string | undefined;
}

/** The middleware that protects the desk; undefined if the desk must not be served. */
export function staffOnly({ publicUrl, deskPassword }: StaffSettings): MiddlewareHandler | undefined {
  if (deskPassword !== undefined) {
    const hash = (text: string) => createHash('sha256').update(text).digest();
    const known = hash(deskPassword);
    return basicAuth({ realm: 'The desk', verifyUser: (_name, password) => timingSafeEqual(known, hash(password)) });
  }
  return isLoopback(new URL(publicUrl).hostname) ? (_c, next) => next() : undefined;
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
