// Finds misspelt variables: those that begin like ours and are none of ours, each with the nearest name. They may
// belong to another program, so they are warned of and refuse nothing.

/** Node's own variables begin so. */
const FOREIGN = new Set(['NODE_']);
/** Kubernetes sets these for each service, such as one named "gateway". */
const SERVICE = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;

/** A warning for each variable that no name of `known` has. */
export function misspeltVariables(names: readonly string[], known: readonly string[]): string[] {
  const beginnings = new Set(known.map(beginningOf));
  return names
    .filter((name) => beginnings.has(beginningOf(name)) && !known.includes(name) && !SERVICE.test(name))
    .map((name) => `${name} is no variable of the proxy; the nearest one is ${nearest(name, known)}`);
}

/** Up to the first `_`; a name without one begins like no other. */
function beginningOf(name: string): string {
  const beginning = name.slice(0, name.indexOf('_') + 1);
  return FOREIGN.has(beginning) || beginning === '' ? name : beginning;
}

/** The name of `known` that takes the fewest changes of letters. */
export function nearest(name: string, known: readonly string[]): string {
  const distances = known.map((each) => ({ each, distance: editDistance(name, each) }));
  return distances.reduce((best, next) => (next.distance < best.distance ? next : best)).each;
}

/** How many letters have to be added, removed, replaced or swapped with the next. */
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
