// A project that has installed the npm package: a temporary folder whose node_modules has the freshly built package, in
// `npm test` the one that it has built, and the frameworks. Files in it resolve the package as a user's project does.
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { buildPackage } from '../../widget/build/widget-package.ts';

const FRAMEWORKS = ['react', 'react-dom', '@types/react', '@types/react-dom', 'csstype', 'vue', 'svelte'];
/** The other packages that are linked. Lit is the package's dependency, so it is this project's copy. */
const LINKED = ['node_modules/lit', ...FRAMEWORKS.map((name) => `test/hosts/node_modules/${name}`)];

export interface Consumer {
  folder: string;
  /** Folder of the installed package. */
  package: string;
  /** Writes a file of the project and returns its path. */
  write(name: string, text: string): string;
}

/** The project is deleted when this process ends. */
export async function installPackage(): Promise<Consumer> {
  const folder = mkdtempSync(join(tmpdir(), 'widget-consumer-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const modules = join(folder, 'node_modules');
  for (const path of LINKED) {
    const [, name = ''] = path.split('node_modules/');
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(resolve(path), join(modules, name), 'junction');
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  const installed = join(modules, 'payment-widget');
  if (process.env['BUILT_PROXY'] === undefined) await buildPackage(installed);
  else cpSync('dist/npm', installed, { recursive: true });
  return {
    folder,
    package: installed,
    write(name, text) {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    },
  };
}
