// How a command is called, and what `check` and `doctor` found, as text for people or as JSON.
import type { Environment } from '../config/config.ts';

export interface Call {
  /** The arguments after the command's name. */
  args: string[];
  env: Environment;
  /** Prints a line on standard output. */
  print: (line: string) => void;
  /** Aborts when nobody reads standard output any more; this ends a command that would run forever. */
  unread?: AbortSignal;
}

/** Resolves with the exit code. Throws an Error whose message is written for the operator. */
export type Run = (call: Call) => Promise<number>;

/** A wrong call: the usage is printed with it. */
export class UsageError extends Error {}

// What `check` and `doctor` found: one line for each finding, as text for people or as JSON. A finding that is not ok
// has a remedy.

export type Finding =
  | { result: 'ok'; about: string; says: string }
  | { result: 'warn' | 'FAIL'; about: string; says: string; remedy: string }
  | { result: 'skipped'; about: string; says: string };

export const ok = (about: string, says: string): Finding => ({ result: 'ok', about, says });
export const warn = (about: string, says: string, remedy: string): Finding => ({ result: 'warn', about, says, remedy });
export const fail = (about: string, says: string, remedy: string): Finding => ({ result: 'FAIL', about, says, remedy });
export const skipped = (about: string, says: string): Finding => ({ result: 'skipped', about, says });

const RESULTS = ['ok', 'warn', 'FAIL', 'skipped'] as const;
const WIDTH = Math.max(...RESULTS.map((result) => result.length));

interface Report {
  add(findings: Finding | readonly Finding[]): void;
  /** Prints the totals and returns the exit code: 1 if anything failed. */
  end(): number;
}

export function createReport(print: (line: string) => void, asJson: boolean): Report {
  const counts = { ok: 0, warn: 0, FAIL: 0, skipped: 0 };
  return {
    add(findings) {
      for (const finding of [findings].flat()) {
        counts[finding.result] += 1;
        print(asJson ? printableJson(finding) : printable(textOf(finding)));
      }
    },
    end() {
      if (!asJson) print(RESULTS.map((result) => `${counts[result]} ${result}`).join(', '));
      return counts.FAIL > 0 ? 1 : 0;
    },
  };
}

function textOf(finding: Finding): string {
  const { result, about, says } = finding;
  return `${result.padEnd(WIDTH)}  ${about}: ${says}${'remedy' in finding ? ` -> ${finding.remedy}` : ''}`;
}

/** Parts of a line may come from another server: these characters could change the terminal or reorder the line. */
const UNPRINTABLE = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;

export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, ' ');
}

/** One line of JSON with the same value, in which such characters are escaped. */
function printableJson(value: object): string {
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replaceAll(UNPRINTABLE, escaped);
}

/** A Date header has whole seconds, and the answer took some time. */
const TOLERANCE_MS = 3_000;

/** `aheadMs`: how far a clock is ahead of the one of this machine. */
export function clockFinding(about: string, aheadMs: number): Finding {
  if (Math.abs(aheadMs) <= TOLERANCE_MS) return ok(about, 'the same time as here');
  const says = `${Math.abs(Math.round(aheadMs / 1000))} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine's`;
  return warn(about, says, 'set both clocks by NTP: expiry and signatures depend on them');
}
