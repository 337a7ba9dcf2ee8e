// Secrets in files, reading a file that an operator named, and secrets that are used for two things.
// NAME_FILE holds the path of a file with the secret, in place of NAME, so that the secret is in no environment that
// other processes can read. systemd's credentials and the secrets of containers are such files.
import { closeSync, openSync, readSync } from 'node:fs';
import { getSystemErrorMessage } from 'node:util';

/** Ten times a list of the longest secrets. */
const MAX_BYTES = 65_536;

interface WithSecrets {
  /** The variables, each secret in its own. */
  given: Record<string, string>;
  /** Wrong variables with what is allowed; never a path, because a secret may stand there by mistake. */
  problems: { name: string; problem: string }[];
}

/** Reads the file of each of `secrets` that has one. Empty variables count as unset. */
export function readSecretFiles(env: Readonly<Record<string, string | undefined>>, secrets: readonly string[]) {
  const entries = Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const read: WithSecrets = { given: Object.fromEntries(entries), problems: [] };
  for (const name of secrets) {
    const path = read.given[fileVariable(name)];
    if (path === undefined) continue;
    if (read.given[name] !== undefined) {
      read.problems.push({ name: fileVariable(name), problem: `${name} is set as well; keep one of them` });
      continue;
    }
    const result = readSecret(path);
    if ('problem' in result) read.problems.push({ name: fileVariable(name), problem: result.problem });
    else read.given[name] = result.secret;
  }
  return read;
}

export function fileVariable(name: string): string {
  return `${name}_FILE`;
}

/** Without the newline that editors and `echo` put at the end. */
function readSecret(path: string): { secret: string } | { problem: string } {
  try {
    const text = readLimited(path, MAX_BYTES).replace(/\r?\n$/, '');
    return text === '' ? { problem: 'the file is empty' } : { secret: text };
  } catch (error) {
    return { problem: `the path of a file that the proxy can read; ${reasonOf(error)}` };
  }
}

/** The system's words, because Node's own message also has the path. */
function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return error.message;
  const errno = error instanceof Error && 'errno' in error ? error.errno : undefined;
  return typeof errno === 'number' ? getSystemErrorMessage(errno) : 'it cannot be read';
}

// Reads a file whose path an operator has set, and no more of it than it can need: it may name a device that never
// ends.

/** @throws a RangeError if the file is larger, with words for the operator */
export function readLimited(path: string, maxBytes: number): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (;;) {
      const added = readSync(file, bytes, length, bytes.length - length, null);
      length += added;
      if (length > maxBytes) throw new RangeError(`it is larger than ${maxBytes} bytes`);
      if (added === 0) return bytes.toString('utf8', 0, length);
    }
  } finally {
    closeSync(file);
  }
}

// Finds secrets that are used for two things. Each secret has a holder, who must not be able to do what another secret
// allows.

/** Who holds it besides the proxy. */
const HOLDERS = {
  MERCHANT_API_KEY: "the merchant's server",
  MERCHANT_KEYS: 'the holder of a key with a scope',
  ORDER_SECRET: "the merchant's server",
  WEBHOOK_SECRET: "the merchant's server",
  GATEWAY_API_KEY: 'the gateway',
  IPN_SECRET: 'the gateway',
  METRICS_TOKEN: 'monitoring',
  ADMIN_TOKEN: 'the operator',
} as const;

export type HeldSecret = keyof typeof HOLDERS;

const SECRETS = Object.keys(HOLDERS) as HeldSecret[];

interface SharedSecrets {
  /** Two holders have the same secret: one of them can act as the other. */
  refused: { name: string; problem: string }[];
  /** One holder uses it for two things: replacing it for one replaces it for both. */
  warned: string[];
}

/** `secretsIn` splits the value of a variable into its secrets. */
export function sharedSecrets(
  given: Readonly<Record<string, string | undefined>>,
  secretsIn: (name: string, value: string) => string[],
): SharedSecrets {
  const shared: SharedSecrets = { refused: [], warned: [] };
  for (const [at, name] of SECRETS.entries()) {
    const mine = new Set(secretsIn(name, given[name] ?? ''));
    for (const other of SECRETS.slice(at + 1)) {
      if (!secretsIn(other, given[other] ?? '').some((secret) => mine.has(secret))) continue;
      if (HOLDERS[name] === HOLDERS[other]) {
        shared.warned.push(`${name} and ${other} are the same secret; make one for each`);
      } else {
        const problem = `the same secret as ${name}, which ${HOLDERS[name]} has and ${HOLDERS[other]} must not have`;
        shared.refused.push({ name: other, problem });
      }
    }
  }
  return shared;
}
