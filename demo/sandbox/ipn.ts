// Sends the IPN of each final transaction, and records the answer to each attempt. Makes up to five attempts with
// growing pauses, until the answer is exactly HTTP 200: another 2xx counts as a failure, a redirect is not followed,
// and each attempt has a time limit.
import type { Clock } from './sandbox-clock.ts';
import { ExactNumber } from './exact-json.ts';
import { type Fault, type Faults, tampered } from './faults.ts';
import type { Transaction } from './transaction.ts';

/** The pause before each of the five attempts. */
export const PAUSES_MS = [0, 2_000, 10_000, 30_000, 120_000];
export const ATTEMPT_LIMIT_MS = 10_000;
const GATHER_MS = 1_000;
const MAX_IN_FLIGHT = 64;

export interface Attempt {
  at: number;
  /** The HTTP status, or null without an answer. */
  answer: number | null;
  error: string | null;
  body: string;
}

export interface Delivery {
  state: 'WAITING' | 'DELIVERED' | 'GIVEN_UP' | 'WITHHELD';
  attempts: Attempt[];
}

interface Job {
  delivery: Delivery;
  body: string;
  copies: number;
  made: number;
}

export interface IpnOptions {
  clock: Clock;
  faults: Faults;
  fetch: typeof fetch;
  onChange: () => void;
  attemptLimitMs: number;
}

/** The body of an IPN, and the answer of a status check. */
export function report(transaction: Transaction): Record<string, unknown> {
  return {
    paymentId: transaction.paymentId,
    orderId: transaction.orderId,
    type: transaction.type,
    ...(transaction.customer === null ? {} : { customer: transaction.customer }),
    amount: new ExactNumber(transaction.amount),
    currency: transaction.currency,
    status: transaction.status,
    message: transaction.message,
  };
}

export class IpnSender {
  /** The merchant's IPN URL. While it is null, each attempt counts as unanswered. */
  url: string | null;
  readonly #options: IpnOptions;
  readonly #deliveries = new WeakMap<Transaction, Delivery[]>();
  readonly #gathered: Job[] = [];
  readonly #stopping = new AbortController();
  #inFlight = 0;
  readonly #queue: (() => void)[] = [];

  constructor(url: string | null, options: IpnOptions) {
    this.url = url;
    this.#options = options;
  }

  /** Oldest first; more than one if an IPN was sent again by hand. */
  about(transaction: Transaction): readonly Delivery[] {
    return this.#deliveries.get(transaction) ?? [];
  }

  send(transaction: Transaction): void {
    const { clock, faults, onChange } = this.#options;
    const fault: Fault<'ipn'> = faults.take('ipn', transaction.orderId) ?? {};
    const delivery: Delivery = { state: fault.never ? 'WITHHELD' : 'WAITING', attempts: [] };
    this.#deliveries.set(transaction, [...this.about(transaction), delivery]);
    onChange();
    if (fault.never) return;
    const body = JSON.stringify(tampered(report(transaction), fault.tamper));
    const job: Job = { delivery, body, copies: fault.repeat ?? 1, made: 0 };
    const dueAt = clock.now() + (fault.delayMs ?? (fault.reverse ? GATHER_MS : PAUSES_MS[0]!));
    if (!fault.reverse) clock.at(dueAt, () => this.#attempt(job));
    else if (this.#gathered.push(job) === 1) clock.at(dueAt, () => this.#sendGathered());
  }

  /** Aborts the requests in flight. */
  stop(): void {
    this.#stopping.abort();
  }

  async #sendGathered(): Promise<void> {
    for (const job of this.#gathered.splice(0).toReversed()) await this.#attempt(job);
  }

  async #attempt(job: Job): Promise<void> {
    const { clock, onChange } = this.#options;
    const answers = await Promise.all(Array.from({ length: job.copies }, () => this.#post(job)));
    job.made += 1;
    if (answers.includes(200)) {
      job.delivery.state = 'DELIVERED';
    } else {
      const pauseMs = PAUSES_MS[job.made];
      if (pauseMs === undefined) job.delivery.state = 'GIVEN_UP';
      else clock.at(clock.now() + pauseMs, () => this.#attempt(job));
    }
    onChange();
  }

  async #post({ delivery, body }: Job): Promise<number | null> {
    await this.#takePlace();
    const attempt: Attempt = { at: this.#options.clock.now(), answer: null, error: null, body };
    delivery.attempts.push(attempt);
    try {
      if (this.url === null) throw new Error('no IPN URL is set');
      const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(this.#options.attemptLimitMs)]);
      const headers = { 'content-type': 'application/json' };
      const response = await this.#options.fetch(this.url, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        signal,
      });
      attempt.answer = response.status;
      await response.body?.cancel();
    } catch (error) {
      attempt.error = reason(error);
    } finally {
      this.#leavePlace();
    }
    return attempt.answer;
  }

  async #takePlace(): Promise<void> {
    if (this.#inFlight < MAX_IN_FLIGHT) this.#inFlight += 1;
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
  }

  /** Hands the place to the next one in the queue, so the count stays the same. */
  #leavePlace(): void {
    const next = this.#queue.shift();
    if (next) next();
    else this.#inFlight -= 1;
  }
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'no answer in time';
  const { cause } = error;
  return cause instanceof Error ? `no answer (${'code' in cause ? String(cause.code) : cause.message})` : error.message;
}
