// How long a call to the gateway may last, and how many status checks run at once. Every limit that has to be longer
// is a sum of these, so that changing one keeps shutdowns, leases, idle limits and the widget right. Pure.
import { HOUR_MS, SECOND_MS } from './durations.ts';

/** From the connection to the last byte of the answer. */
export const GATEWAY_TIMEOUT_MS = 30 * SECOND_MS;
/** The process that makes a call has recorded its end by then, or has died. */
export const CALL_OVER_MS = GATEWAY_TIMEOUT_MS + 15 * SECOND_MS;
/** An answer that cannot be stored is held in memory and tried again for this long. */
export const ANSWER_HELD_MS = HOUR_MS;
/** Connections for status checks: one more check would wait for one, and appear slow. */
export const STATUS_CONNECTIONS = 24;
