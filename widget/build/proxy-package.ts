// Builds the npm package `payment-proxy`: the proxy as plain JavaScript with all of its packages, types, the built
// widget, licenses and a package.json. Decides what the package contains; the neighboring files make each
// part. The package is built in a temporary folder and then renamed, so that the target folder is never incomplete.
// Nothing in it depends on the time, the machine or the folder, so that two builds are equal.
import { copyFileSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeDeclarations } from './declarations.ts';
import { licenseTexts, packagesInFolder } from './licenses.ts';
import { originOf, withoutRelativeLinks, type Project } from './project.ts';
import { bundleProxy } from './proxy-bundle.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NAME = 'payment-proxy';

/** Replaces the folder `to`. `widget`: the folder of the built widget. */
export async function buildProxyPackage(to: string, widget: string): Promise<void> {
  const project = readJson('package.json') as Project;
  const release = { name: NAME, version: project.version, license: project.license };
  const folder = `${to}-${process.pid}`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const config = join(ROOT, 'widget/build/proxy.tsconfig.json');
  const [bundled] = await Promise.all([
    bundleProxy(ROOT, join(folder, 'lib')),
    writeDeclarations(config, 'backend-proxy/index', join(folder, 'types')),
  ]);
  cpSync(widget, join(folder, 'dist/widget'), { recursive: true });
  // The pictures are README's.
  const isForUsers = (path: string) => !path.endsWith('pictures');
  cpSync(join(ROOT, 'docs'), join(folder, 'docs'), { recursive: true, filter: isForUsers });

  const packages = [...new Set([...bundled, ...packagesInFolder(widget)])].toSorted();
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('LICENSES.txt', licenseTexts(ROOT, packages));
  write('README.md', readme());
  for (const name of ['LICENSE', '.env.example', 'CHANGELOG.md']) copyFileSync(join(ROOT, name), join(folder, name));
  write('package.json', `${JSON.stringify(describe(project, release), null, 2)}\n`);

  rmSync(to, { recursive: true, force: true });
  renameSync(folder, to);
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
}

function describe(project: Project, release: object): object {
  return {
    ...release,
    description: 'The proxy of payment-widget: holds the gateway’s key, records payments, sends signed webhooks',
    keywords: ['payment', 'wallet', 'proxy', 'webhooks', 'hono', 'express', 'fastify'],
    ...originOf(project),
    type: 'module',
    bin: { [NAME]: './lib/main.js' },
    exports: {
      '.': { types: './types/index.d.ts', default: './lib/index.js' },
      './package.json': './package.json',
    },
    engines: project.engines,
    files: ['lib', 'types', 'dist', 'docs', '.env.example', 'CHANGELOG.md', 'LICENSES.txt'],
    // For the types of a handler of node:http.
    peerDependencies: { '@types/node': '>=24' },
    peerDependenciesMeta: { '@types/node': { optional: true } },
  };
}

/** How to start it, and the project's page on configuration; the other pages are beside it, in docs/. */
function readme(): string {
  const page = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8')
    .replaceAll('./backend-proxy/gateway/profile.ts', NAME)
    .replace('cp .env.example .env', `cp node_modules/${NAME}/.env.example .env`);
  const intro = `The proxy of payment-widget: a small server that holds the gateway’s key, records every payment,
verifies every callback and sends your server signed webhooks. It needs Node 24, and no other package.

\`\`\`sh
npx ${NAME}            # starts it, as its environment says
\`\`\`

\`/widget.js\` is the widget. The other pages of the documentation are in
\`docs/\`, with files for systemd, nginx and Caddy. What is bundled here is in \`LICENSES.txt\`, with its licenses.`;
  return `# ${NAME}\n\n${intro}\n\n${withoutRelativeLinks(page).replaceAll(/^#/gm, '##')}`;
}
