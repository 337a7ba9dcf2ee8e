// Secrets in files: NAME_FILE holds the path of a file with the secret, in place of NAME, so that the secret is in no
// environment that other processes can read. systemd's credentials and the secrets of containers are such files.
import { getSystemErrorMessage } from 'node:util';
import { readLimited } from './limited-file.ts';

/** Ten times a list of the longest secrets. */
const MAX_BYTES = 65_536;

export interface WithSecrets {
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
