// How a command is called.
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
