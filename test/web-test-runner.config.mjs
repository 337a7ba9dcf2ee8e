// Runs test/widget in a real Chromium, with the sources as they are: types stripped, nothing bundled.
import { esbuildPlugin } from '@web/dev-server-esbuild';
import { chromeLauncher } from '@web/test-runner-chrome';
import { findBrowser } from './browser.ts';

const browser = await findBrowser();

export default {
  files: 'test/widget/**/*.browser.ts',
  nodeResolve: { exportConditions: ['production'] },
  browsers: [chromeLauncher({ launchOptions: { ...browser, timeout: 180_000 } })],
  // Also on two cores, where the default is one: a page waits for half of its time.
  concurrency: 2,
  plugins: [esbuildPlugin({ ts: true, target: 'es2022', tsconfig: 'tsconfig.json' })],
  // Generous, because a busy machine is slow; tests that need a time limit assert it themselves.
  browserStartTimeout: 180_000,
  testsStartTimeout: 180_000,
  testsFinishTimeout: 900_000,
  testFramework: { config: { timeout: 60_000 } },
};
