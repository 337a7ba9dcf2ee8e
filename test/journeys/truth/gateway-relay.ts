// A relay between the proxy and the gateway that damages the answers to the first start of a chosen order and to its
// status checks, and forwards everything else, so that journeys with different faults can share one sandbox. Records
// when each start came and what the proxy received.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Method } from '../../../backend-proxy/protocol/wire.ts';
import type { Start } from './facts.ts';
import { serveOnLoopback } from '../../loopback.ts';

/** What happens to a start: an `unsent` one never reaches the gateway; for the others only the answer is damaged. */
export interface Fault {
  lateMs?: number;
  unsent?: true;
  answer?: 'cut' | 'half' | Answer;
  /** What a status check is answered in place of the real report. */
  report?: (real: Answer) => Answer;
}

export interface Answer {
  status: number;
  type: string;
  body: string;
}

export interface GatewayRelay {
  url: string;
  starts: readonly Start[];
  /** When the proxy was first told another SUCCESS than the real one, by the order's id. */
  doubts: ReadonlyMap<string, number>;
  /** Sets the fault of the order's first start. */
  spoil(orderId: string, fault: Fault): void;
  /** Answers 503 until it knows the gateway. */
  passOnTo(gatewayUrl: string): void;
  close(): Promise<void>;
}

export async function startGatewayRelay(): Promise<GatewayRelay> {
  const starts: Start[] = [];
  const doubts = new Map<string, number>();
  const faults = new Map<string, Fault>();
  let gateway: string | undefined;
  const served = await serveOnLoopback((request, response) => {
    void pass(request, response).catch(() => response.destroy());
  });

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat((await request.toArray()) as Buffer[]).toString();
    if (gateway === undefined) return void response.writeHead(503).end();
    const { orderId: id, method: asked } = JSON.parse(body) as { orderId: string; method: Method };
    if (!request.url?.endsWith('/pay')) return send(reported(id, await forward(request, body)), response);
    const start: Start = { id, asked, at: Date.now(), answeredAt: null, answer: null };
    starts.push(start);
    // The proxy may have hung up; a later answer does not reach it.
    response.once('close', () => end(start, 'broken'));
    const { lateMs, unsent, answer } = faults.get(id) ?? {};
    const real = unsent ? undefined : await forward(request, body);
    if (lateMs) await pause(lateMs, undefined, { ref: false });
    end(start, meaningOf(answer ?? real));
    if (answer === 'cut') response.destroy();
    else if (answer === 'half' && real) half(real, response);
    else if (typeof answer === 'object') send(answer, response);
    else if (real) send(real, response);
  }

  function reported(id: string, real: Answer): Answer {
    const told = faults.get(id)?.report?.(real) ?? real;
    if (told !== real && told.body.includes('"SUCCESS"') && !doubts.has(id)) doubts.set(id, Date.now());
    return told;
  }

  function end(start: Start, answer: Start['answer']): void {
    if (start.answeredAt === null) Object.assign(start, { answeredAt: Date.now(), answer });
  }

  async function forward(request: IncomingMessage, body: string) {
    const names = ['content-type', 'x-api-key'] as const;
    const headers = Object.fromEntries(names.map((name) => [name, String(request.headers[name] ?? '')]));
    const answered = await fetch(`${gateway}${request.url}`, {
      method: request.method ?? 'POST',
      headers,
      ...(body && { body }),
    });
    return {
      status: answered.status,
      type: answered.headers.get('content-type') ?? '',
      body: await answered.text(),
    };
  }

  return {
    ...served,
    starts,
    doubts,
    spoil: (orderId, fault) => void faults.set(orderId, fault),
    passOnTo: (gatewayUrl) => void (gateway = gatewayUrl),
  };
}

/** Only JSON can come from the gateway, and only a success or a refusal says what it did. */
function meaningOf(answer: Fault['answer']): Start['answer'] {
  if (typeof answer !== 'object' || answer.status >= 500 || !answer.type.includes('json')) return 'broken';
  return answer.status < 300 ? 'accepted' : 'refused';
}

function send({ status, type, body }: Answer, response: ServerResponse): void {
  response.writeHead(status, { 'content-type': type }).end(body);
}

/** The head, and half of the promised bytes. */
function half({ status, type, body }: Answer, response: ServerResponse): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { 'content-type': type, 'content-length': bytes.length });
  response.write(bytes.subarray(0, bytes.length >>> 1), () => response.destroy());
}
