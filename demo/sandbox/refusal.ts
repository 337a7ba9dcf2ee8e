// The sandbox's only error class: a request that the gateway refuses, with an HTTP status, a code for programs and
// the wrong fields. Any other error is a bug in the sandbox.
import { z } from 'zod';

type RefusalStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 503;

export interface FieldError {
  field: string;
  message: string;
}

export class Refusal extends Error {
  readonly status: RefusalStatus;
  readonly code: string;
  readonly errors: FieldError[];

  /** `where`: the wrong field, or a list of several. */
  constructor(status: RefusalStatus, code: string, message: string, where: string | FieldError[] = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = typeof where === 'string' ? [{ field: where, message }] : where;
  }

  get body(): { code: string; message: string; errors: FieldError[] } {
    return { code: this.code, message: this.message, errors: this.errors };
  }
}

/** An object without further fields: the refusal names those that it takes. */
export function only<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const names = Object.keys(shape).join(', ') || 'no field';
  return z.strictObject(shape, { error: ({ code }) => (code === 'unrecognized_keys' ? `takes ${names}` : undefined) });
}

/** @throws Refusal naming every wrong field */
export function checked<T>(schema: z.ZodType<T>, value: unknown, code: string): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const errors = error.issues.map(({ path, message }) => ({ field: path.join('.') || 'body', message }));
  throw new Refusal(400, code, errors.map(({ field, message }) => `${field}: ${message}.`).join(' '), errors);
}
