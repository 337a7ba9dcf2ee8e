// When an "unknown" counts: if within a minute the same path finds a transaction of the same type, by a regular check
// or by one that the proxy made to prove the path. And when the proxy has to make such a check.
import { M } from '../backend-proxy/time.ts';
import type { ModelTransaction } from './model-transaction.ts';

type Type = ModelTransaction['type'];

export class ModelUnknownProof {
  #waiting: { one: ModelTransaction; at: number }[] = [];
  readonly #askedAt = new Map<Type, number>();

  unknown(one: ModelTransaction, at: number): void {
    this.#waiting.push({ one, at });
  }

  /** The "unknown" answers that count now, each with its time. */
  found(type: Type, now: number): { one: ModelTransaction; at: number }[] {
    const proven = this.#waiting.filter(({ one, at }) => one.type === type && now - at <= M);
    this.#drop(type);
    return proven;
  }

  asked(type: Type, now: number): void {
    this.#askedAt.set(type, now);
  }

  /** The path or the key is wrong: no "unknown" answer counts. */
  disproven(type: Type): void {
    this.#drop(type);
  }

  /**
   * After a tick the proxy has done all work that was due, so it must have made the check that can prove an "unknown".
   */
  ticked(type: Type, isAnyFound: boolean, now: number): void {
    if (!isAnyFound) this.#drop(type);
    this.#waiting = this.#waiting.filter(({ at }) => now - at <= M);
    const isAskedLately = now - (this.#askedAt.get(type) ?? -Infinity) < M;
    if (!isAskedLately && this.#waiting.some(({ one }) => one.type === type)) {
      throw new Error(`An "unknown" of a ${type} waits for proof, and no check was made to prove it`);
    }
  }

  #drop(type: Type): void {
    this.#waiting = this.#waiting.filter(({ one }) => one.type !== type);
  }
}
