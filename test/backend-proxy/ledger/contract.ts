// The contract of the ledger: one suite, by subject, that each adapter's test runs. It uses only the port, and reads
// the database only if the promise is about what is stored. Shared parts are in ledger-kit.ts.
import { it } from 'node:test';
import { databaseContract } from './contract-database.ts';
import { checksContract } from './contract-checks.ts';
import { factsContract } from './contract-facts.ts';
import { createContract } from './contract-create.ts';
import { countsContract } from './contract-counts.ts';
import { listsContract } from './contract-lists.ts';
import { ipnsContract } from './contract-ipns.ts';
import { webhooksContract } from './contract-webhooks.ts';
import { unknownContract } from './contract-unknown.ts';
import { duplicatesContract } from './contract-duplicates.ts';
import { resolveContract } from './contract-resolve.ts';
import { erasingContract } from './contract-erasing.ts';
import { timeContract } from './contract-time.ts';
import { limitsContract } from './contract-limits.ts';
import { ownerContract } from './contract-owner.ts';
import { createSetup, type Adapter, type Suite } from './ledger-kit.ts';

export function ledgerContract({ name, runs, openDatabase }: Adapter): void {
  const suite: Suite = {
    it: (title, body) => void it(`${name}: ${title}`, body),
    runs,
    setUp: async (t, opening = {}) => createSetup(await openDatabase(t), opening),
  };
  createContract(suite);
  factsContract(suite);
  checksContract(suite);
  ipnsContract(suite);
  webhooksContract(suite);
  unknownContract(suite);
  duplicatesContract(suite);
  resolveContract(suite);
  timeContract(suite);
  limitsContract(suite);
  ownerContract(suite);
  databaseContract(suite);
  listsContract(suite);
  countsContract(suite);
  erasingContract(suite);
}
