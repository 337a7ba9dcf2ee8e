// Bundles programs for Node into plain JavaScript with all of their packages, for the npm packages. What is imported by
// import(), such as PostgreSQL's driver, stays a file of its own, which is loaded when it is needed.
import { resolve } from 'node:path';
import { build, type Plugin } from 'vite';

/** An addon that its users compile; pg loads it only if the property `native` is read, and the proxy never does. */
const OPTIONAL = ['pg-native'];

/**
 * Writes the bundle into the folder `to`. `entries`: the files by the names of their bundles; `main` is a command.
 * `external`: packages that the user installs.
 */
export async function bundleForNode(
  root: string,
  entries: Record<string, string>,
  to: string,
  external: string[] = [],
): Promise<void> {
  await build({
    root,
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'error',
    plugins: [englishOnly()],
    ssr: { target: 'node', noExternal: true, external: [...OPTIONAL, ...external] },
    build: {
      ssr: true,
      outDir: to,
      emptyOutDir: false,
      target: 'node24',
      // Unminified code is readable where an error's stack points to, without source maps.
      minify: false,
      license: { fileName: 'LICENSES.txt' },
      rolldownOptions: {
        input: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, resolve(root, file)])),
        output: {
          banner: ({ name, isEntry }) => (isEntry && name === 'main' ? '#!/usr/bin/env node' : ''),
          entryFileNames: '[name].js',
          chunkFileNames: '[name].js',
          comments: { legal: false, annotation: false, jsdoc: false },
        },
      },
    },
  });
}

/** Zod's messages in 50 languages are a fifth of the bundle; the proxy answers in English. */
function englishOnly(): Plugin {
  return {
    name: 'english-only',
    transform: {
      filter: { id: /\/zod\/v4\/locales\/index\.js$/ },
      handler: () => ({ code: `export { default as en } from './en.js';`, map: null }),
    },
  };
}
