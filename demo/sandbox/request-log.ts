// The latest requests with their answers, and what tests and the list of transactions need to know of all of them: how
// often each transaction was to be created, and which answers a fault has lost or changed. A test can so prove that the
// proxy sent a payment only once. Headers, and so the key, are not kept.
import type { Clock } from './sandbox-clock.ts';

const MAX_REQUESTS = 100;
/** Of a body; a longer one is cut. */
const MAX_TEXT = 8_192;

export interface Exchange {
  operation: string;
  orderId: string | null;
  body: string;
  /** Null if a fault closed the connection before the answer. */
  status: number | null;
  answer: string;
  /** What the answer says, of a payment its method, of a payout that it was accepted, or what a fault did to it. */
  message: string;
}

export interface LoggedRequest extends Exchange {
  id: number;
  /** When it came last. */
  at: number;
  /** The same request with the same answer, as status checks are. */
  times: number;
  firstAt: number;
}

export class RequestLog {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  readonly #received = new Map<string, number>();
  /** The one that came longest ago first, by what is the same in a repeated one. */
  readonly #latest = new Map<string, LoggedRequest>();
  readonly #unanswered = new Set<string>();
  readonly #falseAnswers = new Map<string, Map<string, number>>();
  #count = 0;

  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  received(orderId: string | null): void {
    if (orderId !== null) this.#received.set(orderId, this.requestsFor(orderId) + 1);
  }

  /** A repeated one is counted in its line, so that status checks do not push out the rest. */
  answered({ body, answer, ...rest }: Exchange): void {
    const exchange = { ...rest, body: body.slice(0, MAX_TEXT), answer: answer.slice(0, MAX_TEXT) };
    const at = this.#clock.now();
    const key = JSON.stringify(exchange);
    const { id, times, firstAt } = this.#latest.get(key) ?? { id: (this.#count += 1), times: 0, firstAt: at };
    // Deleted first, so that it is the newest.
    this.#latest.delete(key);
    this.#latest.set(key, { ...exchange, id, at, times: times + 1, firstAt });
    const [oldest] = this.#latest.keys();
    if (oldest !== undefined && this.#latest.size > MAX_REQUESTS) this.#latest.delete(oldest);
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
  get latest(): LoggedRequest[] {
    return [...this.#latest.values()].toReversed();
  }
}
