// How long a call to the gateway may last, and how many status checks run at once. Every limit that has to be longer
// is a sum of these, so that changing one keeps shutdowns, leases, idle limits and the widget right. Pure.
import { SECOND_MS } from './durations.ts';

/** From the connection to the last byte of the answer. */
export const GATEWAY_TIMEOUT_MS = 30 * SECOND_MS;
/**
 * After this from the commit, others take the answer for lost. A call that was sent late may end later still; its
 * answer is recorded all the same.
 */
export const CALL_OVER_MS = GATEWAY_TIMEOUT_MS + 15 * SECOND_MS;
/** Connections for status checks: one more check would wait for one, and appear slow. */
export const STATUS_CONNECTIONS = 24;
/** The most status checks that one proxy begins in a second, unless the operator says otherwise. */
export const CHECKS_PER_SECOND = 500;
