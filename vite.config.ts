// Builds the widget into dist/widget, for pages: widget.js, which they load, a copy of it under the version's own name,
// the files that it loads later, the themes, compressed copies, integrity.json, and the licenses of the bundled packages. widget/build/
// builds the npm package of the same sources.
import { defineConfig } from 'vite';
import {
  compressed,
  copySharedModules,
  integrity,
  joinLoaders,
  minifyScripts,
  minifyTemplates,
  rootRelative,
  themes,
  versionedEntry,
} from './widget/build/plugins.ts';

export default defineConfig({
  plugins: [
    copySharedModules(),
    minifyTemplates(),
    joinLoaders(),
    minifyScripts(),
    versionedEntry(import.meta.dirname),
    themes(import.meta.dirname),
    integrity(),
    compressed(),
  ],
  publicDir: false,
  // Beside this file lies the proxy's .env, which is none of the build's business.
  envDir: false,
  build: {
    outDir: 'dist/widget',
    target: 'es2022',
    sourcemap: true,
    license: { fileName: 'LICENSES.txt' },
    modulePreload: false,
    lib: { entry: 'widget/index.ts', formats: ['es'], fileName: () => 'widget.js' },
    rolldownOptions: {
      // Two minifiers take their time.
      checks: { pluginTimings: false },
      output: {
        minify: false,
        // `@__PURE__` and the like: a page has no bundler that would read them.
        comments: false,
        // Chromium then compiles the first bundle beside the page's own thread and in one go, not each function in the
        // middle of the first paint. The second bundle has much that few payments need.
        postBanner: ({ isEntry }) => (isEntry ? '//# allFunctionsCalledOnLoad' : ''),
        sourcemapPathTransform: rootRelative(import.meta.dirname),
        // Dictionaries have no hash in their names: the entry lists them all, and hashes do not compress.
        chunkFileNames: ({ facadeModuleId }) =>
          facadeModuleId?.includes('/widget/locales/') ? 'locale-[name].js' : '[name]-[hash].js',
      },
    },
  },
});
