// The faults that can be injected into the gateway. Validates them and counts how often each still applies; api.ts
// and ipn.ts apply them. `pay`, `payout`, `status` (the operations) and `ipn` each count `times` on their own:
//   only        applies, and counts, only for this orderId and those made from it (A-1-2, A-1-r1)
//   delayMs     processes the request, waits, then answers, so that an IPN can arrive first
//   status      answers this HTTP status without processing the request
//   dropAnswer  processes the request, then closes the connection
//   halfAnswer  processes the request, sends half of the answer, then closes the connection
//   garbage     processes the request, then answers 200 with HTML instead of JSON
//   tamper      processes the request, then replaces these fields of the answer (null removes a field)
//   refusalStatus  answers a refusal with this HTTP status
//   lagMs       status: answers with the state of that long ago
//   qr          pay: encodes the code as an image instead of text
//   hold        payout: stays PROCESSING until approved by hand
//   ipn         delayMs: sends it later; repeat: sends each one n times; never: does not send;
//               reverse: collects for delayMs (or 1 s) and sends the last one first;
//               tamper: replaces fields of the IPN, not of the status check
import { z } from 'zod';
import { checked, only } from './refusal.ts';

const delayMs = z.int().min(0).max(86_400_000).optional();
const tamper = z.record(z.string(), z.json()).optional();
const answer = {
  only: z.string().max(64).optional(),
  delayMs,
  status: z.int().min(200).max(599).optional(),
  dropAnswer: z.literal(true).optional(),
  halfAnswer: z.literal(true).optional(),
  garbage: z.literal(true).optional(),
  tamper,
  refusalStatus: z.int().min(400).max(499).optional(),
};

/** At most one of them in a fault: each decides what becomes of the answer. */
export const EXCLUSIVE = ['status', 'dropAnswer', 'halfAnswer', 'garbage', 'tamper'] as const;
const takesOneOf = (fault: Partial<Record<(typeof EXCLUSIVE)[number], unknown>>) =>
  EXCLUSIVE.filter((name) => fault[name] !== undefined).length <= 1;
const oneOfMessage = { error: `takes one of ${EXCLUSIVE.join(', ')}` };

export const FaultSet = only({
  pay: only({ ...answer, qr: z.enum(['text', 'png', 'svg']).optional() })
    .refine(takesOneOf, oneOfMessage)
    .optional(),
  payout: only({ ...answer, hold: z.literal(true).optional() })
    .refine(takesOneOf, oneOfMessage)
    .optional(),
  status: only({ ...answer, lagMs: delayMs })
    .refine(takesOneOf, oneOfMessage)
    .optional(),
  ipn: only({
    only: answer.only,
    delayMs,
    repeat: z.int().min(1).max(100).optional(),
    reverse: z.literal(true).optional(),
    never: z.literal(true).optional(),
    tamper,
  }).optional(),
  times: z.int().min(1).optional(),
});

type FaultSet = z.infer<typeof FaultSet>;
export type Target = 'pay' | 'payout' | 'status' | 'ipn';
export type Fault<T extends Target> = NonNullable<FaultSet[T]>;
export type AnswerFault = Fault<'pay'> & Fault<'payout'> & Fault<'status'>;

const TARGETS = ['pay', 'payout', 'status', 'ipn'] as const;

export class Faults {
  readonly #onChange: () => void;
  #set: FaultSet = {};
  #left: Partial<Record<Target, number>> = {};

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Replaces all active faults; `{}` ends all. @throws Refusal */
  replace(wanted: unknown): void {
    this.#set = read(wanted);
    this.#left = {};
    for (const target of TARGETS) {
      if (this.#set[target]) this.#left[target] = this.#set.times ?? Infinity;
    }
    this.#onChange();
  }

  /** Replaces the fault of one target; `{}` ends it. `times`: null means no limit. @throws Refusal */
  replaceOne(target: Target, fault: object, times: number | null): void {
    const isEnd = Object.keys(fault).length === 0;
    this.#set = { ...this.#set, ...read({ [target]: fault }) };
    this.#left[target] = isEnd ? 0 : (times ?? Infinity);
    this.#onChange();
  }

  /** The fault to apply to this request or IPN; counts as one of its `times`. */
  take<T extends Target>(target: T, orderId: string | null = null): Fault<T> | undefined {
    const fault = this.#set[target];
    const left = this.#left[target] ?? 0;
    if (fault === undefined || left < 1) return undefined;
    if (fault.only !== undefined && orderId !== fault.only && !orderId?.startsWith(`${fault.only}-`)) return undefined;
    this.#left[target] = left - 1;
    this.#onChange();
    return fault;
  }

  /** `left`: how often it still applies; null means no limit. */
  active(): { target: Target; fault: Fault<Target>; left: number | null }[] {
    return TARGETS.flatMap((target) => {
      const fault = this.#set[target];
      const left = this.#left[target] ?? 0;
      return fault && left > 0 ? [{ target, fault, left: Number.isFinite(left) ? left : null }] : [];
    });
  }
}

/** @throws Refusal */
const read = (wanted: unknown): FaultSet => checked(FaultSet, wanted, 'INVALID_FAULTS');

/** The body with these fields replaced. */
export function tampered(body: object, fields: Record<string, unknown> | undefined): object {
  const entries = Object.entries({ ...body, ...fields });
  return Object.fromEntries(entries.filter(([name, value]) => !(value === null && fields && name in fields)));
}
