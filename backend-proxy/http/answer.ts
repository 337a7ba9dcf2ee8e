// Makes the answers and the problem documents (RFC 9457), each with the common headers.
// `answer` passes them as a plain object to one Response: `c.header`, `c.res.headers` and every middleware of Hono that
// uses them build a Headers object for each answer, which costs more processor time than the rest of a small request.
import { randomUUID } from 'node:crypto';
import type { Context, TypedResponse } from 'hono';
import { z } from '@hono/zod-openapi';
import { REFUSALS, Refusal, type FieldError, type ProblemMembers, type RefusalKind } from '../errors.ts';
import { NOT_REFUNDABLE, type NotRefundable } from '../protocol/refundable.ts';
import type { Problem } from '../protocol/wire.ts';

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
export function prepareAnswer(c: Context): void {
  const given = c.req.header('X-Request-Id');
  const requestId = given !== undefined && REQUEST_ID.test(given) ? given : randomUUID();
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

// Problem documents, application/problem+json (RFC 9457), and their OpenAPI schema.

const problemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.enum(Object.keys(REFUSALS) as [RefusalKind, ...RefusalKind[]]),
    retryable: z.boolean(),
    errors: z.array(z.object({ field: z.string(), detail: z.string() })).optional(),
    cause: z.enum(Object.keys(NOT_REFUNDABLE) as [NotRefundable, ...NotRefundable[]]).optional(),
    until: z.string().optional().openapi({ description: 'When the cause ends by itself' }),
    refundable: z.string().optional().openapi({ description: 'The most that can be refunded' }),
    requestId: z.string(),
  })
  .openapi('Problem');

/** For routes without a query: a misspelled parameter, or a token in the query, is refused. */
export const noQuery = z.strictObject({});

/** The `responses` of a route that can be refused with these kinds. */
export function refusedBy(...kinds: RefusalKind[]) {
  const always: RefusalKind[] = ['internal', 'unavailable'];
  const byStatus = Object.groupBy([...kinds, ...always], (kind) => String(REFUSALS[kind].status));
  const responses = Object.entries(byStatus).map(([status, same = []]) => [
    status,
    { description: same.join(', '), content: { 'application/problem+json': { schema: problemSchema } } },
  ]);
  return Object.fromEntries(responses) as Record<string, never>;
}

export function problemResponse(c: Context, refusal: Refusal): Response {
  const { kind, status, message, errors, members, retryAfterS } = refusal;
  const { title, retryable } = REFUSALS[kind];
  const problem: Problem & ProblemMembers = {
    type: 'about:blank',
    title,
    status,
    detail: message,
    code: kind,
    retryable,
    ...(errors && { errors }),
    ...members,
    requestId: c.get('requestId'),
  };
  return answer(c, JSON.stringify(problem), status, {
    'Content-Type': 'application/problem+json',
    'Cache-Control': 'no-store',
    ...(retryAfterS !== undefined && { 'Retry-After': String(retryAfterS) }),
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    // The rest of the body may never end, and would keep the connection.
    ...(status === 413 && { Connection: 'close' }),
  });
}

/** The refusal for invalid input. */
export function invalid(...errors: FieldError[]): Refusal {
  const fields = errors.map(({ field, detail }) => `${field}: ${detail}`).join('; ');
  return new Refusal('invalid_request', `Not valid: ${fields}.`, { errors });
}

export function toRefusal(error: Error): Refusal {
  if (error instanceof Refusal) return error;
  return new Refusal('internal', 'Internal error. Nothing is lost. Try again.', { cause: error });
}
