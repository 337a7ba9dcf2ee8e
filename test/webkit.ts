// Drives WebKitGTK for @web/test-runner with four requests of WebDriver. Playwright cannot drive this browser, and
// WebdriverIO, which @web/test-runner-webdriver needs, would bring 195 packages. The browser has no headless mode, so
// `xvfb-run` gives it a screen. It runs from the first session until stop(), with one window and one test file at a
// time, because only then does the window have the focus.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { BrowserLauncher } from '@web/test-runner';
import { freePort } from './free-port.ts';

const PROGRAMS = { screen: '/usr/bin/xvfb-run', driver: '/usr/bin/WebKitWebDriver' };
const MAX_START_MS = 20_000;
const POLL_MS = 50;

export function hasWebKit(): boolean {
  return Object.values(PROGRAMS).every((path) => existsSync(path));
}

export class WebKitLauncher implements BrowserLauncher {
  readonly name = 'WebKitGTK';
  readonly type = 'webdriver';
  readonly concurrency = 1;
  /** The browser's version, once it runs. */
  version = '';
  #driver: ChildProcess | undefined;
  #window: Promise<string> | undefined;
  #active: string | undefined;

  async startSession(sessionId: string, url: string): Promise<void> {
    this.#window ??= this.#open();
    this.#active = sessionId;
    await ask('POST', `${await this.#window}/url`, { url });
  }

  isActive(sessionId: string): boolean {
    return this.#active === sessionId;
  }

  async getBrowserUrl(): Promise<string | undefined> {
    return this.#window && (await ask<string>('GET', `${await this.#window}/url`));
  }

  /** An empty page ends whatever still runs in this one. */
  async stopSession(): Promise<object> {
    if (this.#window) await ask('POST', `${await this.#window}/url`, { url: 'about:blank' });
    this.#active = undefined;
    return {};
  }

  startDebugSession(): Promise<void> {
    return Promise.reject(new Error('WebKitGTK runs on an invisible screen. Debug in another browser.'));
  }

  async stop(): Promise<void> {
    try {
      if (this.#window) await ask('DELETE', await this.#window);
    } finally {
      this.#kill();
    }
  }

  /** Returns the URL of a new window's session. */
  async #open(): Promise<string> {
    // The driver also accepts port 0, but does not print the port it then has.
    const port = await freePort();
    // A group of its own, so that the screen, the driver and the browser end together.
    this.#driver = spawn(PROGRAMS.screen, ['-a', PROGRAMS.driver, `--port=${port}`], {
      detached: true,
      stdio: 'ignore',
    });
    process.once('exit', () => this.#kill());
    const server = `http://127.0.0.1:${port}`;
    await Promise.race([answering(`${server}/status`), ended(this.#driver)]);
    const { sessionId, capabilities } = await ask<{ sessionId: string; capabilities: { browserVersion: string } }>(
      'POST',
      `${server}/session`,
      { capabilities: {} },
    );
    this.version = capabilities.browserVersion;
    return `${server}/session/${sessionId}`;
  }

  #kill(): void {
    if (this.#driver?.pid !== undefined && this.#driver.exitCode === null) process.kill(-this.#driver.pid);
    this.#driver = undefined;
  }
}

/** Rejects, even if the program could not be started. */
async function ended(child: ChildProcess): Promise<never> {
  await once(child, 'exit');
  throw new Error(`${child.spawnfile} ended before it was ready`);
}

async function answering(url: string): Promise<void> {
  const deadline = Date.now() + MAX_START_MS;
  while (!(await fetch(url).catch(() => null))) {
    if (Date.now() > deadline) throw new Error(`No answer from ${url}`);
    await setTimeout(POLL_MS);
  }
}

/** Returns the value of a WebDriver command. */
async function ask<Value>(method: string, url: string, body?: object): Promise<Value> {
  const response = await fetch(url, { method, body: body ? JSON.stringify(body) : null });
  const { value } = (await response.json()) as { value: Value & { error?: string; message?: string } };
  if (!response.ok) throw new Error(`${method} ${url}: ${value.error}, ${value.message}`);
  return value;
}
