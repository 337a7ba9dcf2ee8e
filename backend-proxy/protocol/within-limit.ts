// Waits for something, but not forever.

/** The result of `work`, or undefined if it did not end within the limit. */
export async function withinLimit<T>(work: Promise<T>, limitMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), limitMs);
  });
  return Promise.race([work, over]).finally(() => clearTimeout(timer));
}
