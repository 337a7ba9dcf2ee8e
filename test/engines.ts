// The browser engines for the element's tests: Chromium always, Firefox if it is installed. Finds them,
// and prints a table at the end: each engine's version and how many tests passed and failed. A missing engine is
// reported as skipped, never as passed.
import { existsSync } from 'node:fs';
import type { BrowserLauncher, Reporter, TestSession, TestSuiteResult } from '@web/test-runner';
import { chromeLauncher, puppeteerCore } from '@web/test-runner-chrome';
import { findBrowser } from './browser.ts';

export interface Engine {
  name: string;
  launcher: BrowserLauncher;
  /** Known once it runs; empty before. */
  version(): string;
}

export interface MissingEngine {
  name: string;
  launcher: null;
  remedy: string;
}

const FIREFOX_INSTALLED = [
  '/usr/bin/firefox',
  '/usr/bin/firefox-esr',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
  'C:/Program Files/Mozilla Firefox/firefox.exe',
];

export async function findEngines(): Promise<(Engine | MissingEngine)[]> {
  return [puppeteerEngine('Chromium', await findBrowser()), findFirefox()];
}

function findFirefox(): Engine | MissingEngine {
  const name = 'Firefox';
  const { FIREFOX_PATH } = process.env;
  if (FIREFOX_PATH !== undefined && !existsSync(FIREFOX_PATH))
    throw new Error(`FIREFOX_PATH names no file: ${FIREFOX_PATH}`);
  const executablePath = FIREFOX_PATH ?? FIREFOX_INSTALLED.find((path) => existsSync(path));
  if (executablePath === undefined)
    return { name, launcher: null, remedy: 'install it (Debian: firefox-esr), or set FIREFOX_PATH to its executable' };
  return puppeteerEngine(name, { browser: 'firefox', executablePath });
}

type LaunchOptions = NonNullable<NonNullable<Parameters<typeof chromeLauncher>[0]>['launchOptions']>;

function puppeteerEngine(name: string, launchOptions: LaunchOptions): Engine {
  let version = '';
  const launcher = chromeLauncher({
    puppeteer: puppeteerCore,
    launchOptions,
    // A background tab has no animation frames and no focus.
    concurrency: 1,
    async createBrowserContext({ browser }) {
      version = (await browser.version()).replace(/^.*\//, '');
      return browser.defaultBrowserContext();
    },
  });
  return { name, launcher, version: () => version };
}

/** Prints at the end which engines were tested and which were not. */
export function engineReporter(engines: readonly (Engine | MissingEngine)[]): Reporter {
  return {
    stop({ sessions }) {
      const lines = engines.map((engine) => [engine.name.padEnd(10), ...row(engine, sessions)].join(' '));
      console.log(`\n${lines.join('\n')}\n`);
    },
  };
}

function row(engine: Engine | MissingEngine, sessions: readonly TestSession[]): string[] {
  if (!engine.launcher) return [`skipped, not installed: ${engine.remedy}`];
  const own = sessions.filter(({ browser }) => browser === engine.launcher);
  const tests = own.flatMap(({ testResults }) => (testResults ? testsOf(testResults) : []));
  const count = (isCounted: (test: (typeof tests)[number]) => boolean) => tests.filter(isCounted).length;
  const skipped = count((test) => test.skipped);
  // A file that did not run has no tests that could fail.
  const broken = own.filter(({ testResults, passed }) => !passed && !testResults).length;
  const results = [
    `${count((test) => test.passed)} passed`,
    `${count((test) => !test.passed && !test.skipped)} failed`,
    ...(skipped ? [`${skipped} skipped`] : []),
    ...(broken ? [`files that did not run: ${broken}`] : []),
  ];
  return [(engine.version() || 'did not start').padEnd(16), results.join(', ')];
}

function testsOf({ tests, suites }: TestSuiteResult): TestSuiteResult['tests'] {
  return [...tests, ...suites.flatMap(testsOf)];
}
