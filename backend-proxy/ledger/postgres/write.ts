// One write on PostgreSQL, and a transaction of several statements on one connection.
// A write loads, decides and saves, and begins again if a loaded row has changed meanwhile. If the answer to a save was
// lost, it looks whether the save was made, and only then decides again.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal, unavailable } from '../../errors.ts';
import type { Changes, Decision, Loaded, Subject } from '../store.ts';
import { codeOf, isBroken, isOutcomeUnknown, isRepeatable, type Connection, type Connections } from './connection.ts';
import { CONFIRM, isSaved, loadStatement, saveStatement, toLoaded, type LoadedRow, type Versions } from './rows.ts';

/** Each conflict means that another write of the same rows succeeded. */
const MAX_CONFLICTS = 200;
/** After so many conflicts a write waits up to this long, at random. */
const PATIENT_AFTER = 3;
const CONFLICT_WAIT_MS = 20;
/** How often a statement runs that the database asks to run again. */
export const MAX_ERRORS = 5;
/** How long a write tries to find out what became of a save whose answer was lost. */
const LOST_LIMIT_MS = 10_000;
const LOST_WAIT_MS = { first: 50, longest: 1_000 };
const UNIQUE_VIOLATION = '23505';

type Decide<T> = (loaded: Loaded, taken: ReadonlySet<string>) => Decision<T>;

export class Write<T> {
  readonly #subject: Subject;
  readonly #decide: Decide<T>;
  /** Its prompts are counted under a lock. */
  readonly #wallet: string | undefined;
  /** Ids of new transactions that turned out to be in use. */
  readonly #taken = new Set<string>();
  /** Saves whose answer was lost, and when the first one was. */
  readonly #lost: Decision<T>[] = [];
  #lostAt: number | undefined;
  #lostWaitMs = LOST_WAIT_MS.first;
  #errors = 0;
  /** What the current attempt waits for. */
  #step: 'a connection' | 'the rows' | 'the save' = 'a connection';

  constructor(subject: Subject, decide: Decide<T>) {
    this.#subject = subject;
    this.#decide = decide;
    this.#wallet = 'prompts' in subject ? subject.prompts?.customer : undefined;
  }

  async run(connections: Connections): Promise<T> {
    const attempt = () => {
      this.#step = 'a connection';
      return connections.use((on) => this.#attemptOn(on));
    };
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
      if (conflicts > PATIENT_AFTER) await sleep(Math.random() * CONFLICT_WAIT_MS);
      try {
        const decision = await attempt();
        if (decision !== undefined) return decision.result;
      } catch (error) {
        await this.#waitOrThrow(error);
      }
    }
    throw unavailable(new Error('Other writes of the same order came first each time'));
  }

  #attemptOn(on: Connection): Promise<Decision<T> | undefined> {
    this.#step = 'the rows';
    if (this.#wallet === undefined && !on.isPooled) return this.#attempt(on);
    return inTransaction(on, this.#wallet, (commit) => this.#attempt(on, commit));
  }

  /** Undefined if a loaded row has changed meanwhile. `commit` ends the transaction around it, if there is one. */
  async #attempt(on: Connection, commit?: () => Promise<void>): Promise<Decision<T> | undefined> {
    const versions: Versions = new WeakMap();
    const loaded = await loadOn(on, this.#subject, versions);
    this.#step = 'the save';
    const done = this.#lost.find(({ changes }) => isSaved(changes, loaded));
    const decision = done ?? this.#decide(loaded, this.#taken);
    if (decision === done || isEmpty(decision.changes)) {
      if (this.#lost.length > 0) await on.run(CONFIRM);
      await commit?.();
      return decision;
    }
    try {
      const [row] = await on.run<{ saved: boolean }>(saveStatement(decision.changes, versions));
      await commit?.();
      return row?.saved === true ? decision : undefined;
    } catch (error) {
      this.#learnFrom(error, decision);
      throw error;
    }
  }

  #learnFrom(error: unknown, decision: Decision<T>): void {
    if (isIdTaken(error)) {
      const added = decision.changes.transactions.filter(({ before }) => before === undefined);
      for (const { after } of added) this.#taken.add(after.id);
    } else if (isOutcomeUnknown(error)) {
      this.#lost.push(decision);
      this.#lostAt ??= performance.now();
    }
  }

  /** Returns when it may be tried again. */
  async #waitOrThrow(error: unknown): Promise<void> {
    if (error instanceof Refusal) throw error;
    if (codeOf(error) === UNIQUE_VIOLATION) return;
    if (this.#lostAt !== undefined && performance.now() - this.#lostAt < LOST_LIMIT_MS) {
      await sleep(this.#lostWaitMs);
      this.#lostWaitMs = Math.min(this.#lostWaitMs * 2, LOST_WAIT_MS.longest);
      return;
    }
    this.#errors += 1;
    const hasWrittenNothing = isRepeatable(error) || (this.#step === 'the rows' && isBroken(error));
    const mayRepeat = this.#lostAt === undefined && hasWrittenNothing && this.#errors < MAX_ERRORS;
    if (!mayRepeat) throw unavailable(error, this.#lostAt !== undefined);
  }
}

export async function loadOn({ run }: Connection, subject: Subject, versions: Versions): Promise<Loaded> {
  return toLoaded(subject, await run<LoadedRow>(loadStatement(subject)), versions);
}

function isEmpty({ orders, transactions, history, webhooks, ipn }: Changes): boolean {
  return orders.length + transactions.length + history.length + webhooks.length === 0 && ipn === undefined;
}

/** Whether a row with the id of a new transaction exists. */
function isIdTaken(error: unknown): boolean {
  const constraint = error instanceof Error && 'constraint' in error ? error.constraint : undefined;
  return codeOf(error) === UNIQUE_VIOLATION && constraint === 'transactions_pkey';
}

// A transaction of several statements on one connection.

/**
 * Within a transaction: behind a pooler, because the settings hold nowhere else, and for a wallet: its lock
 * serializes the counting of prompts.
 */
export async function inTransaction<T>(
  on: Connection,
  wallet: string | undefined,
  work: (commit: () => Promise<void>) => Promise<T>,
): Promise<T> {
  await on.begin(wallet === undefined ? '' : `; select pg_advisory_xact_lock(${lockOf(wallet)})`);
  try {
    return await work(() => on.runSimple('commit'));
  } finally {
    // Nothing to roll back after the commit. If this fails, the connection is not used again.
    if (on.isInTransaction()) await on.runSimple('rollback').catch(() => undefined);
  }
}

/** A 48-bit number for the wallet. */
function lockOf(wallet: string): number {
  return createHash('sha256').update(wallet).digest().readUIntBE(0, 6);
}
