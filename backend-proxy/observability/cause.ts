// What the running work is about and what caused it: the request, the order. Each log line of that work has these
// fields, and a `traceparent` that came with the request goes on to the gateway. They follow the work through every await
// (AsyncLocalStorage), so that no function passes them on; that costs a request half a microsecond.
import { AsyncLocalStorage } from 'node:async_hooks';

export interface Cause {
  requestId?: string;
  orderId?: string;
  transactionId?: string;
  /** The name of the merchant's key. */
  key?: string;
  /** The header of W3C, as it came. */
  traceparent?: string;
}

const storage = new AsyncLocalStorage<Cause>();
const NONE: Readonly<Cause> = {};

export function causeOf(): Readonly<Cause> {
  return storage.getStore() ?? NONE;
}

/** Runs work with these fields and those of the work that begins it. */
export function runAs<T>(cause: Cause, work: () => T): T {
  return storage.run({ ...storage.getStore(), ...cause }, work);
}

/** Adds what the running work has learned about itself, such as the order of a token. */
export function note(learned: Pick<Cause, 'orderId' | 'transactionId' | 'key'>): void {
  const cause = storage.getStore();
  if (cause !== undefined) Object.assign(cause, learned);
}

/** A log line's fields with those of the running work, which come first. */
export function withCause(fields: Record<string, unknown> = {}): Record<string, unknown> {
  const cause = storage.getStore();
  if (cause === undefined) return fields;
  // One assignment after the other, because conditional spreads cost a request a microsecond.
  const all: Record<string, unknown> = {};
  if (cause.requestId !== undefined) all['requestId'] = cause.requestId;
  if (cause.orderId !== undefined) all['orderId'] = cause.orderId;
  if (cause.transactionId !== undefined) all['transactionId'] = cause.transactionId;
  if (cause.key !== undefined) all['key'] = cause.key;
  return Object.assign(all, fields);
}
