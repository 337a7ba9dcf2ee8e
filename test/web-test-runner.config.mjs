// Runs test/widget in a real Chromium, with the sources as they are: types stripped, nothing bundled.
import { esbuildPlugin } from '@web/dev-server-esbuild';
import { chromeLauncher } from '@web/test-runner-chrome';
import { findBrowser } from './browser.ts';

export default {
  files: 'test/widget/**/*.browser.ts',
  nodeResolve: { exportConditions: ['production'] },
  browsers: [chromeLauncher({ launchOptions: await findBrowser() })],
  plugins: [esbuildPlugin({ ts: true, target: 'es2022', tsconfig: 'tsconfig.json' })],
  testFramework: { config: { timeout: 10_000 } },
};
