// Who may use the operator's page: a session for every page, and for every form also a request from the page itself.
import type { Context, MiddlewareHandler } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { Refusal } from '../errors.ts';
import { isLoopbackName } from '../protocol/links.ts';
import type { Session, Sessions } from './session.ts';

declare module 'hono' {
  interface ContextVariableMap {
    session: Session;
  }
}

const ADMIN_HEADERS: Record<string, string> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // Not `no-referrer`: with that, browsers send `Origin: null` with a form.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

export const adminHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(ADMIN_HEADERS)) c.res.headers.set(name, value);
};

/** Whether a page of this host sent the form, whatever cookies come with it. */
export const sameOriginOnly: MiddlewareHandler = async (c, next) => {
  if (c.req.method === 'GET' || c.req.method === 'HEAD') return next();
  const origin = c.req.header('Origin') ?? '';
  if (!URL.canParse(origin) || new URL(origin).host !== c.req.header('Host')) {
    throw new Refusal(
      'forbidden_origin',
      'This form was not sent by this page. If a reverse proxy is in front, it has to pass the Host header on.',
    );
  }
  return next();
};

/** The fields of the submitted form; rejects a body that is not a form. */
async function readForm(c: Context): Promise<Record<string, unknown>> {
  try {
    return await c.req.parseBody();
  } catch (error) {
    if (error instanceof TypeError) throw new Refusal('invalid_request', 'The body is not a form.');
    throw error;
  }
}

/** A field of the submitted form; empty if it is missing. */
export async function formField(c: Context, name: string): Promise<string> {
  const value = (await readForm(c))[name];
  return typeof value === 'string' ? value : '';
}

/** Redirects a request without a session to the login. */
export function sessionOnly(sessions: Sessions): MiddlewareHandler {
  return async (c, next) => {
    const session = sessions.read(getCookie(c, cookieName(c)) ?? '');
    if (session === undefined) return c.redirect('/admin/login', 303);
    if (c.req.method === 'POST') {
      const { form } = await readForm(c);
      if (typeof form !== 'string' || !sessions.isFormToken(session, form)) {
        throw new Refusal('forbidden_origin', 'This form belongs to another session. Open the page again.');
      }
    }
    c.set('session', session);
    return next();
  };
}

/** Sent with each page, so that each page prolongs the session. */
export function writeSession(c: Context, sessions: Sessions, session: Session): void {
  setCookie(c, cookieName(c), sessions.write(session), cookieOptions(c));
}

export function endSession(c: Context): void {
  deleteCookie(c, cookieName(c), cookieOptions(c));
}

/** Whether the browser reaches this page by a loopback name. */
export function isLoopback(c: Context): boolean {
  const host = c.req.header('Host') ?? '';
  return isLoopbackName(host.replace(/:\d+$/, '').toLowerCase());
}

/** Over http only loopback can have a session: elsewhere the browser drops a Secure cookie. */
function cookieOptions(c: Context) {
  return { path: '/', httpOnly: true, sameSite: 'Strict', secure: !isLoopback(c) } as const;
}

function cookieName(c: Context): string {
  return isLoopback(c) ? 'admin' : '__Host-admin';
}
