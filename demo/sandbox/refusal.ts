// A request the gateway does not carry out, with what the caller gets to read: an HTTP status, a code for programs, and
// what is wrong with which field. The one error class of the sandbox; anything else thrown is a bug of its own.

type RefusalStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 503;

export interface FieldError {
  field: string;
  message: string;
}

export class Refusal extends Error {
  readonly status: RefusalStatus;
  readonly code: string;
  readonly errors: FieldError[];

  /** `where`: the one field this is about, or a list where several are wrong. */
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
