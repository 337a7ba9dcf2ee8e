// Counts the create requests for each orderId, accepted or refused, and keeps the latest refusals and the answers that
// a fault has lost or changed. A test can so prove that the proxy sent a payment only once, and a developer can see why a
// request was refused or its answer disbelieved.
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
  readonly #unanswered = new Set<string>();
  readonly #falseAnswers = new Map<string, Map<string, number>>();

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

  answeredFalsely(orderId: string, fields: object): void {
    const answers = this.#falseAnswers.get(orderId) ?? new Map<string, number>();
    const text = Object.entries(fields)
      .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
      .join(', ');
    if (!answers.has(text)) this.#falseAnswers.set(orderId, answers.set(text, this.#clock.now()));
    this.#onChange();
  }

  answerLost(orderId: string): void {
    this.#unanswered.add(orderId);
    this.#onChange();
  }

  hasNoAnswer(orderId: string): boolean {
    return this.#unanswered.has(orderId);
  }

  /** What was false, and when it was first; oldest first. */
  falseAnswersFor(orderId: string): ReadonlyMap<string, number> {
    return this.#falseAnswers.get(orderId) ?? new Map();
  }

  requestsFor(orderId: string): number {
    return this.#received.get(orderId) ?? 0;
  }

  /** Newest first. */
  get refusals(): readonly RefusedRequest[] {
    return this.#refusals;
  }
}
