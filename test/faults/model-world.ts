// The world in which the model and the real proxy live side by side: the sandbox behind a socket that hears every exchange
// and can spoil it, tells the model of it exactly as the proxy was told, and stands on a clock that only moves by hand.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createSandbox, type Sandbox } from '../../demo/sandbox/sandbox.ts';
import { createStandingClock, type Clock } from './clock.ts';
import { addressOf, closeServer } from './gateway.ts';
import { Model, type Delivered } from './model.ts';
import { SECRETS } from './secrets.ts';

/** What happens to one answer. `http`: this status, and nothing was done; `tamper`: these fields in place of its own. */
export type Spoil =
  | { kind: 'none' }
  | { kind: 'unsent' }
  | { kind: 'lost' }
  | { kind: 'cut' }
  | { kind: 'garbage' }
  | { kind: 'http'; status: number }
  | { kind: 'tamper'; fields: Record<string, unknown> };

const IPN_URL = `http://proxy.test/ipn/${SECRETS.ipnSecret}`;

export interface ModelGateway {
  url: string;
  /** A new sandbox, a new model, a new clock. `sendIpn` is how the sandbox reaches the proxy. */
  renew(sendIpn: typeof fetch): { sandbox: Sandbox; model: Model; clock: Clock };
  spoilNext(operation: 'create' | 'status', spoils: Spoil[]): void;
  exchanges(): number;
  /** Throws what went wrong in an exchange: that the model did not expect it. */
  check(): void;
  close(): Promise<void>;
}

export async function startModelGateway(): Promise<ModelGateway> {
  let sandbox: Sandbox;
  let model: Model;
  let clock: Clock;
  let exchanges = 0;
  const spoils: Record<'create' | 'status', Spoil[]> = { create: [], status: [] };

  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await read(request);
    const { orderId } = JSON.parse(body) as { orderId: string };
    const operation = request.url?.endsWith('/status') ? 'status' : 'create';
    const spoil = spoils[operation].shift() ?? { kind: 'none' };
    exchanges += 1;
    if (operation === 'create') model.sent(orderId, clock.now());
    const isDone = spoil.kind !== 'unsent' && spoil.kind !== 'http';
    const made = isDone ? await ask(request, body) : undefined;
    const delivered = deliver(spoil, made, response);
    if (operation === 'create') model.answered(orderId, delivered);
    else model.checked(orderId, delivered, clock.now());
  }

  async function ask({ url = '/', headers }: IncomingMessage, body: string) {
    const { 'x-api-key': key = '', 'content-type': type = '' } = headers;
    const answer = await sandbox.app.request(url, {
      method: 'POST',
      headers: { 'X-API-KEY': String(key), 'Content-Type': type, Host: '127.0.0.1' },
      body,
    });
    return { status: answer.status, text: await answer.text() };
  }

  const faults: unknown[] = [];
  const server = createServer((request, response) => {
    exchange(request, response).catch((error: unknown) => {
      faults.push(error);
      response.destroy();
    });
  }).listen(0, '127.0.0.1');
  const url = await addressOf(server);

  return {
    url,
    renew(sendIpn) {
      faults.length = 0;
      clock = createStandingClock();
      model = new Model();
      spoils.create = [];
      spoils.status = [];
      sandbox = createSandbox({
        apiKey: SECRETS.gatewayApiKey,
        now: clock.now,
        ipnUrl: IPN_URL,
        fetch: sendIpn,
        publicUrl: url,
      });
      return { sandbox, model, clock };
    },
    spoilNext(operation, next) {
      spoils[operation] = next;
    },
    exchanges: () => exchanges,
    check() {
      if (faults.length > 0) throw faults.shift();
    },
    close: () => closeServer(server),
  };
}

/** Sends what is left of the answer; returns what of it reached the proxy. */
function deliver(
  spoil: Spoil,
  made: { status: number; text: string } | undefined,
  response: ServerResponse,
): Delivered {
  if (spoil.kind === 'http') return send(response, spoil.status, '{}');
  if (made === undefined || spoil.kind === 'lost') {
    response.destroy();
    return undefined;
  }
  const { status, text } = made;
  if (spoil.kind === 'none') return send(response, status, text);
  if (spoil.kind === 'garbage') return send(response, 200, '<h1>It works!</h1>');
  if (spoil.kind === 'tamper') return send(response, status, JSON.stringify({ ...JSON.parse(text), ...spoil.fields }));
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  response.write(text.slice(0, text.length >> 1), () => response.destroy());
  return undefined;
}

function send(response: ServerResponse, status: number, text: string): Delivered {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(text);
  try {
    return { status, fields: JSON.parse(text) as Record<string, unknown> };
  } catch {
    return { status, fields: undefined };
  }
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
