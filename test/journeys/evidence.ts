// Gathers everything a run leaves behind that could contain a secret: the processes' logs, what the browsers received
// and showed, the webhooks, the proxy's answers to valid and invalid requests, the database's bytes. It sends the
// proxy's own secrets where they do not belong, so that an echo would be found. The caller decides what must not be
// found.
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
  /** The folder with the database and the browsers' HAR files. */
  dir: string;
  pages: readonly string[];
  webhooks: readonly string[];
}

/** The stack keeps this many lines of each log; at this length lines may have been dropped. */
const MAX_LINES = 2_000;

export async function gather({ stack, dir, pages, webhooks }: Sources): Promise<Evidence> {
  const answers = await askAll(stack);
  const files = await readdir(dir);
  const contents = (pattern: RegExp) =>
    Promise.all(files.filter((name) => pattern.test(name)).map((name) => readFile(join(dir, name))));
  const logs = Object.values(stack.logs);
  assert.ok(
    logs.every(({ length }) => length < MAX_LINES),
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

/** Each name that the search finds, with the places where it was found. */
export function findIn(evidence: Evidence, search: Search): string[] {
  const places = Object.entries(evidence) as [string, readonly (string | Uint8Array)[]][];
  const found = places.flatMap(([place, all]) =>
    all.flatMap((one) => search(one).map((name) => `${name} in ${place}`)),
  );
  return [...new Set(found)].toSorted();
}

/** A HAR holds binary bodies in base64, in which a search would miss a secret. */
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
  return Promise.all([...good, ...invalidRequests(secrets, asMerchant, asShopper, post).map((one) => ask(...one))]);
}

type InvalidRequest = [path: string, init?: RequestInit];

/** Secrets as tokens, paths, fields and ids; bodies that are too large, too deep, or not JSON. */
function invalidRequests(
  secrets: Secrets,
  asMerchant: Record<string, string>,
  asShopper: Record<string, string>,
  post: (body: unknown, headers?: Record<string, string>) => RequestInit,
): InvalidRequest[] {
  const { ipnSecret } = secrets;
  const all = Object.fromEntries(Object.entries(secrets)) as Record<string, string>;
  return [
    ...Object.values(all).flatMap((secret): InvalidRequest[] => [
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

/** The first chunk of a stream; the rest only comes when something changes. */
async function firstOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return Buffer.from(value ?? []).toString();
}
