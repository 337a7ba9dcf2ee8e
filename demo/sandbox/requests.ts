// Reads and validates request bodies: the values that each field takes here, the fields that each method takes in
// methods.ts. Refuses unknown and misplaced fields, so that a mistake in a request is found here and not later at a
// lenient gateway.
import { z } from 'zod';
import { ExactNumber, parseExact } from './exact-json.ts';
import { type Method, METHODS, PRESENCE, type Presence, TYPES } from './methods.ts';
import { decimalsOf, toMinor } from './money.ts';
import { type FieldError, Refusal } from './refusal.ts';

type Body = Record<string, unknown>;

const rule = (expected: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined || input === null ? 'is required' : expected),
});
const text = (pattern: RegExp, expected: string) =>
  z.string(rule(`must be ${expected}`)).regex(pattern, rule(`must be ${expected}`));
const oneOf = <Name extends string>(names: readonly Name[]) =>
  z.enum(names, rule(`must be one of ${names.join(', ')}`));
const number = (pattern: RegExp, expected: string) =>
  z
    .instanceof(ExactNumber, rule(`must be a JSON number: ${expected}`))
    .transform(({ text: digits }) => digits)
    .refine((digits) => pattern.test(digits) && digits.length <= 20, { error: `must be ${expected}`, abort: true })
    .refine((digits) => /[1-9]/.test(digits), { error: 'must be above zero' });

const URL_RULE = rule('must be an absolute http or https URL');
const orderId = text(/^[^\p{Cc}]{1,255}$/u, 'a string of 1 to 255 characters');
const currency = text(/^[A-Z]{3}$/, 'an ISO 4217 code, such as EUR');
const customer = text(/^\d{1,20}$/, 'a wallet id: a string of digits');
const reference = text(/^.{1,255}$/s, 'a string');
const language = text(/^[A-Za-z]{2}$/, 'an ISO 639-1 code, such as en').toLowerCase();
const note = text(/^.{0,1000}$/s, 'a string of up to 1000 characters');
const returnUrl = z.string(URL_RULE).refine((url) => /^https?:\/\//i.test(url) && URL.canParse(url), URL_RULE);

const optional = (field: z.ZodType<string>) => field.nullish().transform((value) => value ?? null);

const PAYOUT = z.strictObject({
  orderId,
  amount: number(/^\d+$/, 'an integer in major units, such as 10'),
  currency,
  customer,
  type: z.literal('JETGO', rule('must be JETGO, the one type of payout')),
  note: optional(note),
});

const STATUS = z.strictObject({ orderId, type: oneOf(TYPES) });

function collectionBy(method: Method) {
  const fieldBy = (presence: Presence, field: z.ZodType<string>): z.ZodType<string | null> => {
    if (presence === 'required') return field;
    if (presence === 'optional') return optional(field);
    return z
      .never({ error: `is not part of a request with method ${method}` })
      .optional()
      .transform(() => null);
  };
  const presence = PRESENCE[method];
  return z.strictObject({
    orderId,
    amount: number(/^\d+(\.\d+)?$/, 'a plain decimal in major units, such as 10.10'),
    currency,
    method: oneOf(METHODS),
    returnUrl,
    customer: fieldBy(presence.customer, customer),
    customerReferenceNo: fieldBy(presence.customerReferenceNo, reference),
    language: fieldBy(presence.language, language),
  });
}

export type CollectionRequest = ReturnType<typeof readCollection>;
export type PayoutRequest = ReturnType<typeof readPayout>;

/** @throws Refusal */
export function parseBody(source: string): Body {
  let body: unknown;
  try {
    body = parseExact(source);
  } catch {
    throw new Refusal(400, 'MALFORMED_JSON', 'The body is not JSON.');
  }
  if (typeof body === 'object' && body !== null && !Array.isArray(body) && !(body instanceof ExactNumber)) {
    return { ...body };
  }
  throw new Refusal(400, 'MALFORMED_JSON', 'The body must be a JSON object.');
}

/** @throws Refusal naming every wrong field */
export function readCollection(body: Body) {
  const { method } = read(z.object({ method: oneOf(METHODS) }), body, '');
  return withMinor(read(collectionBy(method), body, `a request with method ${method}`));
}

/** @throws Refusal naming every wrong field */
export function readPayout(body: Body) {
  return withMinor(read(PAYOUT, body, 'a payout request'));
}

/** @throws Refusal naming every wrong field */
export function readStatus(body: Body) {
  return read(STATUS, body, 'a status request');
}

function read<T>(schema: z.ZodType<T>, body: Body, what: string): T {
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  throw invalid(
    error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((field) => ({ field, message: `is not part of ${what}` }))
        : [{ field: issue.path.join('.'), message: issue.message }],
    ),
  );
}

function withMinor<Money extends { amount: string; currency: string }>(money: Money): Money & { minor: bigint } {
  const minor = toMinor(money.amount, money.currency);
  if (minor !== null) return { ...money, minor };
  const message = `has more decimals than ${money.currency}, which has ${decimalsOf(money.currency)}`;
  throw invalid([{ field: 'amount', message }]);
}

function invalid(errors: FieldError[]): Refusal {
  const message = errors.map((error) => `${error.field} ${error.message}.`).join(' ');
  return new Refusal(400, 'INVALID_REQUEST', message, errors);
}
