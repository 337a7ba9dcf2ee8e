// Whether the widget's files arrive as they were built, and compressed.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WIDGET_FOLDER } from '../../installation.ts';
import type { Deployed } from './deployed.ts';
import { fail, ok, skipped, warn, type Finding } from '../report.ts';
import { wordOf } from '../visit.ts';

const ENTRY = 'widget.js';
const ENCODINGS = ['br', 'gzip'] as const;

export async function tryWidgetFiles(deployed: Deployed): Promise<Finding[]> {
  return [await tryIntegrity(deployed), ...(await Promise.all(ENCODINGS.map((name) => tryEncoding(deployed, name))))];
}

async function tryIntegrity({ visit }: Deployed): Promise<Finding> {
  const about = 'widget files';
  const expected = readIntegrity();
  if (expected === undefined) return skipped(about, 'needs the widget of this installation, which is not built');
  const differing: string[] = [];
  for (const [name, integrity] of Object.entries(expected)) {
    const answer = await visit(name);
    const isSame = !('lost' in answer) && answer.status === 200 && integrityOf(answer.body) === integrity;
    if (!isSame) differing.push(name);
  }
  const count = Object.keys(expected).length;
  if (differing.length === 0) return ok(about, `all ${count} are those of this installation`);
  const says = `${differing.length} of ${count} are missing or differ from this installation, such as ${differing[0]}`;
  const remedy = 'use the version that is deployed; if it is this one, the reverse proxy changes or caches them';
  return fail(about, says, remedy);
}

function readIntegrity(): Record<string, string> | undefined {
  try {
    return JSON.parse(readFileSync(join(WIDGET_FOLDER, 'integrity.json'), 'utf8')) as Record<string, string>;
  } catch {
    return undefined;
  }
}

function integrityOf(body: Buffer): string {
  return `sha384-${createHash('sha384').update(body).digest('base64')}`;
}

async function tryEncoding({ visit }: Deployed, encoding: string): Promise<Finding> {
  const answer = await visit(ENTRY, { headers: { 'Accept-Encoding': encoding } });
  if ('lost' in answer || answer.status !== 200) return fail('compression', `${ENTRY}: ${wordOf(answer)}`, 'see above');
  const { 'content-encoding': got } = answer.headers;
  if (got === encoding) return ok('compression', `${encoding}, ${answer.body.byteLength} bytes of ${ENTRY}`);
  const remedy = 'let the reverse proxy pass on Accept-Encoding and Content-Encoding';
  return warn('compression', `${ENTRY} is not compressed by ${encoding}`, remedy);
}
