// serveRoute(): a route says who may call it, or it does not compile; a merchant's route that nothing guards is closed.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { OpenAPIHono, createRoute } from '@hono/zod-openapi';
import { keysWith } from '../../../backend-proxy/http/guards.ts';
import { problemResponse, toRefusal } from '../../../backend-proxy/http/problem.ts';
import { serveRoute } from '../../../backend-proxy/http/route.ts';

const ROUTE = { method: 'get', path: '/new', responses: { 200: { description: 'served' } } } as const;
const serve = () => new Response('served');

it('a route that does not say who may call it does not compile', () => {
  // @ts-expect-error: it has no `security`
  assert.throws(() => serveRoute(new OpenAPIHono(), createRoute(ROUTE), serve), TypeError);
  // @ts-expect-error: a merchant's key needs a scope
  serveRoute(new OpenAPIHono(), createRoute({ ...ROUTE, security: [{ merchantKey: [] }] }), serve);
  // @ts-expect-error: there is no such scope
  serveRoute(new OpenAPIHono(), createRoute({ ...ROUTE, security: keysWith('refund') }), serve);
});

it("a merchant's route under a path that no key guards is closed", async () => {
  const app = new OpenAPIHono();
  app.onError((error, c) => problemResponse(c, toRefusal(error)));
  app.use((c, next) => {
    c.set('headers', {});
    return next();
  });
  serveRoute(app, createRoute({ ...ROUTE, security: keysWith('read') }), serve);
  assert.equal((await app.request('/new', { headers: { Authorization: 'Bearer any' } })).status, 401);
});
