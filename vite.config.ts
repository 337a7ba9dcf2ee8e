// Builds the widget into dist/widget, for pages: widget.js (the module they load), its lazy chunks, and integrity.json.
// The npm package of the same sources is built by widget/build/.
import { defineConfig } from 'vite';
import { integrity, minifyTemplates } from './widget/build/plugins.ts';

export default defineConfig({
  plugins: [minifyTemplates(), integrity()],
  publicDir: false,
  build: {
    outDir: 'dist/widget',
    target: 'es2022',
    sourcemap: true,
    modulePreload: false,
    lib: { entry: 'widget/index.ts', formats: ['es'], fileName: () => 'widget.js' },
    rolldownOptions: {
      output: {
        minify: true,
        // Dictionaries have no hash in their names: the entry lists them all, and hashes do not compress.
        chunkFileNames: ({ facadeModuleId }) =>
          facadeModuleId?.includes('/widget/locales/') ? 'locale-[name].js' : '[name]-[hash].js',
      },
    },
  },
});
