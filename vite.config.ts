// Builds the widget into dist/widget: widget.js (the module pages load), its lazy chunks, and integrity.json.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { minifyHTMLLiterals } from 'minify-literals';
import { defineConfig, type Plugin } from 'vite';

/** Takes the white space out of Lit's templates and styles, which no JavaScript minifier touches. */
function minifyTemplates(): Plugin {
  return {
    name: 'minify-templates',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /widget\/.*\.ts$/, code: /(html|css|svg)`/ },
      async handler(code, id) {
        const minified = await minifyHTMLLiterals(code, { fileName: id });
        return minified ? { code: minified.code, map: minified.map ?? null } : null;
      },
    },
  };
}

/** Writes integrity.json: file name → `sha384-…`, for the `integrity` attribute of script tags (Subresource Integrity). */
function integrity(): Plugin {
  return {
    name: 'integrity',
    apply: 'build',
    writeBundle({ dir }, bundle) {
      const folder = dir ?? 'dist/widget';
      const hash = (file: string) =>
        `sha384-${createHash('sha384')
          .update(readFileSync(join(folder, file)))
          .digest('base64')}`;
      const scripts = Object.keys(bundle).filter((file) => file.endsWith('.js'));
      const hashes = Object.fromEntries(scripts.map((file) => [file, hash(file)]));
      writeFileSync(join(folder, 'integrity.json'), `${JSON.stringify(hashes, null, 2)}\n`);
    },
  };
}

export default defineConfig({
  plugins: [minifyTemplates(), integrity()],
  publicDir: false,
  build: {
    outDir: 'dist/widget',
    target: 'es2022',
    sourcemap: true,
    modulePreload: false,
    lib: { entry: 'widget/index.ts', formats: ['es'], fileName: () => 'widget.js' },
    rolldownOptions: { output: { minify: true, chunkFileNames: '[name]-[hash].js' } },
  },
});
