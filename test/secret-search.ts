// Finds secrets where they must not be: logs, answers, pages, files. It searches for them as they are and in likely
// encodings: base64 of either alphabet at any offset, hexadecimal, percent-encoding. It searches for the first 16
// bytes, so that a truncated secret is found too, and in bytes, because a database is not text.

const SEARCHED_BYTES = 16;
const WEBHOOK_PREFIX = 'whsec_';

/** The names of the secrets that are in it. */
export type Search = (where: string | Uint8Array) => string[];

export function createSearch(secrets: Readonly<Record<string, string>>): Search {
  const named = Object.entries(secrets).map(([name, secret]) => ({
    name,
    written: meanings(secret).flatMap(writings),
  }));
  return (where) => {
    const bytes = Buffer.from(where);
    return named
      .filter(({ written }) => written.some((text) => bytes.includes(text, 0, 'latin1')))
      .map(({ name }) => name);
  };
}

/** The secret bytes: a webhook's secret is the base64 of its key, and either form can sign. */
function meanings(secret: string): Buffer[] {
  const text = secret.startsWith(WEBHOOK_PREFIX) ? secret.slice(WEBHOOK_PREFIX.length) : secret;
  const all = [Buffer.from(text), ...(text === secret ? [] : [Buffer.from(text, 'base64')])];
  if (all.some(({ length }) => length < SEARCHED_BYTES)) throw new Error('Too short to be told from other text');
  return all.map((meaning) => meaning.subarray(0, SEARCHED_BYTES));
}

function writings(part: Buffer): string[] {
  const hex = part.toString('hex');
  const raw = part.toString('latin1');
  const base64 = [0, 1, 2].map((offset) => base64At(part, offset));
  return [
    raw,
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    ...base64.map(encodeURIComponent),
    // As in a form's fields, and with every byte escaped in either case.
    encodeURIComponent(raw),
    hex.replace(/../g, '%$&'),
    hex.toUpperCase().replace(/../g, '%$&'),
  ];
}

/** The base64 characters that depend on these bytes alone, at this offset modulo 3. */
function base64At(part: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), part]).toString('base64');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + part.length) * 8) / 6));
}
