// One child process: started, watched until it is ready, and ended by its id. It never outlives its parent, even
// after a kill -9: it ends itself as soon as the channel to this process closes. A child that does not end in time is
// killed.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const LAST_LINES = 12;
const END_WITHIN_MS = 5_000;
const POLL_EVERY_MS = 50;

/** Runs in the child before its own code. `unref` lets the child exit while the channel is open. */
export const EXIT_WITH_PARENT = `data:text/javascript,${encodeURIComponent(
  "process.once('disconnect', () => process.kill(process.pid, 'SIGKILL')); process.channel?.unref();",
)}`;

/** The last two bring a debugger into the child. */
const INHERITED = new RegExp(
  '^(PATH|SYSTEMROOT|TEMP|TMP|TMPDIR|HOME|USERPROFILE|LOG_LEVEL' +
    '|NODE_COMPILE_CACHE|NODE_V8_COVERAGE|NODE_OPTIONS|VSCODE_INSPECTOR_OPTIONS)$',
  'i',
);

/** The variables that a child needs; others of this process, such as secrets, are not passed on. */
export function inheritedEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([key]) => INHERITED.test(key)));
}

export interface ChildSettings {
  name: string;
  file: string;
  env: Record<string, string>;
  /** Whether the child is ready; asked every 50 ms until it is. */
  isReady: () => boolean;
  readyWithinMs: number;
  /** Called with each line that the child writes to stdout or stderr. */
  onLine: (line: string) => void;
  /** Called if the child ends by itself after it was ready. */
  onExit: (message: string) => void;
}

export class Child {
  readonly #settings: ChildSettings;
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #lastLines: string[] = [];
  #hasEnded = false;
  #isReady = false;
  #isEnding = false;

  constructor(settings: ChildSettings) {
    this.#settings = settings;
    this.#process = spawn(process.execPath, ['--import', EXIT_WITH_PARENT, settings.file], {
      env: { ...inheritedEnvironment(), ...settings.env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      windowsHide: true,
    });
    this.#process.channel?.unref();
    this.#readLines();
    this.#ended = once(this.#process, 'close').then(
      ([code, signal]) => this.#exited(`ended by itself (${String(signal ?? code)})`),
      (error: unknown) => this.#exited(`could not be started: ${String(error)}`),
    );
  }

  /** Resolves when the child is ready. Throws, with its last lines, if it ends first or is too slow. */
  async ready(): Promise<void> {
    const { isReady, readyWithinMs } = this.#settings;
    const deadline = performance.now() + readyWithinMs;
    while (!this.#hasEnded && performance.now() < deadline) {
      this.#isReady = isReady();
      if (this.#isReady && !this.#hasEnded) return;
      await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
    }
    const reason = this.#hasEnded ? 'ended while it started' : `was not ready within ${readyWithinMs} ms`;
    throw new Error(this.#report(reason));
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Sends the signal, and SIGKILL after 5 s. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.#isEnding = true;
    if (!this.#hasEnded) this.#process.kill(signal);
    const killer = setTimeout(() => this.kill(), END_WITHIN_MS);
    await this.#ended;
    clearTimeout(killer);
  }

  /** Kills it without waiting, for use while this process exits. */
  kill(): void {
    this.#isEnding = true;
    if (!this.#hasEnded) this.#process.kill('SIGKILL');
  }

  #readLines(): void {
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      if (stream !== null) createInterface({ input: stream }).on('line', (line) => this.#addLine(line));
    }
  }

  #addLine(line: string): void {
    this.#settings.onLine(line);
    this.#lastLines.push(line);
    if (this.#lastLines.length > LAST_LINES) this.#lastLines.shift();
  }

  #exited(reason: string): void {
    this.#hasEnded = true;
    if (this.#isReady && !this.#isEnding) this.#settings.onExit(this.#report(reason));
  }

  #report(reason: string): string {
    const lines = this.#lastLines.map((line) => `  ${line}`);
    return [`The ${this.#settings.name} ${reason}.`, ...(lines.length > 0 ? ['Its last lines:', ...lines] : [])].join(
      '\n',
    );
  }
}
