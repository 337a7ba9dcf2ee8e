// A relay between the proxy and the shop that keeps the webhooks as they were sent, headers and bytes.
import { serveOnLoopback } from '../loopback.ts';

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
  const { url, close } = await serveOnLoopback((request, response) => {
    void (async () => {
      const { headers } = request;
      const body = Buffer.concat((await request.toArray()) as Buffer[]).toString();
      passed.push(`${JSON.stringify(request.rawHeaders)}\n${body}`);
      const own = Object.entries(headers).filter(([name]) => /^(webhook-|content-type$)/.test(name));
      const sent = { method: 'POST', headers: Object.fromEntries(own) as Record<string, string>, body };
      const answer = target === undefined ? undefined : await fetch(target, sent).catch(() => undefined);
      response.writeHead(answer?.status ?? 503).end();
    })();
  });
  return {
    url: `${url}/webhooks`,
    passed,
    passOnTo: (shopUrl) => void (target = shopUrl),
    close,
  };
}
