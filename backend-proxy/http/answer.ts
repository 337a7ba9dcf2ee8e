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

// Which encoding is sent to a client, and whether it has the answer already (RFC 9110, 12.5.3 and 13.1.2).

/** From the smallest answer to the largest: the order among those that a client accepts equally. */
const CODINGS = ['br', 'gzip', 'identity'] as const;
export type Coding = (typeof CODINGS)[number];

/** Chooses by the request's `Accept-Encoding`. A client that refuses all of them is sent `identity`. */
export function chooseCoding(accepted: string | undefined): Coding {
  const weights = new Map((accepted ?? '').split(',').map(weighed));
  const weightOf = (coding: Coding): number => {
    // An encoding that is not named is refused, except `identity`, which is the last choice.
    const unnamed = coding === 'identity' ? Number.MIN_VALUE : 0;
    return weights.get(coding) ?? weights.get('*') ?? unnamed;
  };
  const [best] = CODINGS.toSorted((a, b) => weightOf(b) - weightOf(a));
  return best !== undefined && weightOf(best) > 0 ? best : 'identity';
}

/** `gzip;q=0.5` → name and weight. A weight that is not a number refuses. */
function weighed(part: string): [name: string, weight: number] {
  const [name = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase());
  const q = parameters.find((each) => each.startsWith('q='));
  const weight = q === undefined ? 1 : Number(q.slice('q='.length));
  return [name === 'x-gzip' ? 'gzip' : name, Number.isFinite(weight) ? weight : 0];
}

/** Whether an `If-None-Match` names the entity tag. Compared weakly: a cache that compresses marks tags with `W/`. */
export function hasMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return header.split(',').some((tag) => opaque(tag) === opaque(etag));
}
