// Runs test/widget in Chromium and in Firefox, if that is installed, one after the other, so that they do not slow each
// other down.
import { existsSync } from 'node:fs';
import { chromeLauncher, puppeteerCore } from '@web/test-runner-chrome';
import chromium from './web-test-runner.config.mjs';

const { FIREFOX_PATH } = process.env;
if (FIREFOX_PATH !== undefined && !existsSync(FIREFOX_PATH))
  throw new Error(`FIREFOX_PATH names no file: ${FIREFOX_PATH}`);
const INSTALLED = ['/usr/bin/firefox', '/usr/bin/firefox-esr', '/Applications/Firefox.app/Contents/MacOS/firefox'];
const executablePath = FIREFOX_PATH ?? INSTALLED.find((path) => existsSync(path));
if (executablePath === undefined)
  console.log('Firefox: skipped, not installed. Install it (Debian: firefox-esr), or set FIREFOX_PATH.');
const firefox = chromeLauncher({
  puppeteer: puppeteerCore,
  launchOptions: { browser: 'firefox', executablePath },
  // A background tab has no animation frames and no focus.
  concurrency: 1,
  createBrowserContext: ({ browser }) => browser.defaultBrowserContext(),
});

export default {
  ...chromium,
  browsers: [...chromium.browsers, ...(executablePath === undefined ? [] : [firefox])],
  concurrentBrowsers: 1,
};
