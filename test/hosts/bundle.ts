// Bundles a page for the browser: esbuild compiles JSX, and each framework's own compiler its Vue or Svelte components.
// The frameworks are development builds, because only those warn about wrong use.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { compile as compileSvelte } from 'svelte/compiler';
import { compileScript, parse } from 'vue/compiler-sfc';

export interface Bundle {
  /** Name of the script that the page loads. */
  entry: string;
  /** Texts of the entry and of the chunks it loads, by file name. */
  files: ReadonlyMap<string, string>;
  /** The bundled packages, each as `name folder`. */
  packages: readonly string[];
}

export async function bundlePage(source: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    entryPoints: [source],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    splitting: true,
    outdir: 'out',
    target: 'es2022',
    jsx: 'automatic',
    conditions: ['svelte', 'browser', 'production'],
    define: {
      'process.env.NODE_ENV': '"development"',
      __VUE_OPTIONS_API__: 'false',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
    plugins: [vueComponents, svelteComponents],
  });
  // esbuild also lists each dynamically imported file, such as a dictionary, as an entry point.
  const isSource = (entryPoint = '') => basename(entryPoint) === basename(source);
  const entry = Object.entries(metafile.outputs).find(([, { entryPoint }]) => isSource(entryPoint))?.[0] ?? '';
  return {
    entry: basename(entry),
    files: new Map(outputFiles.map(({ path, text }) => [basename(path), text])),
    packages: packagesOf(Object.keys(metafile.inputs)),
  };
}

function packagesOf(inputs: readonly string[]): string[] {
  const found = inputs.flatMap((path) => {
    const [, folder, name] = /^(.*node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(path) ?? [];
    return folder === undefined ? [] : [`${name} ${folder}`];
  });
  return [...new Set(found)];
}

/** Bundles a program for Node. Its packages stay imports, which Node resolves from the folder of `outfile`. */
export async function bundleForServer(source: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    jsx: 'automatic',
  });
}

const vueComponents: Plugin = {
  name: 'vue-components',
  setup({ onLoad }) {
    onLoad({ filter: /\.vue$/ }, ({ path }) => {
      // Merchants set this in `template.compilerOptions` of Vue's plugin for Vite.
      const templateParseOptions = { isCustomElement: (tag: string) => tag === 'payment-widget' };
      const { descriptor } = parse(readFileSync(path, 'utf8'), { filename: path, templateParseOptions });
      const { content } = compileScript(descriptor, { id: 'page', inlineTemplate: true });
      return { contents: content, loader: 'ts' };
    });
  },
};

const svelteComponents: Plugin = {
  name: 'svelte-components',
  setup({ onLoad }) {
    onLoad({ filter: /\.svelte$/ }, ({ path }) => {
      const { js } = compileSvelte(readFileSync(path, 'utf8'), { filename: path, generate: 'client', dev: true });
      return { contents: js.code, loader: 'js' };
    });
  },
};
