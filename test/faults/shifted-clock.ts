// Loaded into a process before its own code (`node --import`): its wall clock runs ahead of or behind the machine's by what
// CLOCK_OFFSET_MS says, and steps to another offset when the parent sends one. Only the wall clock: performance.now() and timers
// stay true, as they do on a host whose clock is set.
const RealDate = Date;
let offsetMs = Number(process.env['CLOCK_OFFSET_MS'] ?? 0);

process.on('message', (message: { offsetMs?: number }) => {
  offsetMs = message.offsetMs ?? offsetMs;
});
// A listener keeps the channel open, and the process with it.
process.channel?.unref();

const now = () => RealDate.now() + offsetMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given: unknown[], newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget) as Date,
  apply: () => new RealDate(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
});
