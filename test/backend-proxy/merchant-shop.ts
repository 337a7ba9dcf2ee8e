// The merchant's side of the tests, without code of the proxy: order tokens signed by node:crypto, and a server that
// verifies webhooks with the `standardwebhooks` library.
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { serveOnLoopback } from '../loopback.ts';

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A compact JWS. `header` and `secret` can be wrong on purpose; `alg: none` leaves the signature empty. */
export function signToken(claims: object, secret: string, header: { alg: string; [name: string]: unknown }): string {
  const signed = `${base64url(header)}.${base64url(claims)}`;
  const hash = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' }[header.alg];
  const signature = hash === undefined ? '' : createHmac(hash, secret).update(signed).digest('base64url');
  return `${signed}.${signature}`;
}

export interface ReceivedWebhook {
  id: string;
  at: number;
  headers: Record<string, string>;
  body: string;
  payload: { type: string; timestamp: string; data: Record<string, unknown> };
}

export interface WebhookReceiver {
  url: string;
  received: ReceivedWebhook[];
  /** Answers to the next webhooks; the last one repeats. A number is a status; 'cut' closes the connection. */
  answers: (number | 'cut' | { status: number; headers: Record<string, string> })[];
  close(): Promise<void>;
}

export async function startWebhookReceiver(secret: string, now: () => number): Promise<WebhookReceiver> {
  const verifier = new Webhook(secret);
  const receiver: Omit<WebhookReceiver, 'url' | 'close'> = { received: [], answers: [200] };
  const { url, close } = await serveOnLoopback((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const headers = request.headers as Record<string, string>;
      const payload = atTime(now(), () => verifier.verify(body, headers)) as ReceivedWebhook['payload'];
      receiver.received.push({ id: headers['webhook-id'] ?? '', at: now(), headers, body, payload });
      const { answers } = receiver;
      const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? 200;
      if (answer === 'cut') request.socket.destroy();
      else if (typeof answer === 'number') response.writeHead(answer).end();
      else response.writeHead(answer.status, answer.headers).end();
    });
  });
  return Object.assign(receiver, { url: `${url}/webhooks`, close });
}

/** The library reads Date.now() to check the age of a message, and the tests use a virtual clock. */
function atTime<T>(ms: number, work: () => T): T {
  const real = Date.now;
  Date.now = () => ms;
  try {
    return work();
  } finally {
    Date.now = real;
  }
}
