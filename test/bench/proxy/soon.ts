// Imported by a proxy before its own code, to measure what its hourly work costs without an hour of waiting: every
// timer that repeats once a minute or more rarely repeats every two seconds.
const RARE_MS = 60_000;
const SOON_MS = 2_000;

const { setInterval: schedule } = globalThis;
globalThis.setInterval = ((act: () => void, ms: number, ...rest: []) =>
  schedule(act, ms >= RARE_MS ? SOON_MS : ms, ...rest)) as typeof setInterval;
