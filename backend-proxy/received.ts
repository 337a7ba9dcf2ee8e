// What is read of another server's answer, or of the error instead of one: never more than a limit.

/** The code of the error, or its name; never its message, which may quote the other side. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** Throws if the body has more than `maxBytes`. */
export async function readBody(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > maxBytes) throw new Error('answer too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Retry-After (RFC 9110, 10.2.3): seconds, or a date. At most `maxMs`; undefined if it says neither. */
export function retryAfterMs(header: string | string[] | undefined, nowMs: number, maxMs: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  if (/^\d+$/.test(header)) return Math.min(Number(header) * 1000, maxMs);
  const at = header.endsWith(' GMT') ? Date.parse(header) : NaN;
  return Number.isNaN(at) ? undefined : Math.min(Math.max(at - nowMs, 0), maxMs);
}
