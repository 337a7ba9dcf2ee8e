// Reads and validates the environment, MERCHANT_KEYS included, and warns of misspelled variables.
// No other module reads it. A missing or wrong variable ends the start with one message that names each wrong variable
// and the allowed values, never the value itself: it may be a secret. What is merely suspicious is a warning.
import { resolve } from 'node:path';
import { z } from 'zod';
import { DEFAULT_PROFILE, profileSchema, type Profile } from '../gateway/profile.ts';
import { CONNECTIONS } from '../ledger/postgres/connection.ts';
import { MIN_SECRET_BYTES } from '../orders/order-token.ts';
import { DAY_MS, CHECKS_PER_SECOND } from '../protocol/durations.ts';
import { isLoopbackName, isSafeWebUrl } from '../protocol/links.ts';
import { SCOPE_NAMES, merchantKey, type MerchantKey, type Scope } from '../protocol/merchant-key.ts';
import { nearest } from '../protocol/nearest.ts';
import { LAST_SWEEP_MS } from '../protocol/schedule.ts';
import { SOURCES } from '../protocol/transaction.ts';
import { isInOwnNetwork } from './addresses.ts';
import { readLimited, fileVariable, readSecretFiles, sharedSecrets, type HeldSecret } from './secrets.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const list = (value: string): string[] =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** A comma-separated list whose parts all satisfy `isAllowed`; the error message omits the value. */
const listOf = (allowed: string, isAllowed: (part: string) => boolean) =>
  z
    .string({ error: `missing: ${allowed}` })
    .transform(list)
    .refine((parts) => parts.length > 0 && parts.every(isAllowed), { error: allowed });

const webUrl = (allowed: string, isAllowed: (url: URL) => boolean = isSafeWebUrl) =>
  z
    .string({ error: `missing: ${allowed}` })
    .refine((text) => URL.canParse(text) && isAllowed(new URL(text)), { error: allowed });

const OPERATORS_URL = 'https, or http on loopback, at a private address or at a name without a dot';
const isOperatorsUrl = (url: URL): boolean =>
  isSafeWebUrl(url) || (url.protocol === 'http:' && isInOwnNetwork(url) && url.username === '' && url.password === '');

/** A base URL without query or fragment, because paths are appended to it. */
const baseUrl = (allowed: string, isAllowed?: (url: URL) => boolean) =>
  webUrl(allowed, isAllowed).refine((text) => !/[?#]/.test(text), { error: allowed });

const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text;

function isWebhookSecret(text: string): boolean {
  const bytes = Buffer.from(text.slice('whsec_'.length), 'base64').byteLength;
  return /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text) && bytes >= 24 && bytes <= 64;
}

const wholeNumber = (least: number, most: number) => {
  const allowed = { error: `a whole number from ${least} to ${most}` };
  return z.coerce.number(allowed).int(allowed).min(least, allowed).max(most, allowed);
};

const API_KEY = 'at least 32 printable characters, or a comma-separated list of such keys';

const merchantKeys = z.string().transform((text, { issues }) => {
  const { keys, problems } = readMerchantKeys(list(text));
  for (const message of problems) issues.push({ code: 'custom', message, input: '' });
  return keys;
});

const schema = z
  .object({
    GATEWAY_URL: baseUrl(`the gateway's base URL: ${OPERATORS_URL}`, isOperatorsUrl),
    GATEWAY_API_KEY: z
      .string({ error: 'missing: the key issued by the gateway' })
      .regex(/^[!-~]{1,512}$/, { error: 'printable ASCII, no spaces' }),
    GATEWAY_PROFILE: z.string().optional(),
    GATEWAY_RENAMED_FROM: z.string().max(300).optional(),
    GATEWAY_WEAKER_MODE: z.enum(['yes', 'no'], { error: 'yes or no' }).optional(),
    ORDER_ID_PREFIX: z
      .string()
      .regex(/^[A-Za-z0-9_.-]{0,15}[-_.]$/, { error: '1 to 16 letters and digits, ending in -, _ or .' })
      .optional(),
    ORDER_SECRET: listOf(
      `a secret of at least ${MIN_SECRET_BYTES} bytes, or a comma-separated list of them`,
      (secret) => Buffer.byteLength(secret) >= MIN_SECRET_BYTES,
    ),
    /** Keys with every scope. This or MERCHANT_KEYS is required. */
    MERCHANT_API_KEY: listOf(API_KEY, (key) => /^[!-~]{32,}$/.test(key)).optional(),
    MERCHANT_KEYS: merchantKeys.optional(),
    IPN_SECRET: listOf(
      'at least 22 URL-safe characters (A-Z a-z 0-9 _ -), or a comma-separated list of such secrets',
      (secret) => /^[A-Za-z0-9_-]{22,}$/.test(secret),
    ),
    ALLOWED_ORIGINS: listOf(
      'exact origins like https://shop.example, comma-separated: scheme, host, port; no path, no trailing slash, no *',
      isOrigin,
    ),
    DATABASE_URL: z
      .string()
      .regex(/^(file:.+|postgres(ql)?:\/\/.+)$/, { error: 'file:PATH or postgres://…' })
      .default('file:payments.db'),
    /** When the database lost its last commits: a restore, or a failover to a standby that lagged. */
    DATABASE_RESTORED: z.iso
      .datetime({ offset: true, error: 'the RFC 3339 time of the restore or failover' })
      .optional(),
    WEBHOOK_URL: webUrl(`the merchant's endpoint: ${OPERATORS_URL}`, isOperatorsUrl).optional(),
    WEBHOOK_SECRET: listOf('whsec_ and 24 to 64 bytes in base64', isWebhookSecret).optional(),
    PUBLIC_URL: baseUrl('how browsers reach the proxy: https, or http on loopback').optional(),
    CHECKOUT_HOSTS: listOf('comma-separated hosts, like checkout.example', (host) =>
      isOrigin(`https://${host}`),
    ).optional(),
    HOST: z.string().min(1).default('127.0.0.1'),
    PORT: wholeNumber(0, 65_535).default(8787),
    LOG_LEVEL: z.enum(LOG_LEVELS, { error: `one of ${LOG_LEVELS.join(', ')}` }).default('info'),
    /** Number of reverse proxies in front, each adding to X-Forwarded-For. */
    TRUSTED_PROXIES: wholeNumber(0, 9).default(0),
    CHECKS_PER_SECOND: wholeNumber(1, 10_000).default(CHECKS_PER_SECOND),
    /** Bearer of /metrics alone; default: the merchant's keys that may read. */
    METRICS_TOKEN: listOf('at least 22 printable characters, or a comma-separated list of such tokens', (token) =>
      /^[!-~]{22,}$/.test(token),
    ).optional(),
    /** How long /readyz is 503 before the server closes. */
    DRAIN_SECONDS: wholeNumber(0, 300).default(5),
    /** Connections to PostgreSQL for queries. */
    DATABASE_POOL: wholeNumber(2, 500).default(CONNECTIONS),
    /** After so many days personal data is erased, when status checks are over; default: never. */
    RETENTION_DAYS: wholeNumber(LAST_SWEEP_MS / DAY_MS + 1, 36_500).optional(),
    /** How long a payer is kept for refunds, whatever RETENTION_DAYS says. */
    REFUND_DAYS: wholeNumber(1, 36_500).default(180),
    /** Bearer of the operator's page; it is off without one. */
    ADMIN_TOKEN: z
      .string()
      .regex(/^[!-~]{32,512}$/, { error: 'at least 32 printable characters' })
      .optional(),
    ADMIN_HOST: z.string().min(1).default('127.0.0.1'),
    ADMIN_PORT: wholeNumber(0, 65_535).default(8789),
    /** Node's switch for certificate checks; read only to refuse 0. */
    NODE_TLS_REJECT_UNAUTHORIZED: z.string().optional(),
  })
  .refine((env) => env.NODE_TLS_REJECT_UNAUTHORIZED !== '0', {
    error: 'not 0: certificates are always checked; set NODE_EXTRA_CA_CERTS to trust your own authority',
    path: ['NODE_TLS_REJECT_UNAUTHORIZED'],
  })
  .refine((env) => env.WEBHOOK_URL === undefined || env.WEBHOOK_SECRET !== undefined, {
    error: 'missing: WEBHOOK_URL is set, and webhooks must be signed',
    path: ['WEBHOOK_SECRET'],
  })
  .refine((env) => env.WEBHOOK_SECRET === undefined || env.WEBHOOK_URL !== undefined, {
    error: 'missing: WEBHOOK_SECRET is set without it',
    path: ['WEBHOOK_URL'],
  });

export type Config = Omit<z.infer<typeof schema>, 'GATEWAY_PROFILE'> & { GATEWAY_PROFILE: Profile };

/** Each may be in a file instead, named by `NAME_FILE`. DATABASE_URL has a password, and no other holder. */
const SECRETS = [
  'GATEWAY_API_KEY',
  'ORDER_SECRET',
  'MERCHANT_API_KEY',
  'MERCHANT_KEYS',
  'IPN_SECRET',
  'WEBHOOK_SECRET',
  'METRICS_TOKEN',
  'ADMIN_TOKEN',
  'DATABASE_URL',
] as const satisfies (keyof typeof schema.shape & (HeldSecret | 'DATABASE_URL'))[];

const VARIABLES = [...Object.keys(schema.shape), ...SECRETS.map(fileVariable)];

/** Variables by name. */
export type Environment = Record<string, string | undefined>;

interface Problem {
  name: string;
  problem: string;
}

/** Throws an Error whose message is written for the operator. */
export function readConfig(env: Environment): Config {
  const { given, problems: unread } = readSecretFiles(env, SECRETS);
  const parsed = schema.safeParse(given);
  const profile = readProfile(given['GATEWAY_PROFILE']);
  const wrong = parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => ({ name: path.join('.'), problem: message }));
  const problems = [
    // A secret that could not be read is not missing.
    ...wrong.filter(({ name }) => !unread.some((file) => file.name === fileVariable(name))),
    ...unread,
    ...missingKey(given),
    ...sharedSecrets(given, secretsIn).refused,
    ...sandboxSecrets(given),
    ...(Array.isArray(profile) ? profile : []),
  ];
  if (!parsed.success || Array.isArray(profile) || problems.length > 0) {
    const lines = [...problems.map(({ name, problem }) => `${name}: ${problem}`), ...misspelled(env)];
    throw new Error(`The configuration is invalid:\n${lines.map((line) => `  ${line}`).join('\n')}`);
  }
  return { ...parsed.data, GATEWAY_PROFILE: profile };
}

type Variables = z.infer<typeof schema>;

/**
 * Only the variables of these names, for a command that needs no others; one that is missing is left out.
 * Throws an Error whose message is written for the operator if one is wrong.
 */
export function readSome<Name extends keyof Variables>(
  env: Environment,
  names: readonly Name[],
): Partial<Pick<Variables, Name>> {
  const asked: readonly string[] = names;
  const { given, problems: unread } = readSecretFiles(
    env,
    SECRETS.filter((name) => asked.includes(name)),
  );
  const read = names.map((name) => ({ name, parsed: schema.shape[name].safeParse(given[name]) }));
  const wrong = read.flatMap(({ name, parsed }) =>
    parsed.success || given[name] === undefined
      ? []
      : parsed.error.issues.map(({ message }) => ({ name, problem: message })),
  );
  const problems = [...unread, ...wrong];
  if (problems.length > 0) throw new Error(problems.map(({ name, problem }) => `${name}: ${problem}`).join('\n'));
  const found = read.flatMap(({ name, parsed }) => (parsed.success ? [[name, parsed.data] as const] : []));
  return Object.fromEntries(found.filter(([, value]) => value !== undefined)) as Partial<Pick<Variables, Name>>;
}

/** Probable mistakes: misspelled variables, one secret for two things. For the log; no values. */
export function configWarnings(env: Environment): string[] {
  return [...misspelled(env), ...sharedSecrets(readSecretFiles(env, SECRETS).given, secretsIn).warned];
}

function misspelled(env: Environment): string[] {
  return misspelledVariables(Object.keys(env), VARIABLES);
}

/** The secrets in the value of a variable. */
function secretsIn(name: string, value: string): string[] {
  return name === 'MERCHANT_KEYS' ? list(value).map(keyIn) : list(value);
}

/** A file that could not be read is a problem of its own. */
function missingKey(given: Environment): Problem[] {
  const names = ['MERCHANT_API_KEY', 'MERCHANT_KEYS'].flatMap((name) => [name, fileVariable(name)]);
  const isGiven = names.some((name) => given[name] !== undefined);
  return isGiven ? [] : [{ name: 'MERCHANT_API_KEY', problem: `missing: ${API_KEY}; or MERCHANT_KEYS` }];
}

/** What `payment-sandbox` makes is in every test's log, so it opens no proxy with a gateway of another machine. */
function sandboxSecrets(given: Environment): Problem[] {
  const url = URL.parse(given['GATEWAY_URL'] ?? '');
  if (url === null || isLoopbackName(url.hostname)) return [];
  const isOfSandbox = (secret: string) =>
    secret.startsWith('sandbox-') ||
    Buffer.from(secret.replace('whsec_', ''), 'base64').toString().startsWith('sandbox-');
  return SECRETS.filter((name) => secretsIn(name, given[name] ?? '').some(isOfSandbox)).map((name) => ({
    name,
    problem: 'a secret of payment-sandbox, which is only for tests: make another one',
  }));
}

/** An unknown key is reported with the nearest key of the same section. */
function profileProblems(issue: z.core.$ZodIssue): string[] {
  if (issue.code !== 'unrecognized_keys') return [`${issue.path.join('.')}: ${issue.message}`];
  const section = issue.path.reduce<unknown>((from, key) => Reflect.get(Object(from), key), DEFAULT_PROFILE);
  return issue.keys.map((key) => {
    const place = [...issue.path, key].join('.');
    const keys = Object.keys(Object(section));
    return `${place}: unknown key${keys.length > 0 ? `; the nearest one is ${nearest(key, keys)}` : ''}`;
  });
}

const MAX_PROFILE_BYTES = 1024 * 1024;

/** The profile, or the errors of its file. */
function readProfile(path: string | undefined): Profile | Problem[] {
  if (path === undefined) return DEFAULT_PROFILE;
  try {
    const parsed = profileSchema.safeParse(JSON.parse(readLimited(path, MAX_PROFILE_BYTES)));
    if (parsed.success) return parsed.data;
    return parsed.error.issues.flatMap(profileProblems).map((problem) => ({ name: 'GATEWAY_PROFILE', problem }));
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const problem = isMissing ? 'there is no file' : 'no readable JSON of at most 1 MB in';
    return [{ name: 'GATEWAY_PROFILE', problem: `${problem} ${resolve(path)}` }];
  }
}

// Reads MERCHANT_KEYS: entries `name:scope+scope:key`. A problem names an entry by its number and never quotes it,
// because each part of it may be the key.

const NAME = /^[a-z0-9-]{1,32}$/;
const KEY = /^[A-Za-z0-9_-]{32,}$/;

/** All keys of a configuration. */
export function merchantKeysOf(config: {
  MERCHANT_API_KEY?: readonly string[] | undefined;
  MERCHANT_KEYS?: readonly MerchantKey[] | undefined;
}): MerchantKey[] {
  return [...(config.MERCHANT_API_KEY ?? []).map(merchantKey), ...(config.MERCHANT_KEYS ?? [])];
}

/** The key of an entry; the entry itself if it has no parts. */
function keyIn(entry: string): string {
  return entry.slice(entry.lastIndexOf(':') + 1);
}

/** Every wrong entry is a problem of its own. */
function readMerchantKeys(entries: readonly string[]): { keys: MerchantKey[]; problems: string[] } {
  const keys = entries.map((entry) => {
    const [name = '', scopes = '', key = ''] = entry.split(':');
    return { name, scopes: [...new Set(scopes.split('+'))] as Scope[], key };
  });
  const problems = keys.flatMap((entry, at) => {
    const first = keys.findIndex(({ key }) => key === entry.key);
    const problem = first < at ? `the same key as entry ${first + 1}` : problemOf(entry, entries[at] ?? '');
    return problem === undefined ? [] : [`entry ${at + 1}: ${problem}`];
  });
  return { keys, problems: entries.length === 0 ? ['at least one entry name:scope+scope:key'] : problems };
}

function problemOf({ name, scopes, key }: MerchantKey, entry: string): string | undefined {
  if (entry.split(':').length !== 3) return 'name:scope+scope:key, separated by commas';
  if (!NAME.test(name)) return 'its name has 1 to 32 of a-z 0-9 -';
  // In the history it could not be told from what is not this key's.
  if ((SOURCES as readonly string[]).includes(name)) return `its name is not ${name}, which the history has for others`;
  if (!scopes.every((scope) => SCOPE_NAMES.includes(scope))) return `its scopes are of ${SCOPE_NAMES.join('+')}`;
  return KEY.test(key) ? undefined : 'its key has at least 32 of A-Z a-z 0-9 _ -';
}

// Finds misspelled variables: those that begin like ours but are not ours, each with the nearest name. They may belong
// to another program, so they only cause a warning.

/** The beginning of Node's own variables. */
const FOREIGN = new Set(['NODE_']);
/** Kubernetes sets these for each service, such as one named "gateway". */
const SERVICE = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;

/** A warning for each variable that is not in `known`. */
export function misspelledVariables(names: readonly string[], known: readonly string[]): string[] {
  const beginnings = new Set(known.map(beginningOf));
  return names
    .filter((name) => beginnings.has(beginningOf(name)) && !known.includes(name) && !SERVICE.test(name))
    .map((name) => `${name} is no variable of the proxy; the nearest one is ${nearest(name, known)}`);
}

/** The part before the first `_`; a name without one has no beginning in common with others. */
function beginningOf(name: string): string {
  const beginning = name.slice(0, name.indexOf('_') + 1);
  return FOREIGN.has(beginning) || beginning === '' ? name : beginning;
}
