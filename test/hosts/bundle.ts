// Bundles a page for the browser as its framework's own tools would: JSX by esbuild, Vue and Svelte components by their compilers.
// Development builds of the frameworks, because those complain where something is used wrongly.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { compile as compileSvelte } from 'svelte/compiler';
import { compileScript, parse } from 'vue/compiler-sfc';

export interface Bundle {
  /** The script that the page loads. */
  entry: string;
  /** File name → text; the entry and the chunks it loads. */
  files: ReadonlyMap<string, string>;
  /** The folder of each package in it, as `name folder`. */
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
  // Each file that is imported when it is wanted (a dictionary) counts as an entry point too.
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

/** A program for Node that finds its packages where it is written. */
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
      // What `template.compilerOptions` of Vue's plugin for Vite passes on.
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
