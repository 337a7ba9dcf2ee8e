// Counts what a database of the proxy or of a floor has stored. Both have tables with these names, and each request of
// the load adds one row, because every order and every IPN is new.
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

export interface Stored {
  transactions: number;
  ipns: number;
}

const COUNTS = 'select (select count(*) from transactions) as transactions, (select count(*) from ipns) as ipns';

/** `database` is a URL as in DATABASE_URL. */
export async function countStored(database: string): Promise<Stored> {
  if (database.startsWith('file:')) {
    const file = new DatabaseSync(database.slice('file:'.length), { readOnly: true });
    const row = file.prepare(COUNTS).get() as unknown as Stored;
    file.close();
    return { transactions: row.transactions, ipns: row.ipns };
  }
  const client = new Client({ connectionString: database });
  await client.connect();
  try {
    const { rows } = await client.query<Record<keyof Stored, string>>(COUNTS);
    return { transactions: Number(rows[0]?.transactions), ipns: Number(rows[0]?.ipns) };
  } finally {
    await client.end();
  }
}
