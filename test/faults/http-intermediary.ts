// An HTTP server between the proxy and the gateway. It forwards the request, and changes, delays or holds back the
// gateway's answer.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { serveOnLoopback, type Served } from '../loopback.ts';

interface Action {
  /** Replaces fields of the gateway's answer. */
  fields?: Record<string, unknown>;
  /** Delays it. */
  lateMs?: number;
  /** Holds it back. */
  until?: Promise<void>;
}

export async function startIntermediary(
  gatewayUrl: string,
  choose: (asked: { operation: 'pay' | 'payout' | 'status'; orderId: string }) => Action | undefined,
): Promise<Served> {
  async function serve(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat((await asked.toArray()) as Buffer[]).toString('utf8');
    const { orderId } = JSON.parse(body) as { orderId: string };
    const operation = asked.url?.split('/').at(-1) as 'pay' | 'payout' | 'status';
    const { fields, lateMs, until } = choose({ operation, orderId }) ?? {};
    const made = await forward(asked, body);
    if (lateMs !== undefined) await sleep(lateMs);
    await until;
    const isChanged = fields !== undefined && made.status === 200;
    const text = isChanged ? JSON.stringify({ ...JSON.parse(made.text), ...fields }) : made.text;
    response.writeHead(made.status, { 'Content-Type': 'application/json' }).end(text);
  }

  async function forward({ url = '/', headers }: IncomingMessage, body: string) {
    const answer = await request(gatewayUrl + url, {
      method: 'POST',
      headers: { 'X-API-KEY': String(headers['x-api-key']), 'Content-Type': 'application/json' },
      body,
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  }

  return serveOnLoopback((asked, response) => {
    serve(asked, response).catch(() => response.destroy());
  });
}
