// Preloaded into a process (`node --import`): shifts its wall clock by CLOCK_OFFSET_MS, and to another offset when the
// parent sends one. performance.now() and timers stay right, as on a host whose clock is set.
const RealDate = Date;
let offsetMs = Number(process.env['CLOCK_OFFSET_MS'] ?? 0);

process.on('message', (message: { offsetMs?: number }) => {
  offsetMs = message.offsetMs ?? offsetMs;
});
// The listener would keep the channel open, and with it the process.
process.channel?.unref();

const now = () => RealDate.now() + offsetMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given: unknown[], newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget) as Date,
  apply: () => new RealDate(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
});
