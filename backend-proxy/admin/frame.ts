// What the pages of a signed-in operator share: the parts that they read and change, the frame around a page's body,
// and a session that each page prolongs.
import type { Context } from 'hono';
import type { Ledger } from '../ledger/ledger.ts';
import type { Log } from '../protocol/log.ts';
import type { RefundRules } from '../protocol/refundable.ts';
import type { Readiness } from '../readiness.ts';
import type { Refunds } from '../refunds.ts';
import { writeSession } from './guard.ts';
import type { Html } from './format.ts';
import { page, type Done, type Section } from './layout.ts';
import type { Sessions } from './session.ts';

export interface AdminParts {
  ledger: Ledger;
  refunds: Refunds;
  refundRules: RefundRules;
  token: string;
  version: string;
  /** Whether a WEBHOOK_URL is set. */
  sendsWebhooks: boolean;
  /** Called when something is due to be sent. */
  onDue(): void;
  readiness(): Promise<Readiness>;
  now?: () => number;
  log?: Log;
}

export interface Frame {
  /** Goes to a page that says what was just done: to this session, and at this address only. */
  done(c: Context, path: string, done: Done): Response;
  show(c: Context, section: Section, title: string, body: Html, code?: 200 | 400 | 409): Response | Promise<Response>;
  /** Proves that a form belongs to this session. */
  formToken(c: Context): string;
}

export function createFrame(sessions: Sessions): Frame {
  const formToken = (c: Context) => sessions.formToken(c.get('session'));
  const pathOf = (c: Context, path: string) => new URL(path, c.req.url).pathname;
  return {
    done(c, path, done) {
      const proof = sessions.doneToken(c.get('session'), `${done} ${pathOf(c, path)}`);
      return c.redirect(`${path}?done=${done}.${proof}`, 303);
    },
    show(c, section, title, body, code = 200) {
      const session = c.get('session');
      writeSession(c, sessions, session);
      const [word = '', proof = ''] = c.req.query('done')?.split('.') ?? [];
      const isDone = sessions.isDoneToken(session, `${word} ${pathOf(c, c.req.url)}`, proof);
      return c.html(page({ title, section, body, form: formToken(c), ...(isDone && { done: word }) }), code);
    },
    formToken,
  };
}
