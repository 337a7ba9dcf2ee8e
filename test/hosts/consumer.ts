// A project that has installed the npm package: a temporary folder with the package, freshly built, in its node_modules, beside
// the frameworks. What is imported, bundled or type-checked in it meets the package as its users do.
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { buildPackage } from '../../widget/build/package.ts';

const FRAMEWORKS = ['react', 'react-dom', '@types/react', '@types/react-dom', 'csstype', 'vue', 'svelte'];
/** The packages in a project of each kind. Lit comes with ours, so it is the one that the project itself has. */
const NEIGHBORS = ['node_modules/lit', ...FRAMEWORKS.map((name) => `test/hosts/node_modules/${name}`)];

export interface Consumer {
  folder: string;
  /** Where the package lies. */
  package: string;
  /** Writes a file of the project; answers its path. */
  write(name: string, text: string): string;
}

/** `sources`: a folder whose files become the project's. It is gone when this process ends. */
export async function installPackage(sources?: string): Promise<Consumer> {
  const folder = mkdtempSync(join(tmpdir(), 'widget-consumer-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const modules = join(folder, 'node_modules');
  for (const path of NEIGHBORS) {
    const [, name = ''] = path.split('node_modules/');
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(resolve(path), join(modules, name), 'junction');
  }
  if (sources !== undefined) cpSync(sources, folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  await buildPackage(join(modules, 'payment-widget'));
  return {
    folder,
    package: join(modules, 'payment-widget'),
    write(name, text) {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    },
  };
}
