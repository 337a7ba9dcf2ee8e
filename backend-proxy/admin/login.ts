// Signing in and out of the operator's page.
import type { Context, Hono } from 'hono';
import { Refusal } from '../errors.ts';
import { createSecretCheck } from '../http/guards.ts';
import type { Log } from '../protocol/log.ts';
import { endSession, formField, isLoopback, sessionOnly, writeSession } from './guard.ts';
import { loginPage } from './layout.ts';
import { createLoginLimit } from './login-limit.ts';
import type { Sessions } from './session.ts';

interface Login {
  sessions: Sessions;
  token: string;
  now: () => number;
  log: Log;
}

/** All paths below /admin that are registered later need a session. */
export function loginRoutes(app: Hono, { sessions, token, now, log }: Login): void {
  const limit = createLoginLimit(now);
  const isToken = createSecretCheck([token]);

  app.get('/admin/login', (c) => c.html(loginPage(undefined, isLoopback(c))));
  app.post('/admin/login', async (c) => {
    const address = addressOf(c);
    // The body is read first: nothing is awaited between checking the limit and counting, so that parallel tries count.
    const given = await formField(c, 'token').catch((error: unknown) => {
      if (error instanceof Refusal) return error;
      throw error;
    });
    if (typeof given !== 'string' || !isToken(given)) {
      // The right token is never refused, or anybody could lock the operator out.
      if (limit.isReached(address)) {
        return c.html(loginPage('Too many attempts. Wait ten minutes.', isLoopback(c)), 429);
      }
      limit.fail(address);
      log('warn', 'operator sign-in refused', { address });
      if (typeof given !== 'string') throw given;
      return c.html(loginPage('That token is not right.', isLoopback(c)), 401);
    }
    writeSession(c, sessions, sessions.begin());
    log('info', 'operator signed in', { address });
    return c.redirect('/admin', 303);
  });

  app.use('/admin', sessionOnly(sessions));
  app.use('/admin/*', sessionOnly(sessions));
  app.post('/admin/logout', (c) => {
    sessions.end(c.get('session'));
    endSession(c);
    return c.redirect('/admin/login', 303);
  });
}

/** Behind a reverse proxy all callers share its address. */
function addressOf(c: Context): string {
  const env = c.env as { incoming?: { socket?: { remoteAddress?: string } } } | undefined;
  return env?.incoming?.socket?.remoteAddress ?? 'unknown';
}
