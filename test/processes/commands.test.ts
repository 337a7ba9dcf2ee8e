// Runs the commands of package.json as processes in a copy of the project: which programs they start, what they print
// if something is missing, and that no package that installs or builds sees a secret.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { VERSION } from '../../backend-proxy/installation.ts';
import { SECRETS, SHOP } from '../backend-proxy/world.ts';
import { runCommand, type Ended } from './run-command.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCES = ['backend-proxy', 'demo', 'widget', 'package.json', 'package-lock.json', '.npmrc', 'vite.config.ts', 'tsconfig.json', 'docs', 'LICENSE', 'CHANGELOG.md', '.env.example', 'test/hosts/package-lock.json']; // prettier-ignore
/** All settings of the proxy, and other variables that may hold a secret. */
const SETTINGS: Record<string, string> = {
  GATEWAY_URL: 'http://127.0.0.1:1',
  GATEWAY_API_KEY: SECRETS.gatewayKey,
  GATEWAY_KEY_FILE: '/run/secrets/key',
  ORDER_SECRET: SECRETS.order,
  MERCHANT_API_KEY: SECRETS.merchant,
  METRICS_TOKEN: 'canary-metrics-token-0123456789',
  IPN_SECRET: SECRETS.ipn,
  ALLOWED_ORIGINS: SHOP,
  WEBHOOK_URL: 'http://127.0.0.1:1',
  WEBHOOK_SECRET: SECRETS.webhook,
  DATABASE_URL: 'file:payments.db',
  PGPASSWORD: 'canary-of-the-database',
  DESK_PASSWORD: 'canary-of-the-desk',
  PORT: '0',
  DRAIN_SECONDS: '0',
};
const NO_SECRETS = ['ALLOWED_ORIGINS', 'PORT', 'DRAIN_SECONDS'];

/** Loaded into every Node process of a command: records which packages it loads, and which settings they can see. */
const probeInto = (records: string) => `
  import { appendFileSync } from 'node:fs';
  import module from 'node:module';
  const folder = ${JSON.stringify(records)};
  const names = ${JSON.stringify(Object.keys(SETTINGS).filter((name) => !NO_SECRETS.includes(name)))};
  const seen = new Set();
  const say = (what) => {
    if (seen.has(what)) return;
    seen.add(what);
    const sees = names.filter((name) => name in process.env);
    appendFileSync(folder + '/' + process.pid, JSON.stringify({ what, sees }) + '\\n');
  };
  say('program ' + process.argv.slice(1).join(' '));
  module.registerHooks?.({
    load(url, context, next) {
      if (url.startsWith(${JSON.stringify(`${pathToFileURL(realpathSync(join(PROJECT, 'node_modules'))).href}/`)}))
        say('package ' + url.split('/node_modules/').at(-1).split('/').slice(0, url.includes('/node_modules/@') ? 2 : 1).join('/'));
      return next(url, context);
    },
  });
`;

interface Leave {
  /** Left out of the copy: node_modules, dist. */
  without?: readonly string[];
}

/** Each package by a link of its own: npm that installs in the copy removes the links, and not the packages. */
function linkPackages(folder: string): void {
  mkdirSync(folder);
  for (const name of readdirSync(join(PROJECT, 'node_modules'))) {
    symlinkSync(join(PROJECT, 'node_modules', name), join(folder, name));
  }
}

function copyProject(t: TestContext, { without = [] }: Leave = {}): string {
  const folder = temporaryFolder(t);
  for (const name of SOURCES) cpSync(join(PROJECT, name), join(folder, name), { recursive: true });
  if (!without.includes('node_modules')) linkPackages(join(folder, 'node_modules'));
  if (!without.includes('dist')) cpSync(join(PROJECT, 'dist/widget'), join(folder, 'dist/widget'), { recursive: true });
  return folder;
}

function run(folder: string, command: readonly string[], env: NodeJS.ProcessEnv, until?: string): Promise<Ended> {
  return runCommand(command, {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    ...(until !== undefined && { isReady: (out: string) => out.includes(until) }),
  });
}

const PROXY = ['npm', 'run', '--silent', 'proxy'];
const lines = (text: string) => text.split('\n').filter((line) => line !== '');
const logOf = ({ out }: Ended) => lines(out).map((line) => JSON.parse(line) as Record<string, unknown>);

function probe(t: TestContext, folder: string) {
  const records = temporaryFolder(t);
  const file = join(folder, 'probe.mjs');
  writeFileSync(file, probeInto(records));
  return {
    env: { NODE_OPTIONS: `--import=${pathToFileURL(file).href}` },
    loaded: () =>
      readdirSync(records).flatMap((name) =>
        lines(readFileSync(join(records, name), 'utf8')).map(
          (line) => JSON.parse(line) as { what: string; sees: string[] },
        ),
      ),
  };
}

describe('npm run proxy', { skip: process.platform === 'win32' && 'process groups' }, () => {
  it('npm run proxy starts only the proxy, builds and installs nothing, and prints only log lines', async (t) => {
    const folder = copyProject(t);
    const { env, loaded } = probe(t, folder);
    const ended = await run(folder, PROXY, { ...SETTINGS, ...env }, '"listening"');
    const events = logOf(ended).map(({ event }) => event);
    assert.deepEqual([events[0], events.includes('listening'), events.at(-1)], ['database', true, 'stopped']);
    assert.equal(ended.err, '');
    const programs = loaded().flatMap(
      ({ what }) => /^program .*?([\w-]+\.(?:ts|mjs|js)|npm(?:-cli\.js)?)( |$)/.exec(what)?.[1] ?? [],
    );
    assert.deepEqual(programs.filter((name) => !name.startsWith('npm')).toSorted(), ['install.mjs', 'main.ts']);
    assert.deepEqual(
      loaded().filter(({ what }) => /^package (vite|esbuild|minify-literals|rolldown)$/.test(what)),
      [],
    );
  });

  it('npm run proxy reads .env, whose variables give way to those of the environment', async (t) => {
    const folder = copyProject(t);
    writeFileSync(join(folder, '.env'), 'HOST="127.0.0.1" # comment\nPORT=none\nLOG_LEVEL=canary\n');
    const refused = await run(folder, PROXY, SETTINGS);
    assert.match(String(logOf(refused)[0]?.['error']), /LOG_LEVEL/);
    assert.doesNotMatch(refused.out, /PORT/);
    rmSync(join(folder, '.env'));
    mkdirSync(join(folder, '.env'));
    const unreadable = await run(folder, PROXY, SETTINGS);
    assert.deepEqual([unreadable.code, unreadable.err], [1, '']);
    assert.match(String(logOf(unreadable)[0]?.['error']), /^\.env cannot be read: E\w+$/);
  });

  for (const [missing, says] of [
    ['node_modules', 'npm ci'],
    ['dist', 'npm run build'],
  ] as const) {
    it(`npm run proxy without ${missing} logs one line that asks for ${says}, and exits with 1`, async (t) => {
      const folder = copyProject(t, { without: [missing] });
      for (const command of [PROXY, [process.execPath, 'backend-proxy/main.ts']]) {
        const ended = await run(folder, command, SETTINGS, '"listening"');
        assert.equal(ended.code, 1);
        const [line, ...more] = logOf(ended);
        assert.deepEqual([line?.['level'], line?.['event'], more], ['fatal', 'not started', []]);
        assert.ok(String(line?.['error']).includes(`\`${says}\``), ended.out);
        assert.doesNotMatch(ended.out + ended.err, /^\s*at |canary/m);
      }
    });
  }
});

describe('installing and building', { skip: process.platform === 'win32' && 'process groups' }, () => {
  it('npm run build prints the script tag and the documented policy, and shows no package a secret', async (t) => {
    const folder = copyProject(t, { without: ['dist'] });
    const { env, loaded } = probe(t, folder);
    const ended = await run(folder, ['npm', 'run', 'build'], { ...SETTINGS, ...env });
    assert.equal(ended.code, 0, ended.out + ended.err);
    const hash = createHash('sha384').update(readFileSync(join(folder, `dist/widget/widget-${VERSION}.js`)));
    const tag = `/widget-${VERSION}.js" integrity="sha384-${hash.digest('base64')}" crossorigin=`;
    assert.ok(ended.out.includes(tag), ended.out);
    const [, policy] = /Content-Security-Policy: (.+)$/m.exec(ended.out) ?? [];
    assert.ok(readFileSync('docs/element.md', 'utf8').includes(`needs \`${policy}\``), policy);
    const packages = loaded().filter(({ what }) => what.startsWith('package '));
    for (const name of ['vite', 'minify-literals']) assert.ok(packages.some(({ what }) => what === `package ${name}`));
    const seeing = packages.filter(({ sees }) => sees.length > 0);
    assert.deepEqual(seeing, []);
  });

  it('installing shows npm, and so install scripts, no secret of its environment', async (t) => {
    for (const [mode, installs] of [
      [[], /^npm ci$/m],
      [['demo'], /^npm install .*vite@/m],
      [['all', 'test/hosts'], /^npm ci$[^]*^npm ci --prefix=test\/hosts /m],
    ] as const) {
      const folder = copyProject(t, { without: ['node_modules'] });
      // Replaces npm: prints its arguments and environment, and installs nothing.
      writeFileSync(join(folder, 'npm'), '#!/bin/sh\necho "npm $*"\nenv\n');
      chmodSync(join(folder, 'npm'), 0o755);
      const env = {
        ...SETTINGS,
        npm_config_registry: 'https://registry.example',
        PATH: `${folder}:${process.env['PATH']}`,
      };
      const { code, out } = await run(folder, [process.execPath, 'widget/build/install.mjs', ...mode], env);
      assert.equal(code, 0);
      assert.match(out, installs);
      assert.match(out, /^npm_config_registry=/m, 'npm’s own settings stay');
      assert.doesNotMatch(out, /canary/);
      for (const name of Object.keys(SETTINGS).filter((setting) => !NO_SECRETS.includes(setting)))
        assert.doesNotMatch(out, new RegExp(`^${name}=`, 'm'));
    }
  });
});
