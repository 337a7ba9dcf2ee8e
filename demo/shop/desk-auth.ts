// Who may use the desk, from which money goes out: whoever sits at this machine, or whoever has the password. A real merchant has
// a sign-in of its own here; without either there is no desk.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { basicAuth } from 'hono/basic-auth';

export interface StaffSettings {
  /** How browsers reach the shop; it answers under this name alone. */
  publicUrl: string;
  deskPassword?: string | undefined;
}

/** What guards the desk; undefined where it is not to be served at all. */
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
