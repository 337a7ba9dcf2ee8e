// Finds misspelled variables: those that begin like ours but are not ours, each with the nearest name. They may belong
// to another program, so they only cause a warning.

/** The beginning of Node's own variables. */
const FOREIGN = new Set(['NODE_']);
/** Kubernetes sets these for each service, such as one named "gateway". */
const SERVICE = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;

/** A warning for each variable that is not in `known`. */
export function misspelledVariables(names: readonly string[], known: readonly string[]): string[] {
  const beginnings = new Set(known.map(beginningOf));
  return names
    .filter((name) => beginnings.has(beginningOf(name)) && !known.includes(name) && !SERVICE.test(name))
    .map((name) => `${name} is no variable of the proxy; the nearest one is ${nearest(name, known)}`);
}

/** The part before the first `_`; a name without one has no beginning in common with others. */
function beginningOf(name: string): string {
  const beginning = name.slice(0, name.indexOf('_') + 1);
  return FOREIGN.has(beginning) || beginning === '' ? name : beginning;
}

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
