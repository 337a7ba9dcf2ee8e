// Compares a clock with the one of this machine.
import { ok, warn, type Finding } from './report.ts';

/** A Date header has whole seconds, and the answer took some time. */
const TOLERANCE_MS = 3_000;

export function clockFinding(about: string, theirs: number, now = Date.now()): Finding {
  const aheadMs = theirs - now;
  if (Math.abs(aheadMs) <= TOLERANCE_MS) return ok(about, 'the same time as here');
  const says = `${Math.abs(Math.round(aheadMs / 1000))} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine's`;
  return warn(about, says, 'set both clocks by NTP: expiry and signatures depend on them');
}
