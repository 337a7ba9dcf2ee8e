// The recipes of CONTRIBUTING.md, followed on a copy of the sources: the compiler and the tests name the files that a
// recipe lists and no others, and after its steps both are content.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { connectDatabase } from '../../backend-proxy/ledger/connect.ts';
import { raise } from '../backend-proxy/ledger/order-writes.ts';
import german from '../../widget/locales/de.ts';

const COPIED = ['widget', 'backend-proxy', 'demo', 'docs', 'test', 'tsconfig.json', 'package.json', '.env.example'];
const TSC = resolve('node_modules/typescript/bin/tsc');

interface Ended {
  code: number;
  output: string;
}

function run(cwd: string, args: string[]): Promise<Ended> {
  // With NODE_TEST_CONTEXT a test runner reports to the one that runs this file.
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, NODE_COMPILE_CACHE: join(cwd, 'compiled') };
  return new Promise((done) => {
    execFile(process.execPath, args, { cwd, env }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : 1, output: stdout + stderr });
    });
  });
}

class Copy {
  readonly folder = mkdtempSync(join(tmpdir(), 'recipe-'));

  /** With the folders that the compiler reads: without the tests, of which no recipe promises how many it concerns. */
  constructor(t: TestContext, include: readonly string[] = []) {
    t.after(() => rmSync(this.folder, { recursive: true, force: true }));
    const filter = (path: string) => !path.endsWith('node_modules');
    for (const name of COPIED) cpSync(name, join(this.folder, name), { recursive: true, filter });
    symlinkSync(resolve('node_modules'), join(this.folder, 'node_modules'), 'junction');
    this.write('tsconfig.sources.json', JSON.stringify({ extends: './tsconfig.json', include }));
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.folder, path), text);
  }

  /** Replaces a text that is in the file. */
  edit(path: string, find: string | RegExp, put: string): void {
    const before = this.read(path);
    const after = before.replace(find, put);
    assert.notEqual(after, before, `${path} has no ${find}`);
    this.write(path, after);
  }

  /** The files in which the compiler finds an error that says this. */
  async named(error: RegExp = /error/): Promise<string[]> {
    const kept = ['--incremental', '--tsBuildInfoFile', 'types.tsbuildinfo'];
    const args = [TSC, '--pretty', 'false', '-p', 'tsconfig.sources.json', ...kept];
    const { output, code } = await run(this.folder, args);
    const lines = output.split('\n').filter((line) => /^\S.*error TS/.test(line));
    assert.equal(lines.length > 0, code !== 0, output);
    const files = lines.filter((line) => error.test(line)).map((line) => line.split('(')[0] ?? '');
    return [...new Set(files)].toSorted();
  }

  /** The tests of a file that fail. */
  async failing(file: string): Promise<string[]> {
    const { output, code } = await run(this.folder, ['--test-reporter=tap', file]);
    const tests = output.matchAll(/^( *)not ok \d+ - (.*)\n\1  ---\n(?:\1  .*\n)*?\1  type: 'test'/gm);
    const names = [...tests].map(([, , name = '']) => name);
    assert.equal(names.length > 0, code !== 0, output);
    return names;
  }
}

/** The files that a step of a recipe lists. */
function filesOf(recipe: string, step: number): string[] {
  const [, text = ''] = new RegExp(`^### ${recipe}$(.*?)^##`, 'ms').exec(readFileSync('CONTRIBUTING.md', 'utf8')) ?? [];
  const [, listed = ''] = new RegExp(`^${step}\\. (.*?)(?=^\\d\\. |$(?![^]))`, 'ms').exec(text) ?? [];
  return [...listed.matchAll(/`([\w/.-]+\/[\w.-]+\.(?:ts|md|yaml))`/g)].map(([, path = '']) => path).toSorted();
}

describe('the recipe for a payment method', () => {
  /** A row of the new method in each table of a file, as QR has it. */
  function addRows(copy: Copy, path: string): void {
    copy.write(path, copy.read(path).replaceAll(/^( +)QR(|_help): (.*)$/gm, '$&\n$1BNPL$2: $3'));
  }

  const HAS_NO_ROW = /'BNPL\w*' is missing|missing the following properties.*\bBNPL\b/;
  const add = (copy: Copy, path: string) => copy.edit(path, "'QR'] as const", "'QR', 'BNPL'] as const");

  it('the compiler names the tables that the recipe for a payment method lists, and then nothing', async (t) => {
    const copy = new Copy(t, ['widget', 'backend-proxy', 'demo']);
    const [wire = '', ...others] = filesOf('A payment method', 1);
    assert.deepEqual(others, []);
    const sandbox = filesOf('A payment method', 4);
    for (const path of [wire, ...sandbox]) add(copy, path);
    const tables = [...filesOf('A payment method', 2), ...sandbox];
    const english = filesOf('A payment method', 3);
    assert.deepEqual(english, ['widget/locales/en-flow.ts', 'widget/locales/en.ts']);
    for (const path of english) addRows(copy, path);
    const dictionaries = globSync('widget/locales/*.ts').filter((path) => !/\/en(-\w+)?\.ts$/.test(path));
    const named = await copy.named(HAS_NO_ROW);
    assert.deepEqual(named, [...tables, ...dictionaries].toSorted());
    for (const path of named) addRows(copy, path);
    assert.deepEqual(await copy.named(), []);
  });

  it('the tests of the manifest miss a new payment method in the doc tags and the documents', async (t) => {
    const copy = new Copy(t);
    add(copy, 'backend-proxy/protocol/wire.ts');
    for (const path of filesOf('A payment method', 2)) addRows(copy, path);
    const [page, tags, test] = ['docs/element.md', 'widget/payment-widget.ts', 'test/widget/manifest.test.ts'];
    for (const path of [page, tags, test]) assert.ok(filesOf('A payment method', 5).includes(path), path);
    assert.notDeepEqual(await copy.failing(test), []);
    copy.edit(tags, 'JETGO|QR} method', 'JETGO|QR|BNPL} method');
    copy.edit(tags, / \* @slot icon-QR - (.*)QR(.*)\n/, '$& * @slot icon-BNPL - $1BNPL$2\n');
    assert.notDeepEqual(await copy.failing(test), []);
    copy.edit(page, '`icon-QR`', '`icon-QR`, `icon-BNPL`');
    assert.deepEqual(await copy.failing(test), []);
  });
});

describe('the recipe for a language', () => {
  const [dictionary, loaders, page] = ['widget/locales/sq.ts', 'widget/shell/language.ts', 'docs/element.md'];
  const glossaries = 'test/widget/glossaries.yaml';
  /** German with a letter that is not German behind each text, and the names as they are. */
  const texts = Object.entries(german).map(([key, text]) => [key, key === 'JETGO' ? text : `${text} ë`]);
  const written = (all: string[][]) =>
    `import type { Messages } from './en.ts';\n\nexport default ${JSON.stringify(Object.fromEntries(all))} satisfies Messages;\n`;

  it('the compiler and the tests name the places that the recipe for a language lists, and then nothing', async (t) => {
    const copy = new Copy(t, ['widget']);
    const tests = ['locales', 'locales-glossary', 'language'].map((name) => `test/widget/${name}.test.ts`);
    tests.push('test/docs.test.ts');
    const failing = async () =>
      (await Promise.all(tests.map((file) => copy.failing(file)))).map(({ length }) => length > 0);
    copy.write(dictionary, written(texts.slice(1)));
    assert.deepEqual(await copy.named(/'choose' is missing/), [dictionary]);
    copy.write(dictionary, written(texts));
    assert.ok(filesOf('A language', 2).includes(loaders));
    assert.deepEqual(await failing(), [true, false, false, false]);
    copy.edit(loaders, /^ {2}sr: /m, "  sq: () => import('../locales/sq.ts'),\n$&");
    assert.deepEqual(await copy.named(), []);
    assert.ok(filesOf('A language', 1).includes(glossaries));
    assert.ok(filesOf('A language', 3).includes(page));
    assert.deepEqual(await failing(), [false, true, false, true]);
    const [ofGerman = ''] = /^de:\n.*?(?=\n\n)/ms.exec(copy.read(glossaries)) ?? [];
    copy.write(glossaries, `${copy.read(glossaries)}\n${ofGerman.replace('de:', 'sq:')}\n`);
    const count = Number(/one of (\d+)/.exec(copy.read(page))?.[1]);
    copy.edit(page, `one of ${count}`, `one of ${count + 1}`);
    assert.deepEqual(await failing(), [false, false, false, false]);
  });
});

it('the compiler refuses a webhook that WEBHOOKS lacks, and a test one that docs/api.md lacks', async (t) => {
  const copy = new Copy(t, ['backend-proxy']);
  const [table = ''] = filesOf('A webhook', 1);
  const [transitions = ''] = filesOf('A webhook', 2);
  const [resolution = '', sample = ''] = filesOf('A webhook', 3);
  const [page = '', test = ''] = filesOf('A webhook', 4);
  copy.edit(transitions, '`payment.${flagged}`);', "'payment.refunded');");
  assert.deepEqual(await copy.named(), [transitions]);
  copy.edit(table, "  'payment.surplus':", "  'payment.refunded': 'The money went back to the customer',\n$&");
  assert.deepEqual(await copy.named(), [resolution, sample]);
  copy.edit(resolution, "  'payment.surplus':", "  'payment.refunded': () => 'It counts as sent back.',\n$&");
  copy.edit(
    sample,
    '  surplus: {',
    "  refunded: { is: {}, event: { event: 'surplus', source: 'check', detail: null } },\n$&",
  );
  assert.deepEqual(await copy.named(), []);
  assert.equal((await copy.failing(test)).length, 1);
  copy.edit(page, '- `payment.surplus`:', '- `payment.refunded`: The money went back to the customer.\n$&');
  assert.deepEqual(await copy.failing(test), []);
});

describe('the recipe for a change of a table', () => {
  const [steps = ''] = filesOf('A change of a table', 1);
  const tables = 'backend-proxy/ledger/schema/tables.ts';

  function withStep(t: TestContext): Copy {
    const copy = new Copy(t, ['backend-proxy']);
    const change = 'alter table orders add column example integer not null default 7';
    const step = `{ oldest: 1, statements: () => ['${change}'] }`;
    copy.edit(steps, /^(export const STEPS[^;]*)\];$/ms, `$1, ${step}];`);
    return copy;
  }

  /** Opens the database with the copy's sources. */
  const open = (copy: Copy, file: string) =>
    run(copy.folder, [
      '-e',
      `import(${JSON.stringify(pathToFileURL(join(copy.folder, 'backend-proxy/ledger/connect.ts')).href)})
        .then(({ connectDatabase }) => connectDatabase(${JSON.stringify(`file:${file}`)}, (error) => { throw error; }))
        .then((store) => store.close())`,
    ]);

  const examples = (file: string) => {
    const database = new DatabaseSync(file, { readOnly: true });
    const rows = database.prepare('select order_id, example from orders').all();
    database.close();
    return rows.map((row) => ({ ...row }));
  };

  it('a step at the end is made on an empty database and on one of the version before', async (t) => {
    const copy = withStep(t);
    const [empty, earlier] = [join(copy.folder, 'empty.db'), join(copy.folder, 'earlier.db')];
    const store = await connectDatabase(`file:${earlier}`, (error) => assert.fail(String(error)));
    await raise(store, 'A');
    await store.close();
    for (const [file, rows] of [
      [empty, []],
      [earlier, [{ order_id: 'A', example: 7 }]],
    ] as const) {
      assert.deepEqual(await open(copy, file), { code: 0, output: '' });
      assert.deepEqual(examples(file), rows);
    }
  });

  it('the compiler names each place that makes a row without a new column', async (t) => {
    const copy = withStep(t);
    copy.edit(tables, 'interface OrderRow {\n', '$&  example: number;\n');
    assert.deepEqual([...(await copy.named()), tables].toSorted(), filesOf('A change of a table', 2));
  });
});
