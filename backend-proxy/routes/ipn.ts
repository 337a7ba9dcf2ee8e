// POST /ipn/:secret: the gateway's doorbell. The body is kept and the bell is rung in one durable commit, and only then
// answered 200, exactly, because nothing else is promised to stop it from being sent again. Nothing is believed here.
import { createHash } from 'node:crypto';
import { OpenAPIHono, createRoute, z } from '@hono/zod-openapi';
import { Refusal } from '../errors.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { createSecretCheck } from './guards.ts';
import { refusedBy } from './problem.ts';

const postIpn = createRoute({
  method: 'post',
  path: '/ipn/{secret}',
  summary: 'For the gateway: the body is kept as it came, whatever it is',
  request: { params: z.object({ secret: z.string() }) },
  responses: {
    200: { description: 'Stored durably' },
    ...refusedBy('not_found', 'invalid_request', 'payload_too_large'),
  },
});

interface Deps {
  secrets: readonly string[];
  gateway: Gateway;
  ledger: Ledger;
  /** After the commit: there may be something to check. */
  onRung(): void;
  /** It names no transaction of these books. */
  onUnmatched(): void;
}

export function ipnRoutes({ secrets, gateway, ledger, onRung, onUnmatched }: Deps): OpenAPIHono {
  const isSecret = createSecretCheck(secrets);
  const app = new OpenAPIHono();
  app.openapi(postIpn, async (c) => {
    if (!isSecret(c.req.param('secret'))) throw new Refusal('not_found', 'There is nothing here.');
    const body = await c.req.text();
    const ipn = gateway.readIpn(body);
    if (ipn.kind === 'refused') throw new Refusal('invalid_request', 'The body is nested too deep.');
    const isMatched = await ledger.receiveIpn({
      id: createHash('sha256').update(body).digest('base64url'),
      // PostgreSQL's text has no NUL, and a body that cannot be kept would come again and again.
      body: body.replaceAll('\0', '\uFFFD'),
      reading: ipn.kind === 'read' ? ipn.reading : undefined,
    });
    if (isMatched) onRung();
    else onUnmatched();
    return c.body(null, 200);
  });
  return app;
}
