// Units of time in milliseconds, and the moment at which the tests' clocks start.
export { DAY_MS as D, HOUR_MS as H, MINUTE_MS as M, SECOND_MS as S } from '../../backend-proxy/protocol/durations.ts';
export const NOON = Date.UTC(2026, 10, 20, 12);
