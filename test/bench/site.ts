// Serves the compared pages on loopback: the shop's pages and files, an in-memory proxy for the widget, and fakes of
// the endpoints that Adyen's Drop-in calls. The browser emulates the network's delay, except for chunks on an open
// stream: these are delayed here by one round trip.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliCompressSync } from 'node:zlib';
import { toBuffer } from 'qrcode';
import { CODE, FakeProxy } from '../../widget/testing/fake-proxy.ts';
import { htmlOf, PAGES, type BenchPage } from './pages.ts';

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="26"><path fill="#c9ced8" d="M0 0h40v26H0z"/></svg>';

export class Site {
  /** Requested paths that no route matches. */
  readonly unknown: string[] = [];
  readonly #files: Map<string, { type: string; body: Buffer }>;
  readonly #server: Server;
  #proxy = new FakeProxy();
  #roundTripMs = 0;
  #barcode: Uint8Array = new Uint8Array();

  static async open(files: Map<string, string>): Promise<Site> {
    const site = new Site(files);
    site.#barcode = await toBuffer(CODE.text);
    await new Promise<void>((resolve) => site.#server.listen(0, '127.0.0.1', resolve));
    return site;
  }

  private constructor(files: Map<string, string>) {
    this.#files = new Map(
      [...files].map(([path, content]) => {
        const type = path.endsWith('.css') ? 'text/css' : 'text/javascript';
        return [path, { type, body: brotliCompressSync(content) }];
      }),
    );
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  /** The page's address, for a new visitor whose order has no payment yet. */
  receive(page: BenchPage, roundTripMs: number): string {
    this.#proxy = new FakeProxy();
    this.#roundTripMs = roundTripMs;
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/${page.name}/`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://site');
    const file = this.#files.get(pathname);
    const page = PAGES.find(({ name }) => pathname === `/${name}/`);
    if (file !== undefined) {
      response.writeHead(200, { 'content-type': file.type, 'content-encoding': 'br' }).end(file.body);
    } else if (page !== undefined) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(htmlOf(page));
    } else if (/^\/widget\/order(\/|$)/.test(pathname)) {
      await this.#askProxy(request, response, pathname);
    } else if (pathname.startsWith('/adyen/')) {
      await this.#askAdyen(request, response, pathname.replace(/^\/\w+\//, ''), searchParams);
    } else this.#refuse(response, pathname);
  }

  async #askProxy(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const answer = await this.#proxy.fetch(`http://proxy${path}`, {
      method: request.method ?? 'GET',
      headers: new Headers(request.headers as Record<string, string>),
      body: request.method === 'POST' ? await text(request) : null,
      signal: gone.signal,
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    const roundTripMs = this.#roundTripMs;
    let delayMs = 0;
    try {
      for await (const chunk of answer.body ?? []) {
        setTimeout(() => response.write(chunk), delayMs);
        delayMs = roundTripMs;
      }
      setTimeout(() => response.end(), delayMs);
    } catch (error) {
      if (!gone.signal.aborted) throw error;
    }
  }

  async #askAdyen(request: IncomingMessage, response: ServerResponse, path: string, query: URLSearchParams) {
    const sent = request.method === 'POST' ? await text(request) : '';
    const json = (body: object) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (path === 'payments' && sent.includes('"swish"')) {
      const action = { type: 'qrCode', paymentMethodType: 'swish', paymentData: 'bench', qrCodeData: CODE.text };
      json({ resultCode: 'PresentToShopper', action });
    } else if (path === 'test/services/PaymentInitiation/v1/status') {
      json({ type: 'pending', resultCode: 'pending' });
    } else if (path === 'test/utility/v1/barcode.png' && query.get('data') === CODE.text) {
      response.writeHead(200, { 'content-type': 'image/png' }).end(this.#barcode);
    } else if (/^test\/v3\/analytics(\/bench)?$/.test(path)) {
      json({ checkoutAttemptId: 'bench' });
    } else if (path.startsWith('test/images/')) {
      response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(ICON);
    } else if (path.startsWith('test/assets/html/')) {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>');
    } else this.#refuse(response, path);
  }

  #refuse(response: ServerResponse, path: string): void {
    this.unknown.push(path);
    response.writeHead(404).end();
  }
}
