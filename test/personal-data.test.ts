// docs/personal-data.md names every column of the database, and no other.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { writeEmptyDatabase } from './backend-proxy/ledger/empty-database.ts';
import { temporaryFolder } from './temporary-folder.ts';

it('docs/personal-data.md says of every column of the database, once, whether it holds personal data', async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'payments.db');
  await writeEmptyDatabase(file);
  const database = new DatabaseSync(file, { readOnly: true });
  t.after(() => database.close());
  const columns = database
    .prepare(
      `select t.name || '.' || c.name as name from pragma_table_list t, pragma_table_info(t.name) c
        where t.type = 'table' and t.name not like 'sqlite!_%' escape '!' order by 1`,
    )
    .all()
    .map(({ name }) => String(name));
  assert.ok(columns.length > 70, `${columns.length} columns`);
  const page = /^## In the database$(.*?)^### /ms.exec(readFileSync('docs/personal-data.md', 'utf8'))?.[1] ?? '';
  const named = [...page.matchAll(/`(\w+\.\w+)`/g)].map(([, name = '']) => name);
  assert.deepEqual(named.toSorted(), columns.toSorted());
});
