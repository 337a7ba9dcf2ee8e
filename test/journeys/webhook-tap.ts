// A relay between the proxy and the shop that keeps the webhooks as they were sent, headers and bytes.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface WebhookTap {
  /** Where the proxy has to send them. */
  url: string;
  /** Each with its headers, whatever the shop answered. */
  passed: readonly string[];
  /** Answers 503 until it knows the shop. */
  passOnTo(shopUrl: string): void;
  close(): Promise<void>;
}

export async function tapWebhooks(): Promise<WebhookTap> {
  const passed: string[] = [];
  let target: string | undefined;
  const server = createServer((request, response) => {
    void (async () => {
      const { headers } = request;
      const body = Buffer.concat((await request.toArray()) as Buffer[]).toString();
      passed.push(`${JSON.stringify(request.rawHeaders)}\n${body}`);
      const own = Object.entries(headers).filter(([name]) => /^(webhook-|content-type$)/.test(name));
      const sent = { method: 'POST', headers: Object.fromEntries(own) as Record<string, string>, body };
      const answer = target === undefined ? undefined : await fetch(target, sent).catch(() => undefined);
      response.writeHead(answer?.status ?? 503).end();
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    passed,
    passOnTo: (shopUrl) => void (target = shopUrl),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
