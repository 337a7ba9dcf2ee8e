// What the proxy's parts report to an operator: an event and its fields, which hold no secret. observability/log.ts
// writes them.

export type Level = 'error' | 'warn' | 'info' | 'debug';

/** Logs an event and fields that hold no secret. */
export type Log = (level: Level, event: string, fields?: Record<string, unknown>) => void;
