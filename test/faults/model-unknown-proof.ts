// When the model believes an "unknown": within the minute after it the same path has found a transaction of the same type, by
// itself or because the proxy asked on purpose. And when the proxy has to ask on purpose.
import type { ModelTransaction } from './model-transaction.ts';

const MINUTE = 60_000;
type Type = ModelTransaction['type'];

export class ModelUnknownProof {
  #waiting: { one: ModelTransaction; at: number }[] = [];
  readonly #askedAt = new Map<Type, number>();

  unknown(one: ModelTransaction, at: number): void {
    this.#waiting.push({ one, at });
  }

  /** Those that are believed now, with when each was said. */
  found(type: Type, now: number): { one: ModelTransaction; at: number }[] {
    const believed = this.#waiting.filter(({ one, at }) => one.type === type && now - at <= MINUTE);
    this.#drop(type);
    return believed;
  }

  asked(type: Type, now: number): void {
    this.#askedAt.set(type, now);
  }

  /** The path or the key is wrong: nothing that was said by it is believed. */
  disproven(type: Type): void {
    this.#drop(type);
  }

  /** The proxy has done all that was due: what can be proven by a question has been asked about. */
  ticked(type: Type, isAnyFound: boolean, now: number): void {
    if (!isAnyFound) this.#drop(type);
    this.#waiting = this.#waiting.filter(({ at }) => now - at <= MINUTE);
    const isAskedLately = now - (this.#askedAt.get(type) ?? -Infinity) < MINUTE;
    if (!isAskedLately && this.#waiting.some(({ one }) => one.type === type)) {
      throw new Error(`An "unknown" of a ${type} waits to be believed, and nothing was asked on purpose`);
    }
  }

  #drop(type: Type): void {
    this.#waiting = this.#waiting.filter(({ one }) => one.type !== type);
  }
}
