// Makes the answers, each with the common headers. `answer` passes the headers as a plain object to one
// Response: `c.header`, `c.res.headers` and every middleware of Hono that uses them build a Headers object for each
// answer, which costs more processor time than the rest of a small request.
import { randomUUID } from 'node:crypto';
import type { Context, TypedResponse } from 'hono';

type Headers = Record<string, string>;

declare module 'hono' {
  interface ContextVariableMap {
    requestId: string;
    /** The headers that each answer to this request has. */
    headers: Headers;
    /** The answer that has them already. */
    answer: Response;
  }
}

/**
 * For browsers. No Content-Security-Policy, because no answer is a page; no HSTS, which applies to the whole domain and
 * so belongs to the TLS terminator.
 */
const SECURITY: Headers = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Origin-Agent-Cluster': '?1',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-DNS-Prefetch-Control': 'off',
  'X-Download-Options': 'noopen',
  'X-Frame-Options': 'SAMEORIGIN',
  'X-Permitted-Cross-Domain-Policies': 'none',
  'X-XSS-Protection': '0',
};

/** An id of the caller, such as a reverse proxy's, is kept in this form; it goes into the log. */
const REQUEST_ID = /^[\w=-]{1,255}$/;

/** Gives the request its id, and the headers that `answer` will use. */
export function prepareAnswer(c: Context, newId: () => string = randomUUID): void {
  const given = c.req.header('X-Request-Id');
  const requestId = given !== undefined && REQUEST_ID.test(given) ? given : newId();
  c.set('requestId', requestId);
  c.set('headers', { ...SECURITY, 'X-Request-Id': requestId });
}

/** Adds the headers to answers that `answer` did not make: a stream, or an answer of the host app. */
export function completeAnswer(c: Context): void {
  if (c.res === c.get('answer')) return;
  const { headers } = c.res;
  for (const [name, value] of Object.entries(c.get('headers'))) {
    if (name === 'Vary') headers.append(name, value);
    else if (!headers.has(name)) headers.set(name, value);
  }
}

/** An answer with the headers of every answer; those given here replace them. */
export function answer(
  c: Context,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null,
  status: number,
  headers: Headers = {},
): Response {
  const made = new Response(body, { status, headers: { ...c.get('headers'), ...headers } });
  c.set('answer', made);
  return made;
}

/** The same as JSON; the type lets the compiler compare it with the documented response. */
export function answerJson<Value, Status extends 200 | 201 | 202>(
  c: Context,
  value: Value,
  status: Status,
  headers: Headers = {},
): Response & TypedResponse<Value, Status, 'json'> {
  const json = { ...headers, 'Content-Type': 'application/json' };
  return answer(c, JSON.stringify(value), status, json) as Response & TypedResponse<Value, Status, 'json'>;
}
