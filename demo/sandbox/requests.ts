// Reads and validates request bodies: the values that each field takes here, the fields that each method takes in
// methods.ts. Refuses unknown and misplaced fields, so that a mistake in a request is found here and not later at a
// lenient gateway.
import { ExactNumber, parseExact } from './exact-json.ts';
import { type Method, METHODS, PRESENCE, type Presence, type TransactionType, TYPES } from './methods.ts';
import { decimalsOf, toMinor } from './money.ts';
import { type FieldError, Refusal } from './refusal.ts';

export interface CollectionRequest {
  orderId: string;
  amount: string;
  minor: bigint;
  currency: string;
  method: Method;
  returnUrl: string;
  customer: string | null;
  customerReferenceNo: string | null;
  /** Lower case. */
  language: string | null;
}

export interface PayoutRequest {
  orderId: string;
  amount: string;
  minor: bigint;
  currency: string;
  customer: string;
  note: string | null;
}

export interface StatusRequest {
  orderId: string;
  type: TransactionType;
}

/** Describes the error in the value, or returns null. */
type Check = (value: unknown) => string | null;
type Fields = Record<string, { presence: Presence; check: Check }>;
type Body = Record<string, unknown>;

const text =
  (pattern: RegExp, expected: string): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? null : `must be ${expected}`;

const oneOf =
  (names: readonly string[]): Check =>
  (value) =>
    names.some((name) => name === value) ? null : `must be one of ${names.join(', ')}`;

const number =
  (pattern: RegExp, expected: string): Check =>
  (value) => {
    if (!(value instanceof ExactNumber)) return `must be a JSON number: ${expected}`;
    if (!pattern.test(value.text) || value.text.length > 20) return `must be ${expected}`;
    return /[1-9]/.test(value.text) ? null : 'must be above zero';
  };

const orderId = text(/^[^\p{Cc}]{1,255}$/u, 'a string of 1 to 255 characters');
const currency = text(/^[A-Z]{3}$/, 'an ISO 4217 code, such as EUR');
const customer = text(/^\d{1,20}$/, 'a wallet id: a string of digits');
const amount = number(/^\d+(\.\d+)?$/, 'a plain decimal in major units, such as 10.10');
const wholeAmount = number(/^\d+$/, 'an integer in major units, such as 10');
const language = text(/^[A-Za-z]{2}$/, 'an ISO 639-1 code, such as en');

function returnUrl(value: unknown): string | null {
  const isUrl = typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value);
  return isUrl ? null : 'must be an absolute http or https URL';
}

const COLLECTION: Record<string, Check> = {
  orderId,
  amount,
  currency,
  method: oneOf(METHODS),
  returnUrl,
  customer,
  customerReferenceNo: text(/^.{1,255}$/s, 'a string'),
  language,
};

const PAYOUT: Fields = {
  orderId: { check: orderId, presence: 'required' },
  amount: { check: wholeAmount, presence: 'required' },
  currency: { check: currency, presence: 'required' },
  customer: { check: customer, presence: 'required' },
  type: { check: text(/^JETGO$/, 'JETGO, the one type of payout'), presence: 'required' },
  note: { check: text(/^.{0,1000}$/s, 'a string of up to 1000 characters'), presence: 'optional' },
};

const STATUS: Fields = {
  orderId: { check: orderId, presence: 'required' },
  type: { check: oneOf(TYPES), presence: 'required' },
};

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
export function readCollection(body: Body): CollectionRequest {
  const method = readName(body, 'method', METHODS);
  const presence: Partial<Record<string, Presence>> = PRESENCE[method];
  const fields: Fields = {};
  for (const [field, check] of Object.entries(COLLECTION)) {
    fields[field] = { check, presence: presence[field] ?? 'required' };
  }
  checkFields(body, fields, `a request with method ${method}`);
  return {
    ...readMoney(body),
    orderId: String(body['orderId']),
    method,
    returnUrl: String(body['returnUrl']),
    customer: optionalText(body['customer']),
    customerReferenceNo: optionalText(body['customerReferenceNo']),
    language: optionalText(body['language'])?.toLowerCase() ?? null,
  };
}

/** @throws Refusal naming every wrong field */
export function readPayout(body: Body): PayoutRequest {
  checkFields(body, PAYOUT, 'a payout request');
  return {
    ...readMoney(body),
    orderId: String(body['orderId']),
    customer: String(body['customer']),
    note: optionalText(body['note']),
  };
}

/** @throws Refusal naming every wrong field */
export function readStatus(body: Body): StatusRequest {
  checkFields(body, STATUS, 'a status request');
  return { orderId: String(body['orderId']), type: readName(body, 'type', TYPES) };
}

function readName<Name extends string>(body: Body, field: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === body[field]);
  if (found !== undefined) return found;
  throw invalid([{ field, message: body[field] === undefined ? 'is required' : `must be one of ${names.join(', ')}` }]);
}

function checkFields(body: Body, fields: Fields, what: string): void {
  const errors: FieldError[] = [];
  for (const [field, { presence, check }] of Object.entries(fields)) {
    const value = body[field];
    if (presence === 'no part') {
      if (field in body) errors.push({ field, message: `is not part of ${what}` });
    } else if (value === undefined || value === null) {
      if (presence === 'required') errors.push({ field, message: 'is required' });
    } else {
      const message = check(value);
      if (message !== null) errors.push({ field, message });
    }
  }
  for (const field of Object.keys(body)) {
    if (!Object.hasOwn(fields, field)) errors.push({ field, message: `is not part of ${what}` });
  }
  if (errors.length > 0) throw invalid(errors);
}

function readMoney(body: Body): { amount: string; minor: bigint; currency: string } {
  const code = String(body['currency']);
  const digits = body['amount'] instanceof ExactNumber ? body['amount'].text : '';
  const minor = toMinor(digits, code);
  if (minor === null) {
    const message = `has more decimals than ${code}, which has ${decimalsOf(code)}`;
    throw invalid([{ field: 'amount', message }]);
  }
  return { amount: digits, minor, currency: code };
}

function optionalText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function invalid(errors: FieldError[]): Refusal {
  const message = errors.map((error) => `${error.field} ${error.message}.`).join(' ');
  return new Refusal(400, 'INVALID_REQUEST', message, errors);
}
