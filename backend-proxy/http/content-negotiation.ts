// Which encoding is sent to a client, and whether it has the answer already (RFC 9110, 12.5.3 and 13.1.2).

/** From the smallest answer to the largest: the order among those that a client accepts equally. */
const CODINGS = ['br', 'gzip', 'identity'] as const;
export type Coding = (typeof CODINGS)[number];

/** Chooses by the request's `Accept-Encoding`. A client that refuses all of them is sent `identity`. */
export function chooseCoding(accepted: string | undefined): Coding {
  const weights = new Map((accepted ?? '').split(',').map(weighed));
  const weightOf = (coding: Coding): number => {
    // An encoding that is not named is refused, except `identity`, which is the last choice.
    const unnamed = coding === 'identity' ? Number.MIN_VALUE : 0;
    return weights.get(coding) ?? weights.get('*') ?? unnamed;
  };
  const [best] = CODINGS.toSorted((a, b) => weightOf(b) - weightOf(a));
  return best !== undefined && weightOf(best) > 0 ? best : 'identity';
}

/** `gzip;q=0.5` → name and weight. A weight that is not a number refuses. */
function weighed(part: string): [name: string, weight: number] {
  const [name = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase());
  const q = parameters.find((each) => each.startsWith('q='));
  const weight = q === undefined ? 1 : Number(q.slice('q='.length));
  return [name === 'x-gzip' ? 'gzip' : name, Number.isFinite(weight) ? weight : 0];
}

/** Whether an `If-None-Match` names the entity tag. Compared weakly: a cache that compresses marks tags with `W/`. */
export function hasMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return header.split(',').some((tag) => opaque(tag) === opaque(etag));
}
