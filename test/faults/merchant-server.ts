// The merchant's server: receives the webhooks and records them. It verifies each signature without the signing library
// (HMAC over id, timestamp and body, by the Standard Webhooks specification), so that the library does not confirm
// itself.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Clock } from './manual-clock.ts';
import { addressOf, closeServer } from '../loopback.ts';
import { SECRETS } from './canary-secrets.ts';

const TOLERANCE_MS = 5 * 60_000;

export interface ReceivedWebhook {
  id: string;
  type: string;
  body: string;
  data: {
    orderId: string;
    gatewayOrderId?: string;
    type: 'PAY' | 'PAYOUT' | 'REFUND';
    status: string;
    amount: string;
    currency: string;
  };
  /** How often it came and was answered 200. */
  times: number;
}

export interface TestMerchant {
  url: string;
  /** The webhooks answered 200, by webhook id. */
  webhooks: ReadonlyMap<string, ReceivedWebhook>;
  /** Webhooks that the proxy must never send: unsigned, altered, or with another body under the same id. */
  invalid: readonly string[];
  close(): Promise<void>;
}

export async function startMerchant({ clock }: { clock: Clock }): Promise<TestMerchant> {
  const webhooks = new Map<string, ReceivedWebhook>();
  const invalid: string[] = [];

  const server = createServer((request, response) => {
    void serve(request, response);
  }).listen(0, '127.0.0.1');

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await read(request);
    keep(request, body);
    response.writeHead(200).end();
  }

  function keep({ headers }: IncomingMessage, body: string): void {
    const id = String(headers['webhook-id']);
    if (!isSigned(headers, body, clock.now())) invalid.push(`the signature of ${id} is not ours`);
    const known = webhooks.get(id);
    if (known !== undefined && known.body !== body) invalid.push(`${id} came with other bytes`);
    const { type, data } = JSON.parse(body) as Pick<ReceivedWebhook, 'type' | 'data'>;
    webhooks.set(id, { id, type, body, data, times: (known?.times ?? 0) + 1 });
  }

  return {
    url: `${await addressOf(server)}/webhooks`,
    webhooks,
    invalid,
    close: () => closeServer(server),
  };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** A stale one counts as invalid. */
function isSigned(headers: IncomingMessage['headers'], body: string, now: number): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (Math.abs(Number(timestamp) * 1000 - now) > TOLERANCE_MS) return false;
  const key = Buffer.from(SECRETS.webhookSecret.slice('whsec_'.length), 'base64');
  const expected = createHmac('sha256', key)
    .update(`${String(id)}.${String(timestamp)}.${body}`)
    .digest();
  return String(signatures)
    .split(' ')
    .some((signature) => {
      const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
}
