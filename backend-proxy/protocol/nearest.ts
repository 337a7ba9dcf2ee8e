// The known name that a misspelled one is most likely meant to be.

/** The name in `known` that needs the fewest changes of letters. */
export function nearest(name: string, known: readonly string[]): string {
  const distances = known.map((each) => ({ each, distance: editDistance(name, each) }));
  return distances.reduce((best, next) => (next.distance < best.distance ? next : best)).each;
}

/** How many letters must be added, removed, replaced or swapped with the next one. */
export function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      next[column] = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[column - 2] ?? Infinity) + 1 : Infinity,
      );
    }
    [before, last] = [last, next];
  }
  return last[to.length] ?? 0;
}
