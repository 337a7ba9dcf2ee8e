// GET /openapi.json: the OpenAPI document of all routes.
import type { OpenAPIHono } from '@hono/zod-openapi';
import { answerJson } from '../http/answer.ts';
import { VERSION } from '../version.ts';
import { documentWebhooks } from './merchant-schemas.ts';

const TAGS = [
  { name: 'Shopper', description: 'Called by the widget with an order token' },
  { name: 'Merchant', description: "Called by the merchant's server with its key" },
  { name: 'Public', description: 'Called without a token: by pages, the gateway and operators' },
  { name: 'Webhooks', description: "Sent to the merchant's server, signed by the Standard Webhooks scheme" },
];

export function serveDocument(app: OpenAPIHono, publicUrl: string | undefined): void {
  const { openAPIRegistry: registry } = app;
  registry.registerComponent('securitySchemes', 'orderToken', { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' });
  registry.registerComponent('securitySchemes', 'merchantKey', { type: 'http', scheme: 'bearer' });
  // Relative to the document's own address, because the proxy may not see it: a reverse proxy or a host server can
  // remove a prefix, and the host is set by the caller.
  const url = publicUrl?.replace(/\/$/, '') ?? '.';
  // Built on the first request, because it takes 100 ms.
  let routes: object | undefined;
  app.get('/openapi.json', (c) => {
    if (routes === undefined) {
      documentWebhooks(app);
      routes = app.getOpenAPI31Document({
        openapi: '3.1.0',
        info: {
          title: 'Payment widget proxy',
          version: VERSION,
          license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
        },
        tags: TAGS,
      });
    }
    return answerJson(c, { ...routes, servers: [{ url }] }, 200, { 'Cache-Control': 'public, max-age=60' });
  });
}
