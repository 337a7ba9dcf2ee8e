// Signs and verifies order tokens: compact JWS (HS256) that say what is to be paid. The merchant's server signs them,
// or asks `POST /orders` to; the browser holds them and cannot change them.
import { createSecretKey, type KeyObject } from 'node:crypto';
import { SignJWT, errors as jose, jwtVerify, type JWTPayload } from 'jose';
import { z } from 'zod';
import { Refusal, fieldErrorsOf, type FieldError } from '../errors.ts';
import { isSafeWebUrl, type Origins } from '../protocol/links.ts';
import {
  methodsOf,
  METHODS,
  PURPOSES,
  WALLET_ID_FORM,
  type Metadata,
  type Method,
  type OrderClaims,
} from '../protocol/wire.ts';
import { exponentOf, minorOf } from '../protocol/money.ts';
import { editDistance, nearest } from '../protocol/nearest.ts';
import { whyTooLong } from '../protocol/transaction.ts';

/** HS256 needs a key as long as its hash (RFC 7518, 3.2). */
export const MIN_SECRET_BYTES = 32;
export const MAX_LIFETIME_S = 24 * 3600;
/** Tolerance for a merchant's clock that runs ahead of ours. */
const CLOCK_TOLERANCE_S = 60;

/** A zod error that states the allowed values, also for a missing field or a wrong type. */
const rule = (allowed: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? `required: ${allowed}` : allowed),
});
const matching = (pattern: RegExp, allowed: string) => z.string(rule(allowed)).regex(pattern, rule(allowed));
/**
 * Excludes control characters, which a database may refuse and a terminal executes, and bidirectional marks, which can
 * make a text read as another.
 */
const ONE_LINE = /^[^\p{Cc}\u202A-\u202E\u2066-\u2069]*$/u;
/** Single-line text for people. */
export const line = (most: number) => {
  const allowed = rule(`a string of 1 to ${most} characters, without control characters or bidirectional marks`);
  return z.string(allowed).min(1, allowed).max(most, allowed).regex(ONE_LINE, allowed);
};
/** Has a character that can be seen, and breaks no line. */
const NAME = /^[^\u2028\u2029]*[^\p{Z}\p{C}][^\u2028\u2029]*$/u;
const name = (most: number) =>
  line(most).regex(NAME, rule(`a name of 1 to ${most} characters in one line, not only of spaces`));

export const orderIdSchema = matching(
  /^(?!\.{1,2}$)[!-~]{1,64}$/,
  '1 to 57 printable ASCII characters, no spaces, not . or ..',
);
export const walletIdSchema = matching(WALLET_ID_FORM, 'a string of 4 to 20 digits');
export const languageSchema = matching(/^[a-z]{2}$/, 'an ISO 639-1 code in lower case');
const CURRENCY = rule('an ISO 4217 code in upper case');
export const currencySchema = z.string(CURRENCY).refine((code) => exponentOf(code) !== undefined, CURRENCY);
const AMOUNT = rule('a decimal string, like "10.10"');
const amountText = z.string(AMOUNT).max(20, AMOUNT);
const RETURN_URL = rule('a URL of at most 2048 characters');
const PAY_WITHIN = rule('a whole number of seconds, 60 to 3600');
const SUPPORT_URL = rule('an https URL of at most 2048 characters');
/** Of a data: URL. In base64url with the other claims it fits a header of 8 KB, the least that servers take. */
const LOGO_MAX = 4096;
const LOGO = rule(
  `an https URL of at most 2048 characters without a user name, or a data: URL of an image of at most ${LOGO_MAX}`,
);
const METHOD_NAMES = rule(`an object from ${METHODS.join(', ')} to names`);
const SUGGESTED = rule('a list of 1 to 4 decimal strings');
const METADATA_KEY = /^[a-z0-9_]{1,40}$/;
const METADATA_MAX_BYTES = 1024;
const METADATA = rule(
  'an object of strings without control characters or bidirectional marks, with keys of 1 to 40 of a-z, 0-9 and _, ' +
    `at most ${METADATA_MAX_BYTES} bytes as JSON`,
);
const METHOD_LIST = rule(`a list of ${METHODS.join(', ')}`);

/**
 * One check of the whole, so that an error never names a key, which may be personal too. z.record() would drop a key
 * `__proto__` without a word.
 */
const metadataSchema = z.custom<Metadata>(isMetadata, METADATA).meta({
  type: 'object',
  propertyNames: { pattern: METADATA_KEY.source },
  additionalProperties: { type: 'string' },
  description: `Your own words about the order: at most ${METADATA_MAX_BYTES} bytes as JSON`,
});

/** The claims without `exp`: the body of `POST /orders` and the payload of a token. */
export const orderClaimsShape = {
  orderId: orderIdSchema,
  currency: currencySchema,
  amount: amountText.optional(),
  minAmount: amountText.optional(),
  maxAmount: amountText.optional(),
  // Normalized by our URL parser: another parser may read another host in `https://shop.example\\@evil.example`.
  returnUrl: z.url({ protocol: /^https?$/, normalize: true, ...RETURN_URL }).max(2048, RETURN_URL),
  customer: walletIdSchema.optional(),
  customerReferenceNo: line(64).optional(),
  methods: z
    .array(z.enum(METHODS, rule(`one of ${METHODS.join(', ')}`)), METHOD_LIST)
    .min(1, METHOD_LIST)
    .max(METHODS.length, METHOD_LIST)
    .optional(),
  language: languageSchema.optional(),
  description: line(200).optional(),
  purpose: z.enum(PURPOSES, rule(`one of ${PURPOSES.join(', ')}`)).optional(),
  payWithin: z.int(PAY_WITHIN).min(60, PAY_WITHIN).max(3600, PAY_WITHIN).optional(),
  supportUrl: z
    .url({ protocol: /^https$/, normalize: true, ...SUPPORT_URL })
    .max(2048, SUPPORT_URL)
    .optional(),
  merchant: name(60).optional(),
  logo: z.string(LOGO).max(LOGO_MAX, LOGO).refine(isLogo, LOGO).optional(),
  walletName: name(30).optional(),
  methodNames: z.partialRecord(z.enum(METHODS), name(40), METHOD_NAMES).optional(),
  suggestedAmounts: z.array(amountText, SUGGESTED).min(1, SUGGESTED).max(4, SUGGESTED).optional(),
  metadata: metadataSchema.optional(),
} satisfies Record<Exclude<keyof OrderClaims, 'iat' | 'exp'>, z.ZodType>;

function isLogo(text: string): boolean {
  if (text.startsWith('data:')) return /^data:image\/[a-z+]+[;,][!-~]+$/.test(text);
  const isHttps = /^https:\/\/[^/\\][!-~]*$/.test(text) && text.length <= 2048;
  return isHttps && URL.canParse(text) && isSafeWebUrl(new URL(text));
}

function isMetadata(value: unknown): value is Metadata {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const isWell = ([key, text]: [string, unknown]) =>
    METADATA_KEY.test(key) && typeof text === 'string' && text.isWellFormed() && ONE_LINE.test(text);
  return Object.entries(value).every(isWell) && Buffer.byteLength(JSON.stringify(value)) <= METADATA_MAX_BYTES;
}

export interface OrderTerms extends OrderClaims {
  /** Minor units; null if the shopper enters it. */
  amountMinor: number | null;
  /** Bounds in minor units, if the shopper enters the amount. */
  minMinor: number;
  maxMinor: number;
  /** The methods offered, in the merchant's order. */
  methods: Method[];
}

interface ClaimsOptions {
  allowedOrigins: Origins;
  /** Characters that an order id gets at the gateway. */
  added?: { before: number; after: number };
  /** Called once for a claim that is nearly a known one. */
  onOddClaim?: (claim: string, known: string) => void;
}

/** Checks rules that span several fields. */
function checkTerms(claims: z.infer<z.ZodObject<typeof orderClaimsShape>>, options: ClaimsOptions) {
  const errors: FieldError[] = [];
  const wrong = (field: keyof OrderClaims, detail: string) => void errors.push({ field, detail });
  const { currency, amount, minAmount, maxAmount } = claims;
  const tooLong = options.added && whyTooLong(claims.orderId, options.added);
  if (tooLong !== undefined) wrong('orderId', tooLong);
  const digits = exponentOf(currency) ?? 0;
  const read = (field: 'amount' | 'minAmount' | 'maxAmount', otherwise: number): number => {
    const text = claims[field];
    if (text === undefined) return otherwise;
    const minor = minorOf(text, currency);
    if (minor !== undefined && minor > 0) return minor;
    const example = digits ? `10.${'0'.repeat(digits)}` : '10';
    wrong(field, `a decimal string above 0 with at most ${digits} decimals, like "${example}"`);
    return otherwise;
  };
  const amountMinor = amount === undefined ? null : read('amount', 0);
  const minMinor = read('minAmount', 1);
  const maxMinor = read('maxAmount', Number.MAX_SAFE_INTEGER);
  if (amount !== undefined && (minAmount ?? maxAmount) !== undefined)
    wrong('amount', 'either amount, or minAmount and maxAmount');
  if (amount === undefined && maxAmount === undefined)
    wrong('amount', 'required, or maxAmount if the shopper enters it');
  if (minMinor > maxMinor) wrong('minAmount', 'not above maxAmount');
  const isOffered = (text: string) => {
    const minor = minorOf(text, currency) ?? 0;
    return amount === undefined && minor >= minMinor && minor <= maxMinor;
  };
  if (claims.suggestedAmounts?.every(isOffered) === false)
    wrong('suggestedAmounts', 'amounts that the shopper may enter');
  const { origin, username, password } = new URL(claims.returnUrl);
  if (!options.allowedOrigins.includes(origin) || username !== '' || password !== '') {
    const { words = 'one of ALLOWED_ORIGINS' } = options.allowedOrigins;
    wrong('returnUrl', `a URL whose origin is ${words}, without a user name`);
  }
  if (new Set(claims.methods).size !== (claims.methods?.length ?? 0)) wrong('methods', 'each method once');
  const methods = methodsOf(claims);
  if (methods.length === 0) wrong('customerReferenceNo', `required for ${claims.methods?.join(', ')}`);
  return { errors, terms: { amountMinor, minMinor, maxMinor, methods } };
}

export interface OrderTokens {
  /** Signs with the first secret. `expiresAt`: milliseconds since 1970. */
  sign(
    claims: z.infer<z.ZodObject<typeof orderClaimsShape>>,
    expiresInS: number,
  ): Promise<{ token: string; expiresAt: number }>;
  /** What is wrong with claims, beside the form of each. */
  check(claims: z.infer<z.ZodObject<typeof orderClaimsShape>>): FieldError[];
  /** Throws `invalid_token` (the detail names the claim, never its value) or `token_expired`. */
  verify(token: string): Promise<OrderTerms>;
}

// `exp` is required, although a JWT may have none (RFC 7519, 4.1.4). Not strict: a library of the merchant may add
// registered claims (iss, jti …), which are ignored.
const SECONDS = rule('whole seconds since 1970');
const tokenSchema = z.object(
  { ...orderClaimsShape, iat: z.int(SECONDS).optional(), exp: z.int(SECONDS) },
  { error: 'the payload must be a JSON object' },
);

const ALGORITHM = 'HS256';

export function signToken(claims: JWTPayload, key: KeyObject): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: ALGORITHM }).sign(key);
}

export function createOrderTokens(
  secrets: readonly string[],
  options: ClaimsOptions,
  now: () => number = Date.now,
): OrderTokens {
  const keys = secrets.map((secret) => createSecretKey(Buffer.from(secret)));
  const [signingKey] = keys;
  if (signingKey === undefined || keys.some(({ symmetricKeySize: bytes = 0 }) => bytes < MIN_SECRET_BYTES)) {
    throw new Error(`An order secret needs at least ${MIN_SECRET_BYTES} bytes`);
  }

  const reportOdd = createOddClaims(options.onOddClaim);

  return {
    check: (claims) => checkTerms(claims, options).errors,
    async sign(claims, expiresInS) {
      const issuedS = Math.floor(now() / 1000);
      const exp = issuedS + expiresInS;
      return { token: await signToken({ ...claims, iat: issuedS, exp }, signingKey), expiresAt: exp * 1000 };
    },
    async verify(token) {
      const signed = await verifyNow(token, keys, now());
      const parsed = tokenSchema.safeParse(signed);
      if (!parsed.success) throw wrongClaims(fieldErrorsOf(parsed.error), signed);
      const { data } = parsed;
      if (data.exp > now() / 1000 + MAX_LIFETIME_S + CLOCK_TOLERANCE_S) {
        throw wrongClaims([{ field: 'exp', detail: 'seconds (not milliseconds) since 1970, at most 24 hours ahead' }]);
      }
      // A start by an older token than the newest seen is refused, so one from the future would end the order's tokens.
      if (data.iat !== undefined && data.iat > now() / 1000 + CLOCK_TOLERANCE_S) {
        throw wrongClaims([{ field: 'iat', detail: 'seconds (not milliseconds) since 1970, not ahead of now' }]);
      }
      const { errors, terms } = checkTerms(data, options);
      if (errors.length > 0) throw wrongClaims(errors, signed);
      reportOdd(signed);
      return { ...(data as OrderClaims), ...terms };
    },
  };
}

const CLAIMS = Object.keys(tokenSchema.shape);
/** Names that are remembered, so that each is reported once. */
const MAX_ODD = 100;

/** Other claims are ignored, so a misspelled one would be missed without a word: each with the one that was meant. */
function oddClaims(signed: object): [claim: string, known: string][] {
  const others = Object.keys(signed).filter((claim) => !CLAIMS.includes(claim) && claim.length <= 40);
  const pairs = others.map((claim): [string, string] => [claim, nearest(claim, CLAIMS)]);
  return pairs.filter(([claim, known]) => editDistance(claim, known) <= 1);
}

function createOddClaims(report: ClaimsOptions['onOddClaim']): (signed: object) => void {
  const reported = new Set<string>();
  return (signed) => {
    for (const [claim, known] of oddClaims(signed)) {
      if (reported.has(claim) || reported.size >= MAX_ODD) continue;
      reported.add(claim);
      report?.(claim, known);
    }
  };
}

function wrongClaims(wrong: FieldError[], signed: object = {}): Refusal {
  const odd = oddClaims(signed).map(([field, known]) => ({ field, detail: `unknown, most likely ${known}` }));
  const errors = [...odd, ...wrong];
  const all = errors.map(({ field, detail }) => `${field}: ${detail}`).join('; ');
  return new Refusal('invalid_token', `The order token's claims are not valid: ${all}.`, { errors });
}

/** The signed claims, if the token is valid now; their other rules are not checked. */
async function verifyNow(token: string, keys: readonly KeyObject[], nowMs: number): Promise<object> {
  for (const key of keys) {
    try {
      return (await jwtVerify(token, key, { algorithms: [ALGORITHM], currentDate: new Date(nowMs) })).payload;
    } catch (error) {
      if (error instanceof jose.JWTExpired) {
        throw new Refusal('token_expired', 'The order token has expired; the shop must issue a new one.');
      }
      if (error instanceof jose.JWTClaimValidationFailed) {
        throw wrongClaims([{ field: error.claim, detail: error.message }]);
      }
      if (!(error instanceof jose.JWSSignatureVerificationFailed)) break;
    }
  }
  throw new Refusal(
    'invalid_token',
    `The order token is missing, malformed, or not signed by HS256 with the shared secret.${hintOf(token)}`,
  );
}

function hintOf(token: string): string {
  if (/[+/]/.test(token)) return ' It has + or /: write it in base64url, with - and _.';
  const isHex = /\.[0-9a-f]{64}$/i.test(token);
  return isHex ? ' Its signature is in hex: write its 32 bytes in base64url.' : '';
}
