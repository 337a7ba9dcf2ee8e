// GET /openapi.json: the OpenAPI document of all routes.
import type { OpenAPIHono } from '@hono/zod-openapi';
import { answerJson } from './answer.ts';
import { documentWebhooks } from './merchant-schemas.ts';

export function serveDocument(app: OpenAPIHono, publicUrl: string | undefined): void {
  const { openAPIRegistry: registry } = app;
  registry.registerComponent('securitySchemes', 'orderToken', { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' });
  registry.registerComponent('securitySchemes', 'merchantKey', { type: 'http', scheme: 'bearer' });
  // Built on the first request, because it takes 100 ms.
  let routes: object | undefined;
  app.get('/openapi.json', (c) => {
    // Only the path of the request: the host is set by the caller, and a cache could serve it to others.
    const url = publicUrl ?? new URL('.', c.req.url).pathname;
    if (routes === undefined) {
      documentWebhooks(app);
      routes = app.getOpenAPI31Document({ openapi: '3.1.0', info: { title: 'Payment widget proxy', version: '1' } });
    }
    return answerJson(c, { ...routes, servers: [{ url: url.replace(/\/$/, '') || '/' }] }, 200, {
      'Cache-Control': 'public, max-age=60',
    });
  });
}
