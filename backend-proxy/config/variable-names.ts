// Finds misspelled variables: those that begin like ours but are not ours, each with the nearest name. They may belong
// to another program, so they only cause a warning.
import { nearest } from '../protocol/nearest.ts';

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
