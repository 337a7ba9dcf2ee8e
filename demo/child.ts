// One child process of the demo: started, heard, ended by its id. Owns that none outlives its parent: it is tied to this
// process by a channel whose closing ends it (so even a kill -9 of the parent leaves nothing behind), and killed where it
// does not go by itself. Knows nothing of what the child does.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const LAST_LINES = 12;
const END_WITHIN_MS = 5_000;
const ASK_EVERY_MS = 50;

/** Run inside the child before its own code. The listener keeps the channel from holding the child open. */
const TIE = `data:text/javascript,${encodeURIComponent(
  "process.once('disconnect', () => process.kill(process.pid, 'SIGKILL')); process.channel?.unref();",
)}`;

/** The last two bring a debugger into the child. */
const INHERITED =
  /^(PATH|SYSTEMROOT|TEMP|TMP|TMPDIR|HOME|USERPROFILE|LOG_LEVEL|NODE_V8_COVERAGE|NODE_OPTIONS|VSCODE_INSPECTOR_OPTIONS)$/i;

/** What a child needs of this process's environment; settings meant for something else, secrets among them, stay out. */
export function inheritedEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([key]) => INHERITED.test(key)));
}

export interface ChildSettings {
  name: string;
  file: string;
  env: Record<string, string>;
  /** Whether the child answers already; asked again and again until it does. */
  isReady: () => Promise<boolean>;
  readyWithinMs: number;
  /** Called with each line it writes, on either stream. */
  onLine: (line: string) => void;
  /** Called when it was ready, and ends without being asked to. */
  onDeath: (message: string) => void;
}

export class Child {
  readonly #settings: ChildSettings;
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #lastLines: string[] = [];
  #hasEnded = false;
  #isReady = false;
  #isAskedToEnd = false;

  constructor(settings: ChildSettings) {
    this.#settings = settings;
    this.#process = spawn(process.execPath, ['--import', TIE, settings.file], {
      env: { ...inheritedEnvironment(), ...settings.env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      windowsHide: true,
    });
    this.#process.channel?.unref();
    this.#listen();
    this.#ended = once(this.#process, 'close').then(
      ([code, signal]) => this.#bury(`ended by itself (${String(signal ?? code)})`),
      (error: unknown) => this.#bury(`could not be started: ${String(error)}`),
    );
  }

  /** Resolves when the child answers. Throws, with its last words, where it ends before, or does not answer in time. */
  async ready(): Promise<void> {
    const { isReady, readyWithinMs } = this.#settings;
    const deadline = performance.now() + readyWithinMs;
    while (!this.#hasEnded && performance.now() < deadline) {
      this.#isReady = await isReady();
      if (this.#isReady && !this.#hasEnded) return;
      await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
    }
    const what = this.#hasEnded ? 'ended while it started' : `did not answer within ${readyWithinMs} ms`;
    throw new Error(this.#obituary(what));
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Asks it to end, and after 5 s makes it. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.#isAskedToEnd = true;
    if (!this.#hasEnded) this.#process.kill(signal);
    const killer = setTimeout(() => this.kill(), END_WITHIN_MS);
    await this.#ended;
    clearTimeout(killer);
  }

  /** At once, without waiting: for the moment in which this process itself ends. */
  kill(): void {
    this.#isAskedToEnd = true;
    if (!this.#hasEnded) this.#process.kill('SIGKILL');
  }

  #listen(): void {
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      if (stream !== null) createInterface({ input: stream }).on('line', (line) => this.#hear(line));
    }
  }

  #hear(line: string): void {
    this.#settings.onLine(line);
    this.#lastLines.push(line);
    if (this.#lastLines.length > LAST_LINES) this.#lastLines.shift();
  }

  #bury(what: string): void {
    this.#hasEnded = true;
    if (this.#isReady && !this.#isAskedToEnd) this.#settings.onDeath(this.#obituary(what));
  }

  #obituary(what: string): string {
    const lastWords = this.#lastLines.map((line) => `  ${line}`);
    return [
      `The ${this.#settings.name} ${what}.`,
      ...(lastWords.length > 0 ? ['It said last:', ...lastWords] : []),
    ].join('\n');
  }
}
