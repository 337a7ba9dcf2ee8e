// POST /ipn/:secret: stores the IPN and requests a status check in one commit, then answers exactly 200, because
// nothing else is documented to stop the retries. The body is not trusted.
import { createHash } from 'node:crypto';
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { Refusal } from '../errors.ts';
import { note } from '../observability/log.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { StoredIpn } from '../ledger/model.ts';
import type { IpnOutcome } from '../observability/metrics.ts';
import { answer, refusedBy } from '../http/answer.ts';
import { PUBLIC, createSecretCheck } from '../http/guards.ts';
import { serveRoute } from '../http/route.ts';

const postIpn = createRoute({
  method: 'post',
  path: '/ipn/{secret}',
  operationId: 'receiveIpn',
  summary: 'Receive an IPN of the gateway; any body is stored',
  security: PUBLIC,
  request: { params: z.object({ secret: z.string() }) },
  responses: {
    200: { description: 'Stored durably' },
    ...refusedBy('not_found', 'invalid_request', 'payload_too_large'),
  },
});

/** What `payment-proxy doctor` sends. It is counted nowhere, so that it raises no alarm. */
export const DOCTOR_IPN = '{"payment-proxy":"doctor"}';

interface Deps {
  secrets: readonly string[];
  gateway: Gateway;
  /** Stores the IPN and requests its check; returns whether its transaction is in the database. */
  receive(ipn: StoredIpn): Promise<boolean>;
  onIpn(outcome: IpnOutcome): void;
}

export function serveIpns(app: OpenAPIHono, { secrets, gateway, receive, onIpn }: Deps): void {
  const isSecret = createSecretCheck(secrets);
  serveRoute(app, postIpn, async (c, { params }) => {
    if (!isSecret(params.secret)) {
      onIpn('wrong_secret');
      throw new Refusal('not_found', 'No such route.');
    }
    const body = await c.req.text();
    const ipn = gateway.readIpn(body);
    if (ipn.kind === 'refused') {
      onIpn('refused');
      throw new Refusal('invalid_request', 'The body is nested too deeply.');
    }
    if (ipn.kind === 'read') note({ transactionId: shownId(ipn.reading.transactionId) });
    const isMatched = await receive({
      id: createHash('sha256').update(body).digest('base64url'),
      // The text type of PostgreSQL cannot store NUL; a body that could not be stored would be sent again and again.
      body: body.replaceAll('\0', '\uFFFD'),
      reading: ipn.kind === 'read' ? ipn.reading : undefined,
    });
    if (body !== DOCTOR_IPN) onIpn(ipn.kind === 'unreadable' ? 'unreadable' : isMatched ? 'matched' : 'unmatched');
    return answer(c, null, 200);
  });
}

/** For the log: the id is short and has no control characters, but may have ones that reorder a line. */
function shownId(id: string): string {
  return id.replaceAll(/[^!-~]/g, '?');
}
