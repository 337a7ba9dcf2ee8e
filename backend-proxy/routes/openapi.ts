// GET /openapi.json: the OpenAPI document of all routes.
import type { OpenAPIHono } from '@hono/zod-openapi';
import { documentWebhooks } from './merchant-schemas.ts';

export function serveDocument(app: OpenAPIHono, publicUrl: string | undefined): void {
  const { openAPIRegistry: registry } = app;
  registry.registerComponent('securitySchemes', 'orderToken', { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' });
  registry.registerComponent('securitySchemes', 'merchantKey', { type: 'http', scheme: 'bearer' });
  // Made once, when it is first asked for: it takes 100 ms.
  let routes: object | undefined;
  app.get('/openapi.json', (c) => {
    // Of the request its path alone: the host is the caller's word, and must not come back from a cache to somebody else.
    const url = publicUrl ?? new URL('.', c.req.url).pathname;
    if (routes === undefined) {
      documentWebhooks(app);
      routes = app.getOpenAPI31Document({ openapi: '3.1.0', info: { title: 'Payment widget proxy', version: '1' } });
    }
    return c.json({ ...routes, servers: [{ url: url.replace(/\/$/, '') || '/' }] }, 200, {
      'Cache-Control': 'public, max-age=60',
    });
  });
}
