// Finds secrets where they may not be: logs, answers, pages, files. As they are, and in every writing that is likely on the
// way there: base64 of either alphabet at any place in what was encoded, hexadecimal, percent-encoded. The first 16 bytes are
// searched for, so a secret that was cut short is found as well. Searches bytes, because a database is no text.

const SEARCHED_BYTES = 16;
const WEBHOOK_PREFIX = 'whsec_';

/** Says which of the named secrets are in it; none, and the proof is made. */
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

/** What is secret in it: a webhook's secret is written in base64 and stands for other bytes, and either signs. */
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
    // As it would be in a form; and with every byte written out, in either case.
    encodeURIComponent(raw),
    hex.replace(/../g, '%$&'),
    hex.toUpperCase().replace(/../g, '%$&'),
  ];
}

/** The characters that these bytes alone decide, where so many others (modulo 3) stand before them. */
function base64At(part: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), part]).toString('base64');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + part.length) * 8) / 6));
}
