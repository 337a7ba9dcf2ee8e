import { defineConfig } from '@playwright/test';

/** A Chromium of yours, in place of the one that `npx playwright install chromium` brings. */
const { CHROME_PATH } = process.env;

export default defineConfig({
  testDir: 'test',
  testMatch: '*.spec.js',
  use: { launchOptions: CHROME_PATH ? { executablePath: CHROME_PATH } : {} },
});
