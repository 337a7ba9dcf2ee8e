// The faults that the overview has a button for, in plain words. A button switches its part of a target's fault on or
// off, ends what contradicts it, and keeps the rest. `POST /_sandbox/faults` takes any fault of faults.ts.
import { isDeepStrictEqual } from 'node:util';
import { EXCLUSIVE, type Faults, type Target } from './faults.ts';
import { Refusal } from './refusal.ts';

export interface Preset {
  id: string;
  target: Target;
  words: string;
  /** What there is to see. */
  effect: string;
  fault: object;
}

export const PRESETS: readonly Preset[] = [
  {
    id: 'pay-late',
    target: 'pay',
    words: 'Answer payment requests 5\u00a0s late',
    effect: 'The widget waits, and starts nothing twice.',
    fault: { delayMs: 5_000 },
  },
  {
    id: 'pay-lost',
    target: 'pay',
    words: 'Lose answers to payment requests',
    effect: 'The payment exists. The shop’s side has to find out.',
    fault: { dropAnswer: true },
  },
  {
    id: 'payout-refused',
    target: 'payout',
    words: 'Refuse payouts and refunds',
    effect: 'No money moves, and each fails within minutes.',
    fault: { status: 422 },
  },
  {
    id: 'payout-held',
    target: 'payout',
    words: 'Hold payouts and refunds',
    effect: 'Each waits here until you approve or decline it.',
    fault: { hold: true },
  },
  {
    id: 'status-amount',
    target: 'status',
    words: 'Answer status checks with amount 0.01',
    effect:
      'What is checked meanwhile goes to the shop’s staff for review: payments, also waiting ones, refunds and payouts.',
    fault: { tamper: { amount: 0.01 } },
  },
  {
    id: 'ipn-never',
    target: 'ipn',
    words: 'Send no notifications',
    effect: 'The shop’s side asks for the status by itself.',
    fault: { never: true },
  },
  {
    id: 'ipn-repeat',
    target: 'ipn',
    words: 'Send each notification 3 times',
    effect: 'The payment counts once.',
    fault: { repeat: 3 },
  },
];

/** Of each set at most one is on. */
const CONTRADICTIONS: readonly (readonly string[])[] = [EXCLUSIVE, ['status', 'hold'], ['never', 'repeat']];

type Parts = Readonly<Record<string, unknown>>;

export function isOn(preset: Preset, fault: object): boolean {
  const parts: Parts = { ...fault };
  return Object.entries(preset.fault).every(([name, value]) => isDeepStrictEqual(parts[name], value));
}

/** `times`: null means no limit. @throws Refusal */
export function toggle(faults: Faults, id: string, times: number | null): void {
  const preset = PRESETS.find((each) => each.id === id);
  if (!preset) throw new Refusal(400, 'INVALID_FAULTS', 'There is no such fault.');
  const { target } = preset;
  const active = faults.active().find((each) => each.target === target);
  const now = active?.fault ?? {};
  const added: Parts = { ...preset.fault };
  const excluded = CONTRADICTIONS.filter((set) => set.some((each) => each in added)).flat();
  const rest = Object.entries(now).filter(([part]) => !(part in added) && !excluded.includes(part));
  if (active && isOn(preset, now)) faults.replaceOne(target, Object.fromEntries(rest), active.left);
  else faults.replaceOne(target, { ...Object.fromEntries(rest), ...added }, times);
}
