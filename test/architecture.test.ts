// Rules that a test can check: imports, opening comments, ARCHITECTURE.md's map, the lock files.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';

const SOURCES = globSync('{widget,backend-proxy,demo}/**/*.ts').map((file) => file.replaceAll('\\', '/'));

interface Import {
  from: string;
  /** A project path, or a package's name. */
  target: string;
  typeOnly: boolean;
  /** By `import(…)`, for a value or a type. */
  lazy: boolean;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8');
  const statements = text.matchAll(
    /^\s*(?:import|export)\s+(type\s)?(?:[\w*{}\s,$]+?\sfrom\s+)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/gm,
  );
  return [...statements].map(([, typeOnly, fixed, lazy]) => {
    const specifier = fixed ?? lazy ?? '';
    const target = specifier.startsWith('.')
      ? normalize(join(dirname(file), specifier)).replaceAll('\\', '/')
      : specifier;
    return { from: file, target, typeOnly: typeOnly !== undefined, lazy: lazy !== undefined };
  });
}

const IMPORTS = SOURCES.flatMap(importsOf);

/** The ways from the widget's first bundle into the later ones. */
const ENTRIES = ['widget/payment-widget.ts → widget/flow/flow.ts', 'widget/payment-widget.ts → widget/flow/amount.ts'];

/** Import cycles, each as `a → b → a`. Type imports count, because a reader has to follow them as well. */
function circlesIn(imports: readonly Import[]): string[] {
  const targets = Map.groupBy(imports, ({ from }) => from);
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    else if (!done.has(file)) for (const { target } of targets.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return circles;
}

/**
 * Imports between folders that have the same parent, each folder with all that is in it. The files beside them are left
 * out: a parent puts its folders together, and they may use what it shares with all of them.
 */
function betweenSiblings(imports: readonly Import[]): Import[] {
  return imports.flatMap((each) => {
    const [from, target] = [dirname(each.from).split('/'), dirname(each.target).split('/')];
    const depth = from.findIndex((name, at) => name !== target[at]);
    const isBeside = depth >= 0 && target[depth] !== undefined;
    const folderOf = (path: string[]) => path.slice(0, depth + 1).join('/');
    return isBeside ? [{ ...each, from: folderOf(from), target: folderOf(target) }] : [];
  });
}

/** What each folder of the ledger may import of the others; of the files beside them, all may import the two ports. */
const LEDGER: Record<string, readonly string[]> = {
  schema: [],
  rules: ['schema'],
  queries: ['rules', 'schema'],
  sqlite: ['queries', 'schema'],
  postgres: ['queries', 'schema'],
};

function within(...folders: string[]): (path: string) => boolean {
  return (path) => folders.some((folder) => path === folder || path.startsWith(folder));
}

function assertNone(offending: Import[]): void {
  const arrows = offending.map(({ from, target }) => `${from} → ${target}`);
  assert.deepEqual(arrows, []);
}

describe('imports', () => {
  it('the imports that these tests examine are found', () => {
    assert.ok(SOURCES.length > 50, `${SOURCES.length} sources`);
    assert.ok(IMPORTS.some(({ from, target }) => from === 'backend-proxy/app.ts' && target === '@hono/zod-openapi'));
    assert.ok(
      IMPORTS.some(({ from, target }) => from === 'backend-proxy/ledger/connect.ts' && target.endsWith('/postgres.ts')),
    );
  });

  it('protocol/ imports nothing outside itself', () => {
    const inside = within('backend-proxy/protocol/');
    assertNone(IMPORTS.filter(({ from, target }) => inside(from) && !inside(target)));
  });

  it('gateway/ and ledger/ do not import each other', () => {
    const gateway = within('backend-proxy/gateway/');
    const ledger = within('backend-proxy/ledger/');
    assertNone(
      IMPORTS.filter(({ from, target }) => (gateway(from) && ledger(target)) || (ledger(from) && gateway(target))),
    );
  });

  it('only the SQLite files import node:sqlite, and only the PostgreSQL files import pg', () => {
    const proxy = within('backend-proxy/');
    for (const [target, files] of [
      ['node:sqlite', /^backend-proxy\/ledger\/sqlite\/[\w-]+\.ts$/],
      ['pg', /^backend-proxy\/ledger\/postgres\/[\w-]+\.ts$/],
    ] as const) {
      assertNone(IMPORTS.filter((each) => proxy(each.from) && each.target === target && !files.test(each.from)));
    }
  });

  it('use cases import the ports as types only', () => {
    const useCases = within('backend-proxy/use-cases/');
    const ports = within('backend-proxy/gateway/', 'backend-proxy/ledger/');
    assertNone(IMPORTS.filter(({ from, target, typeOnly }) => useCases(from) && ports(target) && !typeOnly));
  });

  it('routes import no adapter, and the ledger as a type only', () => {
    const routes = within('backend-proxy/routes/');
    const adapters = new Set([
      'gateway/http.ts',
      'gateway/profile.ts',
      'ledger/sqlite/sqlite.ts',
      'ledger/postgres/postgres.ts',
    ]);
    assertNone(
      IMPORTS.filter(({ from, target }) => routes(from) && adapters.has(target.replace('backend-proxy/', ''))),
    );
    const ledger = 'backend-proxy/ledger/ledger.ts';
    assertNone(IMPORTS.filter(({ from, target, typeOnly }) => routes(from) && target === ledger && !typeOnly));
  });

  it('the widget imports only lit, its own files and protocol/', () => {
    const widget = within('widget/');
    const build = within('widget/build/');
    const allowed = within('widget/', 'backend-proxy/protocol/', 'lit');
    assertNone(IMPORTS.filter(({ from, target }) => widget(from) && !build(from) && !allowed(target)));
    assertNone(IMPORTS.filter(({ from, target }) => !build(from) && build(target)));
  });

  it('the widget’s first bundle imports each later one only by one import(), apart from types in its entry files', () => {
    const top = SOURCES.filter((file) => dirname(file) === 'widget');
    assert.deepEqual(top.toSorted(), ['widget/index.ts', 'widget/payment-widget.ts']);
    const shell = within('widget/shell/');
    const later = within('widget/flow/');
    assertNone(IMPORTS.filter(({ from, target }) => shell(from) && later(target)));
    const values = IMPORTS.filter(({ from, target, typeOnly }) => top.includes(from) && later(target) && !typeOnly);
    assert.deepEqual([...new Set(values.map(({ from, target }) => `${from} → ${target}`))], ENTRIES);
    assert.ok(values.every(({ lazy }) => lazy));
  });

  it('the widget’s later bundles take Lit and the drawing functions only from flow/provided.ts', () => {
    const flow = within('widget/flow/');
    const others = new Set([
      'lit',
      'widget/shell/choice.ts',
      'widget/shell/choose.ts',
      ...SOURCES.filter((file) => dirname(file) === 'widget'),
    ]);
    assertNone(IMPORTS.filter(({ from, target, typeOnly }) => flow(from) && others.has(target) && !typeOnly));
  });

  it('the sandbox imports nothing of the proxy, the widget or the shop', () => {
    const sandbox = within('demo/sandbox/');
    const others = within('backend-proxy/', 'widget/', 'demo/shop/');
    assertNone(IMPORTS.filter(({ from, target }) => sandbox(from) && others(target)));
  });

  it('the shop imports of the project only the client, which a merchant installs', () => {
    const shop = within('demo/shop/');
    const others = within('backend-proxy/', 'widget/', 'demo/sandbox/', 'demo/themes/');
    const client = 'backend-proxy/client.ts';
    assertNone(IMPORTS.filter(({ from, target }) => shop(from) && others(target) && target !== client));
  });

  it('no imports form a circle, types included', () => {
    const edge = (from: string, target: string) => ({ from, target, typeOnly: true, lazy: false });
    assert.deepEqual(circlesIn([edge('a', 'b'), edge('b', 'c'), edge('c', 'b')]), ['b → c → b']);
    assert.deepEqual(circlesIn(IMPORTS), []);
  });

  it('no folders that are siblings form a circle', () => {
    const edge = (from: string, target: string) => ({ from, target, typeOnly: true, lazy: false });
    const imports = [edge('p/a/b/c.ts', 'p/d/e.ts'), edge('p/d/f.ts', 'p/a/g.ts'), edge('p/a/g.ts', 'p/h.ts')];
    assert.deepEqual(circlesIn(betweenSiblings(imports)), ['p/a → p/d → p/a']);
    assert.deepEqual(circlesIn(betweenSiblings(IMPORTS)), []);
  });

  it('in ledger/, rules know no statements, and the two stores neither each other nor the rules', () => {
    const offending = IMPORTS.filter(({ from, target }) => {
      const [, folder = '', file] = /^backend-proxy\/ledger\/(?:(\w+)\/)?(.+)/.exec(target) ?? [];
      const [, own] = /^backend-proxy\/ledger\/(\w+)\//.exec(from) ?? [];
      if (own === undefined || file === undefined || folder === own) return false;
      return folder === '' ? !['model.ts', 'store.ts'].includes(file) : LEDGER[own]?.includes(folder) !== true;
    });
    assertNone(offending);
    assertNone(
      IMPORTS.filter(({ from, target }) => target === 'kysely' && within('backend-proxy/ledger/rules/')(from)),
    );
  });

  it('in the proxy only installation.ts looks beside itself, because the bundle has no other folders', () => {
    const bundled = SOURCES.filter((file) => within('backend-proxy/')(file));
    const looking = bundled.filter((file) => /import\.meta\b/.test(readFileSync(file, 'utf8')));
    assert.deepEqual(looking, ['backend-proxy/installation.ts']);
  });

  it('only config.ts, main.ts files and the demo read the environment', () => {
    const readers = SOURCES.filter((file) => /process\.env/.test(readFileSync(file, 'utf8')));
    assert.deepEqual(
      readers.filter((file) => !file.endsWith('main.ts') && !file.startsWith('demo/')),
      [],
    );
  });
});

/** The paths of ARCHITECTURE.md's map, a tree by indentation. A line may name several files of one folder. */
const MAP = ((): string[] => {
  const [, tree = ''] = /^## The map$.*?^```$(.*?)^```$/ms.exec(readFileSync('ARCHITECTURE.md', 'utf8')) ?? [];
  const folders: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', names = ''] = /^( *)(\S+(?: \S+)*) {2}/.exec(line) ?? [];
    const depth = indent.length / 2;
    const parent = folders.slice(0, depth).join('');
    if (names.endsWith('/')) folders[depth] = names;
    return names === '' ? [] : names.split(' ').map((name) => parent + name);
  });
})();

describe('files', () => {
  it('every file opens with a comment', () => {
    const silent = SOURCES.filter((file) => !/^(\/\/|\/\*\*)/.test(readFileSync(file, 'utf8')));
    assert.deepEqual(silent, []);
  });

  it('ARCHITECTURE.md names only paths that exist', () => {
    const text = readFileSync('ARCHITECTURE.md', 'utf8');
    const named = [...text.matchAll(/`([\w./-]+(?:\/|\.(?:ts|md)))`/g)].map(([, path = '']) => path);
    const isThere = (path: string) => existsSync(path) || SOURCES.some((file) => file.endsWith(`/${path}`));
    assert.deepEqual([...named.filter((path) => !isThere(path)), ...MAP.filter((path) => !existsSync(path))], []);
  });

  it("ARCHITECTURE.md's map has every folder of sources", () => {
    const folders = [...new Set(SOURCES.map((file) => `${dirname(file)}/`))];
    const unmapped = folders.filter((folder) => !MAP.includes(folder));
    assert.deepEqual(unmapped, []);
  });
});

describe('payment methods and transaction types', () => {
  /** Compared, switched on or searched for, rather than a row of a table or a value that is sent. */
  const CONDITION =
    /(?:[=!]==?\s*|\bcase\s+|\b(?:includes|startsWith)\(\s*)'(?:DIRECT|CHECKOUT|JETGO|QR|PAY|PAYOUT|REFUND|payment|payout|refund)'/;
  /** The same in SQL, where `schema/` alone may name them, for its constraints. */
  const IN_SQL =
    /\b(?:type|method|asked)\s*(?:=|<>|!=|\b(?:not )?in\s*\()\s*'(?:DIRECT|CHECKOUT|JETGO|QR|PAY|PAYOUT|REFUND)'/i;
  const REVERSED = /'(?:DIRECT|CHECKOUT|JETGO|QR|PAY|PAYOUT|REFUND)'\s*[=!]==?/;

  const namesOne = (line: string, isSchema = false) =>
    !line.startsWith('export type ') &&
    (CONDITION.test(line) || REVERSED.test(line) || (!isSchema && IN_SQL.test(line)));

  /** The sandbox's own type guard, written once beside its type: it imports nothing of the proxy. */
  const TYPE_GUARDS = new Set(['demo/sandbox/transaction.ts']);

  it('no condition names a payment method or a transaction type; tables do', () => {
    const found = SOURCES.filter((file) => !TYPE_GUARDS.has(file)).flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, at) =>
          namesOne(line, within('backend-proxy/ledger/schema/')(file)) ? [`${file}:${at + 1} ${line.trim()}`] : [],
        ),
    );
    assert.deepEqual(found, []);
  });
});

it('workflows name each action by its whole digest, with its version beside it', () => {
  const uses = globSync('.github/workflows/*.yml').flatMap((file) => readFileSync(file, 'utf8').match(/uses: .*/g));
  assert.ok(uses.length > 5);
  assert.deepEqual(
    uses.filter((each) => !/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(each ?? '')),
    [],
  );
});

describe('lock files', () => {
  interface Lock {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>;
  }
  const packagesOf = (file: string) => (JSON.parse(readFileSync(file, 'utf8')) as Lock).packages;
  const ofTests = globSync('test/*/package-lock.json').map((file) => file.replaceAll('\\', '/'));

  for (const file of ['package-lock.json', ...ofTests]) {
    it(`${file} has every optional dependency that it names, for every platform`, () => {
      const names = Object.keys(packagesOf(file));
      const missing = Object.entries(packagesOf(file)).flatMap(([owner, { optionalDependencies = {} }]) =>
        Object.keys(optionalDependencies)
          .filter((name) => !names.some((path) => path.endsWith(`node_modules/${name}`)))
          .map((name) => `${name} of ${owner}`),
      );
      assert.deepEqual(missing, []);
    });
  }
});
