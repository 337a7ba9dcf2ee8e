// A transaction of several statements on one connection.
import { createHash } from 'node:crypto';
import { BEGIN, type Connection } from './connection.ts';

/**
 * Within a transaction: behind a pooler, because the settings hold nowhere else, and for a wallet: its lock
 * serializes the counting of prompts.
 */
export async function inTransaction<T>(
  on: Connection,
  wallet: string | undefined,
  work: (commit: () => Promise<void>) => Promise<T>,
): Promise<T> {
  await on.runSimple(wallet === undefined ? BEGIN : `${BEGIN}; select pg_advisory_xact_lock(${lockOf(wallet)})`);
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
