// The operator's session: a signed cookie. Only signed-out sessions are kept in memory. The key is this process's own,
// so a restart ends every session: one that was signed out must not be valid again. It ends 30 minutes after the last
// page and 8 hours after the login.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { HOUR_MS, MINUTE_MS } from '../protocol/durations.ts';

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
      const isOver = now() - Number(usedAt) > IDLE_MS || now() - Number(beganAt) > MAX_MS;
      if (ended.has(id)) return undefined;
      return isOver ? undefined : { id, beganAt: Number(beganAt) };
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
