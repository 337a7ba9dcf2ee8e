// Where a statement and the proxy differ, and what to do about it.
import { csvLine } from '../reports/csv.ts';
import { decimalOf } from '../protocol/money.ts';
import type { Booked } from './books.ts';
import type { Pair } from './comparison.ts';
import type { Outcome, StatementLine } from './statement.ts';

export interface Difference {
  kind: 'missing here' | 'missing there' | 'twice' | 'amount' | 'currency' | 'type' | 'status';
  id: string;
  here: Booked | undefined;
  there: StatementLine | undefined;
  remedy: string;
}

const SUPPORT = "ask the gateway's support";

const REMEDIES: Record<Exclude<Difference['kind'], 'status'>, string> = {
  'missing here': `not started by this proxy: another shop on the account, or a lost row (GET /ipns); ${SUPPORT}`,
  'missing there': `check the period of the statement, then ${SUPPORT}`,
  twice: `the statement has this id more than once; ${SUPPORT}`,
  amount: SUPPORT,
  currency: SUPPORT,
  type: SUPPORT,
};

const WAIT = 'the proxy goes on asking the gateway; if it needs review, resolve it';
const STATUS: Record<Outcome, Partial<Record<Outcome, string>>> = {
  SUCCESS: {
    PENDING: 'the gateway has not settled it yet: look into the next statement',
    FAILED: `do not send the goods again on it; ${SUPPORT}`,
  },
  FAILED: {
    SUCCESS: `money has moved for what was told as FAILED; ${SUPPORT}`,
    PENDING: `it may still move money; ${SUPPORT}`,
  },
  PENDING: { SUCCESS: WAIT, FAILED: WAIT },
};

/** A line may differ in several ways. */
export function* differencesOf({ there, here, repeats }: Pair): Generator<Difference> {
  const difference = (kind: Difference['kind'], remedy: string): Difference => ({
    kind,
    id: here?.id ?? there.key,
    here,
    there,
    remedy,
  });
  if (repeats > 0) yield difference('twice', REMEDIES.twice);
  if (here === undefined) {
    yield difference('missing here', REMEDIES['missing here']);
    return;
  }
  if (here.currency !== there.currency) yield difference('currency', REMEDIES.currency);
  else if (here.amountMinor !== there.amountMinor) yield difference('amount', REMEDIES.amount);
  if (there.type !== null && here.type !== there.type) yield difference('type', REMEDIES.type);
  if (here.outcome !== there.outcome) yield difference('status', STATUS[here.outcome][there.outcome] ?? SUPPORT);
}

export function missingThere(here: Booked): Difference {
  return { kind: 'missing there', id: here.id, here, there: undefined, remedy: REMEDIES['missing there'] };
}

export function textOf({ kind, id, here, there, remedy }: Difference): string {
  const side = (each: Booked | StatementLine | undefined) =>
    each === undefined
      ? '–'
      : `${decimalOf(each.amountMinor, each.currency)} ${each.currency} ${each.outcome}${each.type === null ? '' : ` ${each.type}`}`;
  const line = there === undefined ? '' : ` (line ${there.line})`;
  return `${kind.padEnd(13)} ${id}: here ${side(here)}, there ${side(there)}${line} -> ${remedy}`;
}

export const CSV_HEADER = csvLine([
  'difference',
  'id',
  'line',
  ...['here', 'there'].flatMap((side) => ['Amount', 'Currency', 'Status', 'Type'].map((name) => side + name)),
  'remedy',
]).trimEnd();

export function csvOf({ kind, id, here, there, remedy }: Difference): string {
  const side = (each: Booked | StatementLine | undefined) =>
    each === undefined
      ? [null, null, null, null]
      : [decimalOf(each.amountMinor, each.currency), each.currency, each.outcome, each.type];
  return csvLine([kind, id, there?.line ?? null, ...side(here), ...side(there), remedy]).trimEnd();
}
