// Counts the create requests for each orderId, accepted or refused, and keeps the latest refusals. A test can so
// prove that the proxy sent a payment only once, and a developer can see why a request was refused.
import type { Clock } from './sandbox-clock.ts';

const MAX_REFUSALS = 200;

export interface RefusedRequest {
  at: number;
  operation: string;
  orderId: string | null;
  status: number;
  code: string;
  message: string;
}

export class RequestLog {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  readonly #received = new Map<string, number>();
  readonly #refusals: RefusedRequest[] = [];

  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  received(orderId: string | null): void {
    if (orderId !== null) this.#received.set(orderId, this.requestsFor(orderId) + 1);
  }

  refused(operation: string, orderId: string | null, status: number, code: string, message: string): void {
    this.#refusals.unshift({ at: this.#clock.now(), operation, orderId, status, code, message });
    this.#refusals.splice(MAX_REFUSALS);
    this.#onChange();
  }

  requestsFor(orderId: string): number {
    return this.#received.get(orderId) ?? 0;
  }

  /** Newest first. */
  get refusals(): readonly RefusedRequest[] {
    return this.#refusals;
  }
}
