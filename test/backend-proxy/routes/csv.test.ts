// CSV as spreadsheets and other programs read it.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { csvLine, type Cell } from '../../../backend-proxy/routes/merchant-schemas.ts';

const unguarded = (cell: string) => cell.replace(/^'/, '');
const TEXTS = ['', 'plain', 'a,b', 'say "hi"', 'two\nlines', 'two\r\nlines', ' padded ', 'ünï', '1.50', '-'.repeat(3)];

it('csvLine() writes lines that a CSV reader reads back, whatever their cells contain', () => {
  const rows: Cell[][] = [TEXTS, [1, 2.5, true, false, null, ...TEXTS.slice(5)]];
  const read = parse(rows.map(csvLine).join(''), { record_delimiter: '\r\n' });
  assert.deepEqual(
    read.map((row) => row.map(unguarded)),
    rows.map((row) => row.map((cell) => (cell === null ? '' : String(cell)))),
  );
});

it('a cell with a separator of any spreadsheet is quoted', () => {
  assert.equal(csvLine(['x;=1+1', 'x\t=1', 'plain']), '"x;=1+1","x\t=1",plain\r\n');
});

it('no cell of csvLine() begins like a formula, and its text is what follows the apostrophe', () => {
  for (const text of [
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    "'=1",
    "'",
    '\n=1',
    '＝1+1',
    '＋1',
    '－1',
    '＠SUM(A1)',
    '=HYPERLINK("http://evil.example")',
  ]) {
    const [row] = parse(csvLine([text, 'next']), { record_delimiter: '\r\n' });
    const [cell = ''] = row ?? [];
    assert.match(cell, /^'/);
    assert.equal(unguarded(cell), text);
  }
});
