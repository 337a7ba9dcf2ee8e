// Waiting that a signal ends early. A parameter wherever time matters, so that tests can use a clock of their own.

/** Resolves after `ms`, or at once when the signal aborts; never rejects. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

export const waitByTimer: Wait = (ms, signal) =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      // One signal may live for hours and see thousands of waits.
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, signal.aborted ? 0 : ms);
    signal.addEventListener('abort', end);
  });
