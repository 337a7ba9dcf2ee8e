// Builds the npm packages for Node, `payment-proxy` and `payment-sandbox`: plain JavaScript with all packages that it
// needs and their licenses, types, the built widget and a package.json. Decides what the packages contain; the
// neighboring files make each part. Nothing in them depends on the time, the machine or the folder, so that two builds are equal.
import { copyFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleForNode } from './node-bundle.ts';
import { publishing, replaceFolder, withoutRelativeLinks, writeDeclarations, type Project } from './project.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROXY = 'payment-proxy';
const SANDBOX = 'payment-sandbox';

interface NodePackage {
  name: string;
  /** The sources by the names of their bundles. `main` is the command; the others have types. */
  entries: Record<string, string>;
  readme: string;
  /** Of package.json, besides what all have. */
  described: { files: string[] } & Record<string, unknown>;
}

/** Replaces the folder `to`. `widget`: the folder of the built widget. */
export async function buildProxyPackage(to: string, widget: string): Promise<void> {
  await replaceFolder(to, async (folder) => {
    // The pictures are README's, and publishing is the project's.
    const isForUsers = (path: string) => !/(pictures|publishing\.md)$/.test(path);
    cpSync(join(ROOT, 'docs'), join(folder, 'docs'), { recursive: true, filter: isForUsers });
    copyFileSync(join(ROOT, 'CHANGELOG.md'), join(folder, 'CHANGELOG.md'));
    const [variables = ''] = readFileSync(join(ROOT, '.env.example'), 'utf8').split('\n# To try it in a clone');
    writeFileSync(join(folder, '.env.example'), variables);
    await buildNodePackage(folder, widget, {
      name: PROXY,
      entries: { main: 'backend-proxy/main.ts', index: 'backend-proxy/index.ts', client: 'backend-proxy/client.ts' },
      readme: proxyReadme(),
      described: {
        description: 'The proxy of payment-widget: holds the gateway’s key, records payments, sends signed webhooks',
        keywords: ['payment', 'wallet', 'proxy', 'webhooks', 'hono'],
        // Of the client. The proxy itself refuses a Node that is too old for it.
        engines: { node: '>=20' },
        files: ['docs', '.env.example', 'CHANGELOG.md'],
        // For the type of the app alone: the code has its own.
        peerDependencies: { hono: '>=4' },
        peerDependenciesMeta: { hono: { optional: true } },
      },
    });
  });
}

/** Replaces the folder `to`. `widget`: the folder of the built widget. */
export async function buildSandboxPackage(to: string, widget: string): Promise<void> {
  await replaceFolder(to, async (folder) => {
    await buildNodePackage(folder, widget, {
      name: SANDBOX,
      entries: { main: 'demo/kit/main.ts', index: 'demo/kit/index.ts' },
      readme: sandboxReadme(),
      described: {
        description: 'A test world for shops that use payment-widget: gateway, proxy, webhooks and clock on loopback',
        keywords: ['payment', 'testing', 'sandbox', 'webhooks', 'mock'],
        engines: readProject().engines,
        files: [],
      },
    });
    // Where the bundle finds them, as the sources do.
    cpSync(join(ROOT, 'demo/sandbox/public'), join(folder, 'lib/public'), { recursive: true });
  });
}

async function buildNodePackage(folder: string, widget: string, what: NodePackage): Promise<void> {
  const { name, entries, readme, described } = what;
  const project = readProject();
  const { main: _, ...modules } = entries;
  const config = join(ROOT, 'widget/build/node.tsconfig.json');
  await Promise.all([
    bundleForNode(ROOT, entries, join(folder, 'lib')),
    writeDeclarations(config, Object.values(modules), join(folder, 'types')),
  ]);
  cpSync(widget, join(folder, 'dist/widget'), { recursive: true });
  writeFileSync(join(folder, 'README.md'), readme);
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  const exported = Object.keys(modules).map((module) => [
    module === 'index' ? '.' : `./${module}`,
    { types: `./types/${module}.d.ts`, default: `./lib/${module}.js` },
  ]);
  const description = {
    name,
    version: project.version,
    license: project.license,
    ...publishing(project),
    type: 'module',
    bin: { [name]: './lib/main.js' },
    sideEffects: ['./lib/main.js'],
    exports: { ...Object.fromEntries(exported), './package.json': './package.json' },
    ...described,
    files: ['lib', 'types', 'dist', ...described.files],
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(description, null, 2)}\n`);
}

function readProject(): Project {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Project;
}

/** How to start it, and the project's page on configuration; the other pages are beside it, in docs/. */
function proxyReadme(): string {
  const page = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8');
  const intro = `The proxy of payment-widget: a small server that holds the gateway’s key, records every payment,
verifies every callback and sends your server signed webhooks. It needs Node 24, and no other package.

\`\`\`sh
npx ${PROXY} init       # writes .env with fresh secrets
npx ${PROXY}            # starts it, as its environment says
\`\`\`

\`/widget.js\` is the widget. The other pages of the documentation are in
\`docs/\`, with files for systemd, nginx and Caddy. The licenses of what is bundled are in
\`lib/LICENSES.txt\` and \`dist/widget/LICENSES.txt\`.`;
  return `# ${PROXY}\n\n${intro}\n\n${withoutRelativeLinks(page).replaceAll(/^#/gm, '##')}`;
}

/** How to start it; the page on tests has the rest. */
function sandboxReadme(): string {
  const page = readFileSync(join(ROOT, 'docs/testing.md'), 'utf8');
  return withoutRelativeLinks(page.replace(/^# .*/, `# ${SANDBOX}`));
}
