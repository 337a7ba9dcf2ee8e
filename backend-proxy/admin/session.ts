// The operator's session, who may use the page, and how often an address may try to log in.
// The session is a signed cookie. Only signed-out sessions are kept in memory. The key is this process's own, so a
// restart ends every session: one that was signed out must not be valid again. It ends 30 minutes after the last page
// that a person opened, and 8 hours after the login.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { callerAt } from '../config/addresses.ts';
import { Refusal } from '../errors.ts';
import { HOUR_MS, MINUTE_MS, isWithin } from '../protocol/durations.ts';
import { isLoopbackName } from '../protocol/links.ts';

const IDLE_MS = 30 * MINUTE_MS;
const MAX_MS = 8 * HOUR_MS;
/** Ended sessions that are remembered; beyond that the oldest are forgotten. */
const MAX_ENDED = 10_000;

export interface Session {
  /** Random, so that a form token is valid for its own session only. */
  id: string;
  beganAt: number;
}

export interface Sessions {
  begin(): Session;
  /** The cookie's value, valid from now on for IDLE_MS. */
  write(session: Session): string;
  /** Undefined if the value is forged or no longer valid. */
  read(value: string): Session | undefined;
  /** Ends the session: none of its cookies is valid from now on. */
  end(session: Session): void;
  /** Proves that a form was made for this session. */
  formToken(session: Session): string;
  isFormToken(session: Session, given: string): boolean;
  /** Proves that this session was sent to an address after it did what the address says. */
  doneToken(session: Session, text: string): string;
  isDoneToken(session: Session, text: string, given: string): boolean;
}

export function createSessions(now: () => number): Sessions {
  const key = randomBytes(32);
  const sign = (purpose: string, text: string) =>
    createHmac('sha256', key).update(`${purpose} ${text}`).digest('base64url');
  const isEqual = (a: string, b: string) => {
    const [left, right] = [Buffer.from(a), Buffer.from(b)];
    return left.length === right.length && timingSafeEqual(left, right);
  };
  /** When each ended session began, by id, in the order in which they ended. */
  const ended = new Map<string, number>();
  const formToken = ({ id }: Session) => sign('form', id);
  const doneToken = ({ id }: Session, text: string) => sign('done', `${id} ${text}`);

  return {
    begin: () => ({ id: randomBytes(16).toString('base64url'), beganAt: now() }),
    write({ id, beganAt }) {
      const text = `${id}.${beganAt}.${now()}`;
      return `${text}.${sign('session', text)}`;
    },
    read(value) {
      const match = /^([\w-]{22})\.(\d{1,15})\.(\d{1,15})\.([\w-]{43})$/.exec(value);
      if (match === null) return undefined;
      const [, id = '', beganAt, usedAt, signature = ''] = match;
      if (!isEqual(signature, sign('session', `${id}.${beganAt}.${usedAt}`))) return undefined;
      const isOpen = isWithin(IDLE_MS, Number(usedAt), now()) && isWithin(MAX_MS, Number(beganAt), now());
      return isOpen && !ended.has(id) ? { id, beganAt: Number(beganAt) } : undefined;
    },
    end({ id, beganAt }) {
      for (const [other, began] of ended) if (now() - began > MAX_MS) ended.delete(other);
      ended.set(id, beganAt);
      const [oldest] = ended.keys();
      if (ended.size > MAX_ENDED && oldest !== undefined) ended.delete(oldest);
    },
    formToken,
    isFormToken: (session, given) => isEqual(given, formToken(session)),
    doneToken,
    isDoneToken: (session, text, given) => isEqual(given, doneToken(session, text)),
  };
}

// Who may use the operator's page: a session for every page, and for every form also a request from the page itself.

declare module 'hono' {
  interface ContextVariableMap {
    session: Session;
  }
}

const ADMIN_HEADERS: Record<string, string> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
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
    if (session === undefined) {
      const asked = c.req.method === 'GET' ? `?to=${encodeURIComponent(pathOf(c.req.url))}` : '';
      return c.redirect(`/admin/login${asked}`, 303);
    }
    if (c.req.method === 'POST') {
      const { form, by } = await readForm(c);
      if (typeof form !== 'string' || !sessions.isFormToken(session, form)) {
        throw new Refusal('forbidden_origin', 'This form belongs to another session. Open the page again.');
      }
      if (typeof by === 'string' && by.length <= 100) setCookie(c, NAME, by, cookieOptions(c));
    }
    c.set('session', session);
    return next();
  };
}

const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url);
  return pathname + search;
};

/** The operator's page that was asked for before the sign-in; without one the overview. */
export function pageAfterLogin(c: Context): string {
  const to = URL.parse(c.req.query('to') ?? '/admin', c.req.url);
  const isOurs = to?.origin === new URL(c.req.url).origin && to.pathname.startsWith('/admin/');
  return isOurs ? pathOf(to.href) : '/admin';
}

/** Sent with each page that a person opens, which prolongs the session. */
export function writeSession(c: Context, sessions: Sessions, session: Session): void {
  setCookie(c, cookieName(c), sessions.write(session), cookieOptions(c));
}

export function endSession(c: Context): void {
  for (const name of [cookieName(c), NAME]) deleteCookie(c, name, cookieOptions(c));
}

/** The name of the person who decides is remembered by the browser until it closes or the session is ended. */
const NAME = 'admin-name';

export const nameOf = (c: Context): string => getCookie(c, NAME) ?? '';

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

// How often an address may try to log in. ADMIN_TOKEN is too long to be guessed; the limit keeps attempts from filling
// the log and using the processor.

const MAX_FAILURES = 10;
const WITHIN_MS = 600_000;
/** Addresses that are remembered; beyond that the oldest are forgotten. */
const MAX_ADDRESSES = 10_000;

export function createLoginLimit(now: () => number) {
  const failures = new Map<string, number[]>();
  const callerOf = (address: string) => callerAt(address) ?? address;
  const recent = (caller: string) => (failures.get(caller) ?? []).filter((at) => isWithin(WITHIN_MS, at, now()));
  return {
    isReached: (address: string) => recent(callerOf(address)).length >= MAX_FAILURES,
    fail(address: string) {
      const caller = callerOf(address);
      const times = [...recent(caller), now()];
      failures.delete(caller);
      failures.set(caller, times);
      const [oldest] = failures.keys();
      if (failures.size > MAX_ADDRESSES && oldest !== undefined) failures.delete(oldest);
    },
  };
}
