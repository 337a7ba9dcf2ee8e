// Order tokens are verified by WebCrypto, in a thread of its own and in real time, which the virtual clock must not pass:
// otherwise a shopper's start of this moment would arrive days later.

type Operation = 'importKey' | 'sign' | 'verify';

/** From now on counts the operations of this process that have not ended. */
export function countSignatures(): { readonly pending: number } {
  const count = { pending: 0 };
  const { subtle } = crypto;
  for (const name of ['importKey', 'sign', 'verify'] satisfies Operation[]) {
    const original = (subtle[name] as (...args: unknown[]) => Promise<unknown>).bind(subtle);
    const counted = (...args: unknown[]) => {
      count.pending += 1;
      return original(...args).finally(() => (count.pending -= 1));
    };
    Object.defineProperty(subtle, name, { value: counted, configurable: true });
  }
  return count;
}
