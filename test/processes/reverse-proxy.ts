// A reverse proxy with TLS in front of a proxy, for `doctor`. It can do what badly configured ones do.
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { CERTIFICATE, KEY } from '../backend-proxy/gateway/self-signed.ts';

export interface Faults {
  /** Keeps an answer until it is complete, and so a stream forever. */
  buffers?: boolean;
  /** Passes X-Forwarded-For on as the caller wrote it. */
  believesCallers?: boolean;
  /** Lets pages of every origin read every answer. */
  opensOrigins?: boolean;
  /** Adds a line to scripts. */
  changesScripts?: boolean;
}

export interface ReverseProxy {
  url: string;
  /** Request lines and headers, as they arrived. */
  received: string[];
}

/** Serves `target` below `/pay`. */
export async function startReverseProxy(t: TestContext, target: string, faults: Faults = {}): Promise<ReverseProxy> {
  const received: string[] = [];
  const server = createServer({ key: KEY, cert: CERTIFICATE }, (incoming, outgoing) => {
    received.push(`${incoming.method} ${incoming.url} ${JSON.stringify(incoming.headers)}`);
    pass(incoming, outgoing, target, faults);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `https://localhost:${(server.address() as AddressInfo).port}/pay`, received };
}

function pass(incoming: IncomingMessage, outgoing: ServerResponse, target: string, faults: Faults): void {
  const forwarded = incoming.headers['x-forwarded-for'];
  // 198.18.0.1 is the address of the caller, who is not on loopback for a real reverse proxy.
  const chain = faults.believesCallers === true ? forwarded : [forwarded, '198.18.0.1'].filter(Boolean).join(', ');
  const headers = { ...incoming.headers, ...(chain !== undefined && { 'x-forwarded-for': chain }) };
  const path = (incoming.url ?? '').replace(/^\/pay/, '');
  const asked = request(`${target}${path}`, { method: incoming.method, headers }, (answer) => {
    const given = { ...answer.headers };
    if (faults.opensOrigins === true) given['access-control-allow-origin'] = '*';
    if (faults.changesScripts === true) delete given['content-length'];
    const open = () => outgoing.writeHead(answer.statusCode ?? 502, given);
    if (faults.buffers === true) {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('end', () => open().end(Buffer.concat(pieces)));
      return;
    }
    open().flushHeaders();
    answer.on('data', (piece: Buffer) => outgoing.write(piece));
    answer.on('end', () => outgoing.end(faults.changesScripts === true && path.endsWith('.js') ? '\n' : undefined));
  });
  asked.on('error', () => outgoing.destroy());
  outgoing.on('close', () => asked.destroy());
  incoming.pipe(asked);
}
