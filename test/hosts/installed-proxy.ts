// A merchant's server that has installed the proxy's npm package: a temporary folder with what `npm pack` and
// `npm install` make of the freshly built package, and the server frameworks.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { buildProxyPackage } from '../../widget/build/node-packages.ts';
import { buildWidgetIfStale } from '../../demo/widget-build.ts';

/** Hono is a package of the project; a merchant's own copy is another one than the proxy's, as here. */
const FRAMEWORKS = ['test/hosts/node_modules/express', 'test/hosts/node_modules/fastify', 'node_modules/hono'];
const LINKED = [...FRAMEWORKS, 'node_modules/@hono/node-server'];

const run = promisify(execFile);
const shell = process.platform === 'win32';

export interface InstalledProxy {
  folder: string;
  /** Folder of the installed package. */
  package: string;
  /** Its command, as npm links it. */
  command: string;
  /** Writes a file of the merchant's and returns its path. */
  write(name: string, text: string): string;
}

/** The servers are copied into the folder, which is deleted when this process ends. */
export async function installProxy(): Promise<InstalledProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'proxy-consumer-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await buildWidgetIfStale();
  const built = join(folder, 'built');
  await buildProxyPackage(built, resolve('dist/widget'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: built, shell });
  const [packed] = JSON.parse(stdout) as [{ filename: string }];
  rmSync(built, { recursive: true });

  writeFileSync(join(folder, 'package.json'), '{ "name": "shop", "private": true, "type": "module" }\n');
  // Offline: the package has everything inside.
  const install = ['install', '--offline', '--no-audit', '--no-fund'];
  await run('npm', [...install, packed.filename], { cwd: folder, shell });
  // A later install keeps it.
  await run('npm', install, { cwd: folder, shell });
  const modules = join(folder, 'node_modules');
  for (const path of LINKED) {
    const to = join(modules, path.split('node_modules/')[1] ?? '');
    mkdirSync(dirname(to), { recursive: true });
    symlinkSync(resolve(path), to, 'junction');
  }
  cpSync('test/hosts/servers', folder, { recursive: true });
  return {
    folder,
    package: join(modules, 'payment-proxy'),
    command: join(modules, '.bin/payment-proxy'),
    write(name, text) {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    },
  };
}
