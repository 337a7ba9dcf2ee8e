// The ledger on SQLite: the contract.
import { DatabaseSync } from 'node:sqlite';
import { connectDatabase } from '../../../../backend-proxy/ledger/connect.ts';
import { createLedger } from '../../../../backend-proxy/ledger/ledger.ts';
import { ledgerContract } from '../contract/contract.ts';
import { writeEmptyDatabase } from '../empty-database.ts';
import { die, temporaryFile } from './sqlite-kit.ts';

ledgerContract({
  name: 'SQLite',
  runs: 40,
  async openDatabase(t) {
    const file = temporaryFile(t);
    await writeEmptyDatabase(file);
    return {
      async open(options) {
        const ledger = createLedger(await connectDatabase(`file:${file}`, die), options);
        t.after(() => ledger.close());
        return ledger;
      },
      rows: async <Row>(text: string) => {
        const database = new DatabaseSync(file, { readOnly: true });
        const rows = database.prepare(text).all();
        database.close();
        return rows.map((row) => ({ ...row }) as Row);
      },
      async change(text) {
        const database = new DatabaseSync(file, { timeout: 5_000 });
        database.exec(text);
        database.close();
      },
    };
  },
});
