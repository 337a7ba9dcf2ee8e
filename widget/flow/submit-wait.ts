// Waits for the promises that a page gave to `waitUntil` of `payment-submit`, and says what keeps the start from being
// sent.
import type { Trouble } from '../shell/state.ts';

/** How long the page may take. */
export const PAGE_LIMIT_MS = 30_000;

const TIMEOUT: Trouble = {
  code: 'page_timeout',
  retryable: false,
  detail: `A promise given to waitUntil() was not settled within ${PAGE_LIMIT_MS / 1000} seconds.`,
};

/** Null once all are fulfilled. A rejection's message is shown; without one, that the details should be checked. */
export async function troubleOfPage(
  promises: readonly Promise<unknown>[],
  wait: (ms: number) => Promise<void>,
): Promise<Trouble | null> {
  const refused = (reason: Error | string | null | undefined): Trouble => {
    const message = (reason as Error | undefined)?.message ?? reason;
    return { code: 'invalid_request', retryable: false, message: typeof message === 'string' ? message : '' };
  };
  const timeUp = wait(PAGE_LIMIT_MS).then(() => TIMEOUT);
  return Promise.race([Promise.all(promises).then(() => null, refused), timeUp]);
}
