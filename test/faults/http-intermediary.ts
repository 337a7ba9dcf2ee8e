// An HTTP server between the proxy and the gateway, such as a firewall, a load balancer or a framework with other
// paths. It forwards the request, answers in the gateway's place before or after the gateway received it, or changes
// fields of the gateway's answer. Its answers imitate those of real products.
import { createServer, STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { addressOf, closeServer } from '../loopback.ts';

export type Operation = 'pay' | 'payout' | 'status';

export interface IntermediaryAnswer {
  status: number;
  body: string;
}

/**
 * `answer` replaces the gateway's; `reachesGateway`: the gateway gets the request first. `fields` replaces fields of
 * the gateway's answer. `lateMs` delays it, and `until` holds it back.
 */
export type IntermediaryAction =
  | { answer: IntermediaryAnswer | 'none'; reachesGateway: boolean }
  | { fields: Record<string, unknown> }
  | { lateMs: number }
  | { until: Promise<void> }
  | undefined;

export interface Intermediary {
  url: string;
  close(): Promise<void>;
}

export async function startIntermediary(
  gatewayUrl: string,
  choose: (asked: { operation: Operation; orderId: string }) => IntermediaryAction,
): Promise<Intermediary> {
  async function serve(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of asked) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const { orderId } = JSON.parse(body) as { orderId: string };
    const action = choose({ operation: asked.url?.split('/').at(-1) as Operation, orderId });
    const isForwarded = action === undefined || !('answer' in action) || action.reachesGateway;
    const made = isForwarded ? await forward(asked, body) : undefined;
    if (action !== undefined && 'answer' in action) {
      if (action.answer === 'none') response.destroy();
      else send(response, action.answer.status, action.answer.body);
      return;
    }
    if (made === undefined) throw new Error('Nothing was forwarded');
    if (action !== undefined && 'lateMs' in action) await sleep(action.lateMs);
    if (action !== undefined && 'until' in action) await action.until;
    const fields = action !== undefined && 'fields' in action && made.status === 200 ? action.fields : undefined;
    send(response, made.status, fields ? JSON.stringify({ ...JSON.parse(made.text), ...fields }) : made.text);
  }

  async function forward({ url = '/', headers }: IncomingMessage, body: string) {
    const answer = await request(gatewayUrl + url, {
      method: 'POST',
      headers: { 'X-API-KEY': String(headers['x-api-key']), 'Content-Type': 'application/json' },
      body,
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  }

  const server = createServer((asked, response) => {
    serve(asked, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  return { url: await addressOf(server), close: () => closeServer(server) };
}

function send(response: ServerResponse, status: number, body: string): void {
  const type = body.startsWith('<') ? 'text/html' : 'application/json';
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }).end(body);
}

const words = (status: number) => STATUS_CODES[status] ?? 'Error';
const page = (title: string, foot: string) =>
  `<html><head><title>${title}</title></head><body><center><h1>${title}</h1></center><hr>${foot}</body></html>`;

/** The products that may answer in a gateway's place, each with its text for a status. */
export const INTERMEDIARIES = {
  nginx: (status) => page(`${status} ${words(status)}`, '<center>nginx</center>'),
  cloudflare: (status) =>
    page(`Attention Required! | Cloudflare ${status}`, 'Ray ID: 8f2c1b7d9e0a4c11; you have been blocked'),
  modSecurity: (status) => page(`${status} ${words(status)}`, "You don't have permission. Mod_Security"),
  springBoot: (status) =>
    JSON.stringify({ timestamp: '2026-11-20T12:00:00.000+00:00', status, error: words(status), path: '/payments/pay' }),
  kong: (status) => JSON.stringify({ message: status === 404 ? 'no Route matched with those values' : words(status) }),
  nestJs: (status) =>
    JSON.stringify({ statusCode: status, message: 'Cannot POST /payments/pay', error: words(status) }),
  aspNet: (status) =>
    JSON.stringify({
      type: 'https://tools.ietf.org/html/rfc9110',
      title: words(status),
      status,
      traceId: '00-4bf9-01',
    }),
  laravel: (status) => JSON.stringify({ message: words(status), exception: 'NotFoundHttpException', file: 'a.php' }),
  djangoRest: () => JSON.stringify({ detail: 'Not found.' }),
  awsApiGateway: () => JSON.stringify({ message: 'Missing Authentication Token' }),
  empty: () => '',
} as const satisfies Record<string, (status: number) => string>;

const span = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
/** Every registered 4xx and 5xx, and Cloudflare's own. */
export const REFUSALS: readonly number[] = [
  ...span(400, 418),
  ...span(421, 426),
  428,
  429,
  431,
  451,
  ...span(500, 508),
  510,
  511,
  ...span(520, 526),
];

export function everyIntermediaryAnswer(): IntermediaryAnswer[] {
  return REFUSALS.flatMap((status) => Object.values(INTERMEDIARIES).map((say) => ({ status, body: say(status) })));
}
