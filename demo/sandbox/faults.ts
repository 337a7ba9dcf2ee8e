// The ways this gateway can be told to misbehave, and which of them strikes next. Owns their validation and the count
// of how often each may still strike; api.ts and ipn.ts do the damage.
// What each does (`pay`, `payout` and `status` are the three operations, each with its own count of `times`):
//   delayMs     does the work, waits, then answers: an IPN can overtake the answer
//   status      answers this HTTP status and does nothing else
//   dropAnswer  does the work, then cuts the connection
//   halfAnswer  does the work, sends half of the bytes, then cuts the connection
//   garbage     does the work, then answers 200 with a page instead of JSON
//   tamper      does the work, then puts these fields in place of the right ones (null takes a field out)
//   refusalStatus  a refusal is said with this HTTP status in place of its own
//   lagMs       status: answers as things stood so long ago
//   qr          pay: the base64 holds this instead of text;  hold  payout: stays PROCESSING until approved by hand
//   ipn         delayMs: sent later; repeat: each is sent n times; reverse: gathered for delayMs (or a second), then
//               sent last first; never: not sent at all; tamper: as above, while the status check stays right
import { z } from 'zod';
import { Refusal } from './refusal.ts';

const delayMs = z.int().min(0).max(86_400_000).optional();
const tamper = z.record(z.string(), z.json()).optional();
const answer = {
  delayMs,
  status: z.int().min(200).max(599).optional(),
  dropAnswer: z.literal(true).optional(),
  halfAnswer: z.literal(true).optional(),
  garbage: z.literal(true).optional(),
  tamper,
  refusalStatus: z.int().min(400).max(499).optional(),
};

const ONE_OF = ['status', 'dropAnswer', 'halfAnswer', 'garbage', 'tamper'] as const;
const takesOneOf = (fault: Partial<Record<(typeof ONE_OF)[number], unknown>>) =>
  ONE_OF.filter((name) => fault[name] !== undefined).length <= 1;
const oneOfMessage = { error: `takes one of ${ONE_OF.join(', ')}` };

const FaultSet = z.strictObject({
  pay: z
    .strictObject({ ...answer, qr: z.enum(['text', 'png', 'svg']).optional() })
    .refine(takesOneOf, oneOfMessage)
    .optional(),
  payout: z
    .strictObject({ ...answer, hold: z.literal(true).optional() })
    .refine(takesOneOf, oneOfMessage)
    .optional(),
  status: z
    .strictObject({ ...answer, lagMs: delayMs })
    .refine(takesOneOf, oneOfMessage)
    .optional(),
  ipn: z
    .strictObject({
      delayMs,
      repeat: z.int().min(1).max(100).optional(),
      reverse: z.literal(true).optional(),
      never: z.literal(true).optional(),
      tamper,
    })
    .optional(),
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

  /** Takes the place of all that were in force; `{}` ends all. @throws Refusal */
  replace(wanted: unknown): void {
    const result = FaultSet.safeParse(wanted);
    if (!result.success) {
      const errors = result.error.issues.map(({ path, message }) => ({ field: path.join('.') || 'body', message }));
      const message = errors.map((error) => `${error.field}: ${error.message}.`).join(' ');
      throw new Refusal(400, 'INVALID_FAULTS', message, errors);
    }
    this.#set = result.data;
    this.#left = {};
    for (const target of TARGETS) {
      if (this.#set[target]) this.#left[target] = this.#set.times ?? Infinity;
    }
    this.#onChange();
  }

  /** The fault that strikes this request or IPN, counted as a strike. */
  take<T extends Target>(target: T): Fault<T> | undefined {
    const fault = this.#set[target];
    const left = this.#left[target] ?? 0;
    if (fault === undefined || left < 1) return undefined;
    this.#left[target] = left - 1;
    this.#onChange();
    return fault;
  }

  /** What still strikes, with the strikes left (null: no limit). */
  inForce(): { target: Target; fault: Fault<Target>; left: number | null }[] {
    return TARGETS.flatMap((target) => {
      const fault = this.#set[target];
      const left = this.#left[target] ?? 0;
      return fault && left > 0 ? [{ target, fault, left: Number.isFinite(left) ? left : null }] : [];
    });
  }
}

/** The body with other fields in place of its own. */
export function tampered(body: object, fields: Record<string, unknown> | undefined): object {
  const entries = Object.entries({ ...body, ...fields });
  return Object.fromEntries(entries.filter(([name, value]) => !(value === null && fields && name in fields)));
}
