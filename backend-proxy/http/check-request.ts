// Checks a request by the schemas of its documented route, where requests are frequent. `app.openapi` checks the same
// with a middleware for each part, and makes a Headers object to read one header.
import type { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { fieldErrorsOf } from '../errors.ts';
import { invalid, invalidJson, noQuery } from './problem.ts';

/** The value as the schema reads it; throws `invalid_request`. */
export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (!result.success) throw invalid(...fieldErrorsOf(result.error));
  return result.data;
}

export function refuseQuery(c: Context): void {
  if (c.req.url.includes('?')) checked(noQuery, c.req.queries());
}

/** Throws `invalid_request` if the body is not JSON. */
export async function jsonOf(c: Context): Promise<unknown> {
  try {
    return await c.req.json();
  } catch {
    throw invalidJson();
  }
}
