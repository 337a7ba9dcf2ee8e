// Problem documents, application/problem+json (RFC 9457), and their OpenAPI schema.
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { REFUSALS, Refusal, type FieldError, type ProblemMembers, type RefusalKind } from '../errors.ts';
import { NOT_REFUNDABLE, type NotRefundable } from '../protocol/refundable.ts';
import type { Problem } from '../protocol/wire.ts';
import { answer } from './answer.ts';

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
  const fields = [...new Set(errors.map(({ field }) => field))].join(', ');
  return new Refusal('invalid_request', `Not valid: ${fields}.`, { errors });
}

export function toRefusal(error: Error): Refusal {
  if (error instanceof Refusal) return error;
  return new Refusal('internal', 'Internal error. Nothing is lost. Try again.', { cause: error });
}
