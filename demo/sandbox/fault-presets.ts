// The faults that the overview has a button for, in plain words: at least one for each fault of faults.ts. A button
// switches its part of a target's fault on or off and keeps the rest. `POST /_sandbox/faults` takes any fault.
import { isDeepStrictEqual } from 'node:util';
import { EXCLUSIVE, type Fault, type Faults, type Target } from './faults.ts';
import { Refusal } from './refusal.ts';

export interface Preset<T extends Target = Target> {
  id: string;
  words: string;
  fault: Fault<T>;
}

const ANSWERS = [
  { id: 'late', words: 'Answer 5 s late', fault: { delayMs: 5_000 } },
  { id: 'later', words: 'Answer 1 min late', fault: { delayMs: 60_000 } },
  { id: 'lost', words: 'Lose the answer', fault: { dropAnswer: true } },
  { id: 'half', words: 'Cut the answer in half', fault: { halfAnswer: true } },
  { id: 'html', words: 'Answer HTML', fault: { garbage: true } },
  { id: 'error-500', words: 'Fail with 500', fault: { status: 500 } },
  { id: 'error-503', words: 'Fail with 503', fault: { status: 503 } },
  { id: 'refuse-400', words: 'Use status 400 for refusals', fault: { refusalStatus: 400 } },
] as const;

export const PRESETS: { [T in Target]: readonly Preset<T>[] } = {
  pay: [
    ...ANSWERS,
    { id: 'other-order', words: 'Answer for another order', fault: { tamper: { orderId: 'another-order' } } },
    { id: 'png', words: 'Send the code as PNG', fault: { qr: 'png' } },
    { id: 'svg', words: 'Send the code as SVG', fault: { qr: 'svg' } },
  ],
  payout: [
    ...ANSWERS,
    { id: 'other-order', words: 'Answer for another order', fault: { tamper: { orderId: 'another-order' } } },
    { id: 'hold', words: 'Keep it open', fault: { hold: true } },
  ],
  status: [
    ...ANSWERS,
    { id: 'other-amount', words: 'Report another amount', fault: { tamper: { amount: 0.01 } } },
    { id: 'lag', words: 'Report the state of 1 min ago', fault: { lagMs: 60_000 } },
  ],
  ipn: [
    { id: 'never', words: 'Send none', fault: { never: true } },
    { id: 'late', words: 'Send 1 min late', fault: { delayMs: 60_000 } },
    { id: 'repeat', words: 'Send each 3 times', fault: { repeat: 3 } },
    { id: 'reverse', words: 'Hold 30 s, then send in reverse', fault: { reverse: true, delayMs: 30_000 } },
    { id: 'other-amount', words: 'Report another amount', fault: { tamper: { amount: 0.01 } } },
  ],
};

/** What people try most, by target and preset, on top of the page. */
export const COMMON = [
  ['pay.late', 'Answer payments 5 s late'],
  ['pay.lost', 'Lose the answer to a payment'],
  ['status.other-amount', 'Report another amount'],
  ['ipn.never', 'Send no IPNs'],
  ['ipn.repeat', 'Send each IPN 3 times'],
] as const;

export const TARGETS = Object.keys(PRESETS) as Target[];

type Parts = Readonly<Record<string, unknown>>;

export function isOn(preset: Preset, fault: object): boolean {
  const parts: Parts = { ...fault };
  return Object.entries(preset.fault).every(([name, value]) => isDeepStrictEqual(parts[name], value));
}

/** `name`: a target and a preset's id, such as `pay.lost`. `times`: null means no limit. @throws Refusal */
export function toggle(faults: Faults, name: string, times: number | null): void {
  const target = TARGETS.find((each) => name.startsWith(`${each}.`));
  const preset = target && PRESETS[target].find(({ id }) => name === `${target}.${id}`);
  if (!preset) throw new Refusal(400, 'INVALID_FAULTS', 'There is no such fault.');
  const active = faults.active().find((each) => each.target === target);
  const now = active?.fault ?? {};
  const added: Parts = { ...preset.fault };
  const excluded = EXCLUSIVE.some((each) => each in added) ? EXCLUSIVE : [];
  const rest = Object.entries(now).filter(([part]) => !(part in added) && !excluded.some((each) => each === part));
  if (active && isOn(preset, now)) faults.replaceOne(target, Object.fromEntries(rest), active.left);
  else faults.replaceOne(target, { ...Object.fromEntries(rest), ...added }, times);
}
