// The gateway for the model and the real proxy: a sandbox behind a socket. It can alter every exchange, reports each
// one to the model exactly as the proxy saw it, and uses a clock that only moves by hand.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createSandbox, type Sandbox } from '../../demo/sandbox/sandbox.ts';
import { createManualClock, type Clock } from './manual-clock.ts';
import { addressOf, closeServer } from '../loopback.ts';
import type { Delivered } from './model-answers.ts';
import { Model } from './model.ts';
import { SECRETS } from './canary-secrets.ts';
import { until } from './fault-test.ts';

/**
 * What happens to one answer. `http` replaces it, whether or not the gateway got the request; `tamper` replaces some of
 * its fields.
 */
export type Spoil =
  | { kind: 'none' }
  | { kind: 'unsent' }
  | { kind: 'lost' }
  | { kind: 'cut' }
  | { kind: 'garbage' }
  | { kind: 'http'; status: number; body: string; reachesGateway: boolean }
  | { kind: 'tamper'; fields: Record<string, unknown> };

const IPN_URL = `http://proxy.test/ipn/${SECRETS.ipnSecret}`;

/** When the database's lease on this transaction ends. A check without a lease only proves the path. */
export type LeaseOf = (id: string) => number;

export interface ModelGateway {
  url: string;
  /** Starts over with a new sandbox, model and clock. `sendIpn` is how the sandbox reaches the proxy. */
  renew(run: { sendIpn: typeof fetch; leaseOf: LeaseOf }): { sandbox: Sandbox; model: Model; clock: Clock };
  spoilNext(operation: 'create' | 'status', spoils: Spoil[]): void;
  exchanges(): number;
  /** Throws the first error of an exchange, such as one that the model did not expect. */
  check(): void;
  close(): Promise<void>;
}

export async function startModelGateway(): Promise<ModelGateway> {
  let sandbox: Sandbox;
  let model: Model;
  let clock: Clock;
  let leaseOf: LeaseOf;
  let checking = Promise.resolve();
  let exchanges = 0;
  const spoils: Record<'create' | 'status', Spoil[]> = { create: [], status: [] };

  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await read(request);
    const { orderId } = JSON.parse(body) as { orderId: string };
    exchanges += 1;
    if (!request.url?.endsWith('/status')) {
      model.sent(orderId, clock.now());
      model.answered(orderId, await carryOut('create', request, body, response));
      return;
    }
    // One check at a time, each recorded before the next, because the model has no concurrent checks.
    checking = checking.then(() => check(orderId, request, body, response));
    await checking;
  }

  async function check(id: string, request: IncomingMessage, body: string, response: ServerResponse): Promise<void> {
    const lease = leaseOf(id);
    const delivered = await carryOut('status', request, body, response);
    if (lease <= clock.now()) return model.checkedForProof(id, delivered, clock.now());
    model.checked(id, delivered, clock.now());
    await until(`the check of ${id} is recorded`, () => leaseOf(id) !== lease);
  }

  async function carryOut(
    operation: 'create' | 'status',
    request: IncomingMessage,
    body: string,
    response: ServerResponse,
  ): Promise<Delivered> {
    const spoil = spoils[operation].shift() ?? { kind: 'none' };
    const reachesGateway = spoil.kind === 'http' ? spoil.reachesGateway : spoil.kind !== 'unsent';
    const made = reachesGateway ? await ask(request, body) : undefined;
    return deliver(spoil, made, response);
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
      checking = Promise.resolve();
      faults.push(error);
      response.destroy();
    });
  }).listen(0, '127.0.0.1');
  const url = await addressOf(server);

  return {
    url,
    renew({ sendIpn, leaseOf: nextLeaseOf }) {
      faults.length = 0;
      leaseOf = nextLeaseOf;
      clock = createManualClock();
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

/** Sends what is left of the answer; returns the part that reached the proxy. */
function deliver(
  spoil: Spoil,
  made: { status: number; text: string } | undefined,
  response: ServerResponse,
): Delivered {
  if (spoil.kind === 'http') return send(response, spoil.status, spoil.body);
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
