// Drives WebKitGTK for @web/test-runner with WebDriver's few JSON requests, without a package. Starts Xvfb, because
// this browser has no headless mode, so that no window opens on the developer's desktop. Runs its processes from the
// first session until stop(). One window and one test file at a time, because only then does the window have the focus.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import type { BrowserLauncher } from '@web/test-runner';
import { freePort } from './free-port.ts';

const DRIVER = '/usr/bin/WebKitWebDriver';
const SCREEN = '/usr/bin/Xvfb';
const START_TIMEOUT_MS = 20_000;
const POLL_MS = 50;

export function hasWebKit(): boolean {
  return existsSync(DRIVER) && existsSync(SCREEN);
}

export class WebKitLauncher implements BrowserLauncher {
  readonly name = 'WebKitGTK';
  readonly type = 'webdriver';
  readonly concurrency = 1;
  /** The browser's version, once it runs. */
  version = '';
  readonly #processes: ChildProcess[] = [];
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
    process.once('exit', () => this.#kill());
    const screen = this.#start(SCREEN, ['-displayfd', '1', '-nolisten', 'tcp', '-screen', '0', '1280x1024x24']);
    const [display] = await Promise.race([once(screen.stdout ?? screen, 'data'), ended(screen)]);
    // The driver also accepts port 0, but does not print the port it then has.
    const port = await freePort();
    const driver = this.#start(DRIVER, [`--port=${port}`], { DISPLAY: `:${String(display).trim()}` });
    const server = `http://127.0.0.1:${port}`;
    await Promise.race([answering(`${server}/status`), ended(driver)]);
    const { sessionId, capabilities } = await ask<{ sessionId: string; capabilities: { browserVersion: string } }>(
      'POST',
      `${server}/session`,
      { capabilities: {} },
    );
    this.version = capabilities.browserVersion;
    return `${server}/session/${sessionId}`;
  }

  #start(program: string, args: string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
    // Only Xvfb's output is needed; an unread pipe would fill up.
    const output = program === SCREEN ? 'pipe' : 'ignore';
    const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', output, 'ignore'] });
    this.#processes.push(child);
    return child;
  }

  /** In reverse order, Xvfb last, because a window without its screen reports errors. */
  #kill(): void {
    for (const child of this.#processes.splice(0).toReversed()) child.kill();
  }
}

/** Rejects, even if the program could not be started. */
async function ended(child: ChildProcess): Promise<never> {
  await once(child, 'exit');
  throw new Error(`${child.spawnfile} ended before it was ready`);
}

async function answering(url: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await fetch(url).catch(() => null))) {
    if (Date.now() > deadline) throw new Error(`No answer from ${url}`);
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS);
    });
  }
}

/** Returns the value of a WebDriver command. */
async function ask<Value>(method: string, url: string, body?: object): Promise<Value> {
  const response = await fetch(url, { method, body: body ? JSON.stringify(body) : null });
  const { value } = (await response.json()) as { value: Value & { error?: string; message?: string } };
  if (!response.ok) throw new Error(`${method} ${url}: ${value.error}, ${value.message}`);
  return value;
}
