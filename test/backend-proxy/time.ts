// Units of time in milliseconds, and the moment at which the tests' clocks start.
export const S = 1_000;
export const M = 60 * S;
export const H = 60 * M;
export const D = 24 * H;
export const NOON = Date.UTC(2026, 10, 20, 12);
