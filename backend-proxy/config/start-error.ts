// Why the proxy did not start, for the log: the messages of an error and its causes. Stacks are left out, and so are
// user names and passwords of URLs, which an error of the system or a driver may quote.
import { REMEDIES } from '../installation.ts';

const MAX_CAUSES = 8;

/** The messages from the outermost error to its first cause, each only once. */
export function reasonOf(error: unknown): string {
  const words: string[] = [];
  for (let [each, left]: [unknown, number] = [error, MAX_CAUSES]; each !== undefined && left > 0; left -= 1) {
    const message = messageOf(each);
    if (message !== '' && !words.some((word) => word.includes(message))) words.push(message);
    each = each instanceof Error ? each.cause : undefined;
  }
  return withoutCredentials(words.join(': '));
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isMissing = 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
  return isMissing
    ? `${error.message.split('\n')[0]}: the dependencies are not installed; ${REMEDIES.dependencies}.`
    : error.message;
}

function withoutCredentials(text: string): string {
  // Up to the last @, because an unencoded password may contain one, or a slash.
  return text.replace(/(\b[a-z][a-z0-9+.-]*:\/\/)\S*@/gi, '$1…@').replace(/(password=)[^\s&"']+/gi, '$1…');
}
