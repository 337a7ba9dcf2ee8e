// Compares the lists in docs/ with the code: variables, routes, claims, errors, webhooks, metrics, log events,
// languages, attacks. test/widget/manifest.test.ts does so for the element's attributes, events, slots and parts.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import { dirname, join, matchesGlob } from 'node:path';
import { runInNewContext } from 'node:vm';
import { eventNames } from '../backend-proxy/observability/business-events.ts';
import { REFUSALS } from '../backend-proxy/errors.ts';
import { configWarnings, readConfig } from '../backend-proxy/config/config.ts';
import { DEFAULT_PROFILE } from '../backend-proxy/gateway/profile.ts';
import { SCOPES } from '../backend-proxy/protocol/merchant-key.ts';
import { WEBHOOKS } from '../backend-proxy/protocol/merchant-view.ts';
import { VERSION } from '../backend-proxy/installation.ts';
import { LOADERS } from '../widget/shell/language.ts';
import { SECRETS, createWorld, readDocument } from './backend-proxy/world.ts';
import { testsOf } from './test-names.ts';

const page = (name: string) => readFileSync(`docs/${name}.md`, 'utf8');

function section(name: string, heading: string): string {
  const [, text = ''] = new RegExp(`^##+ ${heading}$(.*?)^##`, 'ms').exec(`${page(name)}\n##`) ?? [];
  assert.notEqual(text, '', `docs/${name}.md has no section "${heading}"`);
  return text;
}

/** What is in backquotes in the first cell of each row of a table, or before the colon of each item of a list. */
function listed(text: string, kind: 'rows' | 'items' = 'rows'): string[] {
  const heads = text.matchAll(kind === 'rows' ? /^\| ([^|]*)\|/gm : /^- ((?:`[^`\n]+`|[^`:])*):\s/gm);
  return [...heads].flatMap(([, head = '']) => quoted(head)).toSorted();
}

function quoted(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, word = '']) => word);
}

it('SECURITY.md names guards and tests that exist, in at most 40 attacks', () => {
  const text = readFileSync('SECURITY.md', 'utf8');
  const rows = [...text.matchAll(/^\| (.+?) +\| .+?: `([\w/.-]+)` +\| `(test\/[\w/.-]+\.ts)`: (.+?) +\|$/gm)];
  assert.equal(rows.length, text.match(/^\| (?!attack|-)/gm)?.length, 'each row has an attack, a guard and a test');
  assert.ok(rows.length > 30 && rows.length <= 40, `${rows.length} rows`);
  const missing = rows.filter(
    ([, , guard = '', file = '', name = '']) =>
      !existsSync(guard) || !existsSync(file) || !testsOf(file).includes(name.replaceAll('\\', '')),
  );
  assert.deepEqual(missing, []);
  const [sources = ''] = /^const SOURCES = .*?\];$/ms.exec(readFileSync('test/mutation.ts', 'utf8')) ?? [];
  const globs = [...sources.matchAll(/'(.+)'/g)].flatMap(([, glob = '']) => {
    const [, before = '', names = glob, after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(glob) ?? [];
    return names.split(',').map((name) => before + name + after);
  });
  const stale = globs.filter((glob) => globSync(glob).length === 0);
  const guards = rows.map(([, , guard = '']) => guard);
  const unchanged = guards.filter((guard) => !globs.some((glob) => matchesGlob(guard, glob)));
  assert.deepEqual({ stale, unchanged }, { stale: [], unchanged: [] }, 'what test/mutation.ts changes');
});

it('ACCESSIBILITY.md names tests that exist', () => {
  const found = readFileSync('ACCESSIBILITY.md', 'utf8').matchAll(
    /^- \*\*(\w+)\*\*: `(test\/[\w/.-]+\.ts)`:\s+([^]+?)$(?=\n- |\n*$(?![^]))/gm,
  );
  const tests = [...found].map(([, word, file = '', name = '']) => ({
    word,
    file,
    name: name.replaceAll(/\s+/g, ' '),
  }));
  assert.ok(tests.length > 20);
  const missing = tests.filter(({ file, name }) => !existsSync(file) || !testsOf(file).includes(name));
  assert.deepEqual(missing, []);
});

it('documents link only to files and headings that exist', () => {
  const withoutCode = (file: string) => readFileSync(file, 'utf8').replaceAll(/^( *)```.*?^\1```$/gms, '');
  const anchorOf = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
  const anchorsOf = (file: string) =>
    [...withoutCode(file).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => anchorOf(text));
  const broken = globSync(['*.md', 'docs/*.md', '.github/**/*.md']).flatMap((file) => {
    const links = withoutCode(file).matchAll(/(?:\]\(|src(?:set)?="(?=docs\/))(?!https?:)([^)"#]*)#?([^)"]*)[)"]/g);
    return [...links].flatMap(([, path = '', anchor = '']) => {
      const target = path === '' ? file : join(dirname(file), path);
      const isThere = existsSync(target) && (anchor === '' || anchorsOf(target).includes(anchor));
      return isThere ? [] : [`${file} → ${path}#${anchor}`];
    });
  });
  assert.deepEqual(broken, []);
});

it('CONTRIBUTING.md names commands and files that exist', () => {
  const guide = readFileSync('CONTRIBUTING.md', 'utf8');
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object };
  const commands = [...guide.matchAll(/npm run ([\w:]+)/g)].map(([, command = '']) => command);
  const paths = [...guide.matchAll(/`([\w.-]+\/[\w./-]*)`/g)].map(([, path = '']) => path);
  assert.ok(commands.length > 10 && paths.length > 10);
  assert.deepEqual(
    [commands.filter((command) => !(command in scripts)), paths.filter((path) => !existsSync(path))],
    [[], []],
  );
});

it('npm test runs every test file, each by one command', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const parts = [...readFileSync('test/run.ts', 'utf8').matchAll(/npm\('(test:\w+)'[,)]/g)].map(
    ([, name = '']) => name,
  );
  const text = (name: string) => (name === 'test:unit' ? readFileSync('test/unit.ts', 'utf8') : (scripts[name] ?? ''));
  const globs = parts.flatMap((name) => [...text(name).matchAll(/'(test\/[^']*\*[^']*\.ts)'/g)]);
  const runs = (file: string) => globs.filter(([, glob = '']) => matchesGlob(file, glob)).length;
  const files = globSync('test/**/*.test.ts', { exclude: (path) => path.includes('node_modules') });
  const notOnce = files.filter((file) => runs(file.replaceAll('\\', '/')) !== 1);
  assert.deepEqual(notOnce, []);
});

it('docs/configuration.md lists every variable that config.ts reads', () => {
  const read = readFileSync('backend-proxy/config/config.ts', 'utf8').matchAll(/^ {4}([A-Z][A-Z_]+):/gm);
  const names = [...read].map(([, name = '']) => name).toSorted();
  const words = listed(page('configuration'), 'items');
  const variables = words.filter((word) => /^[A-Z_]{4,}$/.test(word));
  assert.deepEqual(variables, names);
});

it('.env.example has only variables that docs/configuration.md lists', () => {
  const words = listed(page('configuration'), 'items');
  const names = [...readFileSync('.env.example', 'utf8').matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name);
  const unlisted = names.filter((name) => !words.includes(name));
  assert.deepEqual(unlisted, []);
});

it('.env.example has all that a proxy needs to run with the sandbox, which is started with the same secrets', () => {
  const [, block = ''] = readFileSync('.env.example', 'utf8').split('# To try it in a clone');
  const settings = Object.fromEntries(
    [...block.matchAll(/^# ([A-Z_]+)=(.+)$/gm)].map(([, name, value]) => [name, value]),
  );
  const config = readConfig(settings);
  assert.deepEqual(configWarnings(settings), []);
  const sandbox = `GATEWAY_API_KEY=${config.GATEWAY_API_KEY} IPN_URL=${config.PUBLIC_URL}/ipn/${config.IPN_SECRET[0]} npm`;
  assert.ok(block.includes(sandbox) && page('gateway-profile').includes(sandbox), sandbox);
});

it('the command in docs/gateway-profile.md prints the default gateway profile', () => {
  const [, script = ''] = /^node -p '(.+)'$/m.exec(page('gateway-profile')) ?? [];
  const printed = execFileSync(process.execPath, ['-p', script], { encoding: 'utf8' });
  assert.deepEqual(JSON.parse(printed), DEFAULT_PROFILE);
});

it('docs/gateway-profile.md lists every key of the gateway profile', () => {
  const words = listed(page('gateway-profile'), 'items');
  const unlisted = Object.keys(DEFAULT_PROFILE).filter((key) => !words.includes(key));
  assert.deepEqual(unlisted, []);
});

it('docs/element.md pins the script of this version', () => {
  const pinned = [...page('element').matchAll(/widget-(\d+\.\d+\.\d+)\.js/g)].map(([, version]) => version);
  assert.deepEqual(pinned, [VERSION]);
});

it('the analytics of docs/element.md report each event, and nothing that identifies the order', () => {
  const [, script = ''] = /```js\n(.*?)```/s.exec(section('element', 'Analytics')) ?? [];
  const widget = new EventTarget();
  const reports: string[] = [];
  const navigator = { sendBeacon: (url: string, body: string) => reports.push(`${url} ${body}`) };
  runInNewContext(script, { widget, navigator, JSON, Object });
  const payment = { method: 'QR', reason: 'EXPIRED', walletLast4: '5678' };
  for (const [name, detail] of [
    ['ready', { shown: ['QR'], hidden: [] }],
    ['submit', { method: 'QR', amount: '10.10' }],
    ['failed', { orderId: 'ABC-123', payment }],
    ['error', { code: 'network', retryable: true }],
  ] as const)
    widget.dispatchEvent(new CustomEvent(`payment-${name}`, { detail }));
  assert.deepEqual(reports, [
    '/analytics {"name":"payment-ready","shown":["QR"]}',
    '/analytics {"name":"payment-submit","method":"QR"}',
    '/analytics {"name":"payment-failed","method":"QR","reason":"EXPIRED"}',
    '/analytics {"name":"payment-error","code":"network"}',
  ]);
});

describe('docs/api.md', () => {
  const documentOf = async (t: TestContext) => readDocument((await createWorld(t)).proxy);
  const fieldsOf = (schema: unknown) => Object.keys((schema as { properties: object }).properties).toSorted();

  it('docs/api.md lists every route of the OpenAPI document, and the document itself', async (t) => {
    const { paths } = await documentOf(t);
    const routes = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    assert.deepEqual(listed(section('api', 'Routes')), [...routes, 'GET /openapi.json'].toSorted());
  });

  it('docs/api.md has the scopes of every route for merchants', async (t) => {
    const { paths } = await documentOf(t);
    for (const [, method = '', path = '', scopes = ''] of section('api', 'Routes').matchAll(
      /^\| `([A-Z]+) (\/\S+)` +\| (`.+?) +\|.+\|$/gm,
    )) {
      const { security } = paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()] ?? {};
      assert.deepEqual(
        quoted(scopes),
        security?.flatMap(({ merchantKey }) => merchantKey),
        path,
      );
    }
  });

  it('docs/configuration.md says of every scope what the code says', () => {
    const rows = section('configuration', 'Keys with a scope').matchAll(/^\| `(\w+)` +\| ([^;|]+?)(?:;[^|]*)? *\|$/gm);
    assert.deepEqual(Object.fromEntries([...rows].map(([, scope, meaning]) => [scope, meaning])), SCOPES);
  });

  it('docs/api.md lists every claim of an order token', async (t) => {
    const { components } = await documentOf(t);
    const claims = fieldsOf(components.schemas['NewOrder']).filter((name) => name !== 'expiresIn');
    assert.deepEqual(listed(section('api', 'The order token')), [...claims, 'exp', 'iat'].toSorted());
  });

  it('docs/webhooks.md lists every webhook in the words of the OpenAPI document', () => {
    const items = [...section('webhooks', 'Types').matchAll(/^- `([\w.]+)`: ([^]*?)\.$(?=\n-|\n\n)/gm)];
    const described = items.map(([, type, text = '']) => [type, text.replaceAll(/\s+/g, ' ')]);
    assert.deepEqual(Object.fromEntries(described), WEBHOOKS);
  });

  it("docs/api.md's example of an order view has every field", async (t) => {
    const { components } = await documentOf(t);
    const [, example = ''] = /```json\n(.*?)```/s.exec(section('api', 'The order view')) ?? [];
    const view = JSON.parse(example) as { payment: object };
    const schema = components.schemas['OrderView'] as { properties: { payment: { anyOf?: unknown[] } } };
    const { payment } = schema.properties;
    assert.deepEqual(Object.keys(view).toSorted(), fieldsOf(schema));
    assert.deepEqual(Object.keys(view.payment).toSorted(), fieldsOf(payment.anyOf?.[0] ?? payment));
  });

  it('docs/api.md lists every error code at its status, and says which are retryable', () => {
    const rows = [...section('api', 'Errors').matchAll(/^\| (\d+) +\| (.+)\|$/gm)];
    const errors = rows.flatMap(([, status, cell = '']) =>
      cell.split(',').map((each) => ({
        code: quoted(each)[0],
        status: Number(status),
        retryable: each.includes('(retryable)'),
      })),
    );
    const refusals = Object.entries(REFUSALS).map(([code, { status, retryable }]) => ({ code, status, retryable }));
    assert.deepEqual(errors, refusals);
  });
});

describe('docs/operations.md and docs/monitoring.md', () => {
  it('docs/monitoring.md lists every metric of the proxy', async (t) => {
    const world = await createWorld(t);
    const headers = { Authorization: `Bearer ${SECRETS.merchant}` };
    const text = await (await world.request('GET', '/metrics', { headers })).text();
    const metrics = [...text.matchAll(/^# TYPE (payment_proxy_\S+)/gm)].map(([, name = '']) => name);
    const words = listed(section('monitoring', 'Metrics'), 'items');
    const listedMetrics = words.filter((word) => word.startsWith('payment_proxy_'));
    assert.deepEqual(listedMetrics, metrics.toSorted());
  });

  it('docs/monitoring.md lists every event of the log, and no other', () => {
    const words = listed(section('monitoring', 'Log'));
    assert.ok(logEvents().length > 30);
    assert.deepEqual(words, logEvents().toSorted());
  });

  it('"At 3 a.m." has an item for each alert, and only items for alerts and events of the log', () => {
    const alerts = [...readFileSync('docs/monitoring/alerts.yml', 'utf8').matchAll(/- alert: (\w+)/g)];
    const names = alerts.map(([, name = '']) => name);
    const words = listed(section('operations', 'At 3 a.m.'), 'items');
    assert.ok(names.length > 15);
    const unlisted = names.filter((name) => !words.includes(name));
    assert.deepEqual(unlisted, []);
    const known = [...names, ...logEvents()];
    const unknown = words.filter((word) => !known.includes(word));
    assert.deepEqual(unknown, []);
  });
});

/** What the proxy logs: by `log(level, 'event')`, by the logger itself, and about payments and payouts. */
function logEvents(): string[] {
  const sources = globSync('backend-proxy/**/*.ts', { exclude: ['backend-proxy/commands/**'] }).map((file) =>
    readFileSync(file, 'utf8'),
  );
  const written = sources.flatMap((text) => [
    ...text.matchAll(/\blog\(\s*[^,\n]+,\s*'([^'\n]+)'/g),
    ...text.matchAll(/\bevent: '([^'\n]+ [^'\n]+)'/g),
  ]);
  return [...new Set([...written.map(([, event = '']) => event), ...eventNames()])];
}

it('docs/element.md says how many languages there are', () => {
  const [, count] = /one of (\d+)/.exec(section('element', 'Attributes')) ?? [];
  assert.equal(Number(count), Object.keys(LOADERS).length + 1, 'English is not among the loaders');
});
