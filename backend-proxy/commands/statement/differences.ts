// Where a statement and the proxy differ, and what to do about it; as a line of text or of CSV.
import { csvLine } from '../../reports/csv.ts';
import { decimalOf } from '../../protocol/money.ts';
import { printable } from '../report.ts';
import type { Recorded } from './recorded.ts';
import type { Pair } from './pairs.ts';
import type { Outcome, StatementLine } from './lines.ts';

export interface Difference {
  /** `not looked up`: the proxy was not asked for it, so nobody knows whether it is missing. */
  kind: 'missing here' | 'not looked up' | 'missing there' | 'twice' | 'amount' | 'currency' | 'type' | 'status';
  here: Recorded | undefined;
  there: StatementLine | undefined;
  remedy: string;
}

const SUPPORT = "ask the gateway's support";

const REMEDIES: Record<Exclude<Difference['kind'], 'status'>, string> = {
  'missing here': `not started by this proxy: another shop on the account, or a lost row (GET /ipns); ${SUPPORT}`,
  'not looked up': 'perhaps older than the period, not looked up: search GET /transactions for it',
  'missing there': `check the period of the statement, then ${SUPPORT}`,
  twice: `the statement has this id more than once; ${SUPPORT}`,
  amount: SUPPORT,
  currency: SUPPORT,
  type: SUPPORT,
};

const WAIT = 'the proxy goes on asking the gateway; if it needs review, resolve it';
/** Here, then there. */
const STATUS_REMEDIES: Record<Outcome, Partial<Record<Outcome, string>>> = {
  SUCCESS: {
    PENDING: 'the gateway has not settled it yet: look into the next statement',
    FAILED: `do not send goods for it again; ${SUPPORT}`,
  },
  FAILED: {
    SUCCESS: `money moved for a transaction reported as FAILED; ${SUPPORT}`,
    PENDING: `it may still move money; ${SUPPORT}`,
  },
  PENDING: { SUCCESS: WAIT, FAILED: WAIT },
};

/** A line may differ in several ways. `isSearched`: the proxy was asked for a line that it lacks. */
export function* differencesOf({ there, here, repeats }: Pair, isSearched: boolean): Generator<Difference> {
  const difference = (kind: keyof typeof REMEDIES) => ({ kind, here, there, remedy: REMEDIES[kind] });
  if (repeats > 0) yield difference('twice');
  if (here === undefined) {
    yield difference(isSearched ? 'missing here' : 'not looked up');
    return;
  }
  if (here.currency !== there.currency) yield difference('currency');
  else if (here.amountMinor !== there.amountMinor) yield difference('amount');
  if (there.type !== null && here.type !== there.type) yield difference('type');
  if (here.outcome === there.outcome) return;
  yield { kind: 'status', here, there, remedy: STATUS_REMEDIES[here.outcome][there.outcome] ?? SUPPORT };
}

export function missingThere(here: Recorded): Difference {
  return { kind: 'missing there', here, there: undefined, remedy: REMEDIES['missing there'] };
}

const SIDE = ['Amount', 'Currency', 'Status', 'Type'];
export const CSV_HEADER = `difference,id,line,${SIDE.map((name) => `here${name}`).join()},${SIDE.map((name) => `there${name}`).join()},remedy`;

/** As it is printed; `asCsv`: a line of CSV below `CSV_HEADER`. */
export function lineOf({ kind, here, there, remedy }: Difference, asCsv: boolean): string {
  const id = here?.id ?? there?.key ?? '';
  const [ours, theirs] = [cellsOf(here), cellsOf(there)];
  if (asCsv) return printable(csvLine([kind, id, there?.line ?? null, ...ours, ...theirs, remedy]).trimEnd());
  const textOf = (cells: readonly (string | null)[]) => cells.filter((cell) => cell !== null).join(' ') || '–';
  const line = there === undefined ? '' : ` (line ${there.line})`;
  return printable(`${kind.padEnd(13)} ${id}: here ${textOf(ours)}, there ${textOf(theirs)}${line} -> ${remedy}`);
}

function cellsOf(side: Recorded | StatementLine | undefined): (string | null)[] {
  if (side === undefined) return SIDE.map(() => null);
  return [decimalOf(side.amountMinor, side.currency), side.currency, side.outcome, side.type];
}
