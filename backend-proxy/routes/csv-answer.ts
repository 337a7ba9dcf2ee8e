// Answers of text/csv.
import type { Context } from 'hono';
import { writesBodies } from '../http/server.ts';
import { answer } from '../http/answer.ts';
import type { Export } from './exports.ts';

export function wantsCsv(c: Context): boolean {
  return /\btext\/csv\b/i.test(c.req.header('Accept') ?? '');
}

/** The type says nothing: the document describes CSV as a string. */
export function csvAnswer(c: Context, body: string | Export, name: string): never {
  return answer(c, bodyOf(c, body), 200, {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="${name}.csv"`,
    'Cache-Control': 'no-store, no-transform',
    Vary: 'Accept',
    'X-Accel-Buffering': 'no',
  }) as never;
}

/** Null if it is written to the socket after the head. */
function bodyOf(c: Context, body: string | Export): string | ReadableStream<Uint8Array> | null {
  if (typeof body === 'string') return body;
  if (!writesBodies(c.env)) return body.toWebStream();
  c.env.writeBody = (outgoing) => body.writeTo(outgoing);
  return null;
}

/** The file's name, of checked times and days only. */
export function csvName(what: string, { from, to }: { from?: string | undefined; to?: string | undefined }): string {
  const parts = [what, from && `from-${from.slice(0, 10)}`, to && `to-${to.slice(0, 10)}`];
  return parts.filter((part) => part !== undefined && part !== '').join('-');
}
