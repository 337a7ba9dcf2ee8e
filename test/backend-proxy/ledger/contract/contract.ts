// The contract of the ledger: one suite, by subject, that each adapter's test runs. It uses only the port, and reads
// the database only if the promise is about what is stored. Shared parts are in ledger-kit.ts.
import { it } from 'node:test';
import { ownerContract, databaseContract } from './database.ts';
import { unknownContract, checksContract } from './checks.ts';
import { factsContract } from './facts.ts';
import { createContract } from './create.ts';
import { countsContract, listsContract } from './lists.ts';
import { ipnsContract } from './ipns.ts';
import { webhooksContract } from './webhooks.ts';
import { reportsContract, duplicatesContract } from './duplicates.ts';
import { refundsContract } from './refunds.ts';
import { resolveContract } from './resolve.ts';
import { settleContract } from './settle.ts';
import { erasingContract } from './erasing.ts';
import { timeContract } from './time.ts';
import { closingContract, limitsContract } from './limits.ts';
import { createSetup, type Adapter, type Suite } from '../ledger-kit.ts';

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
  reportsContract(suite);
  resolveContract(suite);
  closingContract(suite);
  refundsContract(suite);
  settleContract(suite);
  timeContract(suite);
  limitsContract(suite);
  ownerContract(suite);
  databaseContract(suite);
  listsContract(suite);
  countsContract(suite);
  erasingContract(suite);
}
