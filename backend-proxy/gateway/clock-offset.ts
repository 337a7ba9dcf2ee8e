// How far the gateway's clock is ahead of this process's, by the Date of its answers.

/**
 * In ms. Date has whole seconds, and was written at some time between request and answer: what this leaves open is
 * taken as no difference, so any other answer is certain. Undefined without a readable date.
 */
export function clockOffset(date: unknown, sentAt: number, answeredAt: number): number | undefined {
  const from = Date.parse(typeof date === 'string' ? date : '');
  if (Number.isNaN(from)) return undefined;
  const [least, most] = [from - answeredAt, from + 1_000 - sentAt];
  if (least > 0) return least;
  return Math.min(0, most);
}
