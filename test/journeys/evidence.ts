// All that a run leaves behind where a secret could be: the processes' logs, what the browsers received and showed, the
// webhooks, the proxy's answers to good and bad questions, the database's bytes. Gathers and searches; what must not be found
// is the caller's. It asks the proxy with its own secrets in places where they do not belong, so that an echo would be one.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Secrets, Stack } from '../../demo/stack.ts';
import type { Search } from '../secret-search.ts';

export interface Evidence {
  logs: string[];
  HAR: Uint8Array[];
  pages: string[];
  webhooks: string[];
  answers: string[];
  database: Uint8Array[];
}

interface Sources {
  stack: Stack;
  /** With the database's files and the browsers' records. */
  dir: string;
  pages: readonly string[];
  webhooks: readonly string[];
}

/** As many lines as the stack keeps of each part: with so many, some may be lost to us. */
const MOST_LINES = 2_000;

export async function gather({ stack, dir, pages, webhooks }: Sources): Promise<Evidence> {
  const answers = await askAll(stack);
  const files = await readdir(dir);
  const contents = (pattern: RegExp) =>
    Promise.all(files.filter((name) => pattern.test(name)).map((name) => readFile(join(dir, name))));
  const logs = Object.values(stack.logs);
  assert.ok(
    logs.every(({ length }) => length < MOST_LINES),
    'lines of a log were dropped',
  );
  return {
    logs: logs.map((lines) => lines.join('\n')),
    HAR: (await contents(/\.har$/)).flatMap((har) => [har, ...embedded(har)]),
    pages: [...pages],
    webhooks: [...webhooks],
    answers,
    database: await contents(/^payments\.db/),
  };
}

/** Each name that the search knows, with the places where it is. */
export function findIn(evidence: Evidence, search: Search): string[] {
  const places = Object.entries(evidence) as [string, readonly (string | Uint8Array)[]][];
  const found = places.flatMap(([place, all]) =>
    all.flatMap((one) => search(one).map((name) => `${name} in ${place}`)),
  );
  return [...new Set(found)].toSorted();
}

/** Bodies that are no text are in base64 there, and a search for a secret would not see into them. */
function embedded(har: Buffer): Buffer[] {
  const { log } = JSON.parse(har.toString()) as {
    log: { entries: { response: { content: { text?: string; encoding?: string } } }[] };
  };
  return log.entries.flatMap(({ response: { content } }) =>
    content.encoding === 'base64' ? [Buffer.from(content.text ?? '', 'base64')] : [],
  );
}

/** Each answer as text, with its status and headers. */
async function askAll({ proxy, shop, secrets }: Stack): Promise<string[]> {
  const ask = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${proxy}${path}`, { ...init, signal: AbortSignal.timeout(10_000) });
    const body = path === '/order/events' ? await firstOf(response) : await response.text();
    return `${response.status} ${JSON.stringify([...response.headers])}\n${body}`;
  };
  const post = (body: unknown, headers: Record<string, string> = {}) => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'evidence', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const asMerchant = { Authorization: `Bearer ${secrets.merchantApiKey}` };
  const order = { orderId: 'evidence', amount: '1', currency: 'EUR', returnUrl: `${shop}/` };
  const { token } = (await (await fetch(`${proxy}/orders`, post(order, asMerchant))).json()) as { token: string };
  const asShopper = { Authorization: `Bearer ${token}` };
  const good = [
    ...['/healthz', '/readyz', '/openapi.json', '/widget.js'].map((path) => ask(path)),
    ...['/metrics', '/transactions', '/webhooks', '/orders/evidence'].map((path) => ask(path, { headers: asMerchant })),
    ...['/order', '/order/events'].map((path) => ask(path, { headers: asShopper })),
  ];
  return Promise.all([...good, ...wrongQuestions(secrets, asMerchant, asShopper, post).map((one) => ask(...one))]);
}

type Question = [path: string, init?: RequestInit];

/** Secrets as tokens, paths, fields and ids; bodies too large, too deep, or no JSON. */
function wrongQuestions(
  secrets: Secrets,
  asMerchant: Record<string, string>,
  asShopper: Record<string, string>,
  post: (body: unknown, headers?: Record<string, string>) => RequestInit,
): Question[] {
  const { ipnSecret } = secrets;
  const all = Object.fromEntries(Object.entries(secrets)) as Record<string, string>;
  return [
    ...Object.values(all).flatMap((secret): Question[] => [
      [`/${encodeURIComponent(secret)}`],
      ['/order', { headers: { Authorization: `Bearer ${secret}` } }],
      ['/order', { headers: { ...asShopper, Origin: `https://${encodeURIComponent(secret)}.example` } }],
      [`/payouts/${encodeURIComponent(secret)}`, { headers: asMerchant }],
      [`/transactions?cursor=${encodeURIComponent(secret)}`, { headers: asMerchant }],
      [`/webhooks/${encodeURIComponent(secret)}/redeliver`, post({}, asMerchant)],
      ['/order/payments', post({ method: secret, customer: secret }, asShopper)],
    ]),
    ['/orders', post(all, asMerchant)],
    ['/payouts', post({ ...all, amount: 'x' }, asMerchant)],
    ['/payouts', post(all)],
    ['/order/payments', post('{', asShopper)],
    ['/order/payments', post(JSON.stringify({ method: 'x'.repeat(20_000) }), asShopper)],
    [`/ipn/${ipnSecret}x`, post(all)],
    [`/ipn/${ipnSecret}`, { method: 'PUT' }],
    [`/ipn/${ipnSecret}`, post('['.repeat(100))],
    [`/ipn/${ipnSecret}`, post('x'.repeat(20_000))],
  ];
}

/** What a stream says at once; the rest of it would come when something happens. */
async function firstOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return Buffer.from(value ?? []).toString();
}
