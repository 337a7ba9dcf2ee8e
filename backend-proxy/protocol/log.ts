// What the proxy's parts report to an operator: an event and its fields, which hold no secret. observability/log.ts
// writes them.

export type Level = 'error' | 'warn' | 'info' | 'debug';

/** Logs an event and fields that hold no secret. */
export type Log = (level: Level, event: string, fields?: Record<string, unknown>) => void;

/** What an operator should fix. */
export interface Warning {
  /** The part, and what to do about it: open to all at /readyz. */
  warning: string;
  /** Names and figures of this installation, for the log and the operator's page. */
  detail?: string;
}
