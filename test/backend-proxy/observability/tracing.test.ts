// Traces: a caller's traceparent goes through the log, to the gateway and into webhooks, and an OpenTelemetry SDK gets
// spans. The provider registered here is the least that OpenTelemetry's API asks for.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, describe, it } from 'node:test';
import {
  INVALID_SPAN_CONTEXT,
  SpanKind,
  trace,
  type Attributes,
  type Context,
  type Span,
  type SpanOptions,
} from '@opentelemetry/api';
import type { ExtraHeaders, Gateway } from '../../../backend-proxy/gateway/gateway.ts';
import { readTraceparent } from '../../../backend-proxy/observability/tracing.ts';
import { createWorld, type World } from '../world.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;

interface Ended {
  name: string;
  kind: SpanKind | undefined;
  traceId: string;
  spanId: string;
  parentId: string | undefined;
  attributes: Attributes;
  isError: boolean;
}

/** Records ended spans. Once: the API gives a tracer its provider for good. */
function registerProvider(): Ended[] {
  const ended: Ended[] = [];
  function startSpan(name: string, { kind }: SpanOptions = {}, parent: Context): Span {
    const caller = trace.getSpanContext(parent) ?? INVALID_SPAN_CONTEXT;
    const hasParent = caller.spanId !== INVALID_SPAN_CONTEXT.spanId;
    const traceId = hasParent ? caller.traceId : randomBytes(16).toString('hex');
    const spanId = randomBytes(8).toString('hex');
    const own: Ended = { name, kind, traceId, spanId, parentId: hasParent ? caller.spanId : undefined, attributes: {}, isError: false }; // prettier-ignore
    const span = {
      spanContext: () => ({ traceId, spanId, traceFlags: 1 }),
      isRecording: () => true,
      updateName: (newName: string) => ((own.name = newName), span),
      setAttributes: (attributes: Attributes) => (Object.assign(own.attributes, attributes), span),
      setStatus: () => ((own.isError = true), span),
      end: () => void ended.push(own),
    } as unknown as Span;
    return span;
  }
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan, startActiveSpan: () => assert.fail() }) });
  return ended;
}

/** Notes the headers of each call to the gateway. */
function listening(seen: (ExtraHeaders | undefined)[]) {
  return (gateway: Gateway): Gateway => ({
    ...gateway,
    pay: (collection, headers) => {
      seen.push(headers);
      return gateway.pay(collection, headers);
    },
  });
}

async function startTraced(world: World, traceparent: string): Promise<void> {
  const headers = {
    Authorization: `Bearer ${world.token()}`,
    'Content-Type': 'application/json',
    'Idempotency-Key': 'k',
    traceparent,
  };
  await world.request('POST', '/order/payments', { headers, body: JSON.stringify({ method: 'QR' }) });
}

describe('traceparent', () => {
  it('a traceparent is read only in the form of W3C', () => {
    assert.deepEqual(readTraceparent(TRACEPARENT), { traceId: TRACE, spanId: PARENT, traceFlags: 1, isRemote: true });
    assert.ok(readTraceparent(`01-${TRACE}-${PARENT}-01-later`), 'a later version may have more parts');
    for (const wrong of [
      '',
      'x',
      `ff-${TRACE}-${PARENT}-01`,
      `00-${TRACE}-${PARENT}-01-more`,
      `00-${TRACE.toUpperCase()}-${PARENT}-01`,
      `00-${'0'.repeat(32)}-${PARENT}-01`,
      `00-${TRACE}-${'0'.repeat(16)}-01`,
      `00-${TRACE}-${PARENT}-1`,
      `01-${TRACE}-${PARENT}-01-${'x'.repeat(300)}`,
    ]) {
      assert.equal(readTraceparent(wrong), undefined, wrong);
    }
  });

  it("a caller's trace is in the log and goes to the gateway with a new parent id, without any SDK", async (t) => {
    const seen: (ExtraHeaders | undefined)[] = [];
    const world = await createWorld(t, { wrapGateway: listening(seen) });
    await startTraced(world, TRACEPARENT);
    for (const event of ['request', 'gateway call', 'payment started', 'payment accepted']) {
      const line = world.log.find((each) => each['event'] === event && each['orderId'] === 'A-1');
      assert.equal(line?.['traceId'], TRACE, event);
    }
    const [, , traceId, parentId, flags] = /^(00)-(\w{32})-(\w{16})-(\w\w)$/.exec(seen[0]?.traceparent ?? '') ?? [];
    assert.deepEqual([traceId, flags], [TRACE, '01']);
    assert.ok(parentId !== PARENT);
  });

  it('a webhook carries the trace of the request that caused it', async (t) => {
    const world = await createWorld(t, { webhooks: true });
    await world.faults({ pay: { status: 400 } });
    await startTraced(world, TRACEPARENT);
    await world.settle();
    assert.match(String(world.receiver.received[0]?.headers['traceparent']), new RegExp(`^00-${TRACE}-\\w{16}-01$`));
    const line = world.log.find(({ event }) => event === 'webhook delivered');
    assert.equal(line?.['traceId'], TRACE);
  });

  it('without a valid traceparent and without an SDK there is no trace', async (t) => {
    const seen: (ExtraHeaders | undefined)[] = [];
    const world = await createWorld(t, { webhooks: true, wrapGateway: listening(seen) });
    await startTraced(world, 'canary');
    await world.settleAfter('approve', 'A-1');
    assert.deepEqual(seen, [{}]);
    assert.doesNotMatch(JSON.stringify(world.log), /canary|traceId/);
    assert.equal(world.receiver.received[0]?.headers['traceparent'], undefined);
  });
});

describe('spans', () => {
  let ended: Ended[] = [];
  before(() => (ended = registerProvider()));

  it('an SDK gets a span for the request, the gateway call, the status check and the delivery of the webhook', async (t) => {
    ended.length = 0;
    const seen: (ExtraHeaders | undefined)[] = [];
    const world = await createWorld(t, { webhooks: true, wrapGateway: listening(seen) });
    await startTraced(world, TRACEPARENT);
    await world.settleAfter('approve', 'A-1');
    const find = (name: string) => ended.find((span) => span.name === name) ?? assert.fail(`no span ${name}`);
    const request = find('POST /order/payments');
    const pay = find('gateway pay');
    assert.deepEqual([request.kind, request.traceId, request.parentId], [SpanKind.SERVER, TRACE, PARENT]);
    assert.deepEqual(request.attributes, {
      'http.request.method': 'POST',
      'http.route': '/order/payments',
      'http.response.status_code': 201,
      'payment.order_id': 'A-1',
    });
    assert.deepEqual([pay.kind, pay.traceId, pay.parentId], [SpanKind.CLIENT, TRACE, request.spanId]);
    assert.equal(seen[0]?.traceparent, `00-${TRACE}-${pay.spanId}-01`);
    assert.deepEqual(pay.attributes, { 'payment.transaction_id': 'A-1', 'payment.outcome': 'accepted' });
    const status = find('gateway status');
    const delivery = find('webhook delivery');
    assert.match(status.traceId, /^\w{32}$/, 'nobody asked for this check, so its trace is new');
    assert.equal(delivery.attributes['payment.webhook_type'], 'payment.succeeded');
    assert.equal(world.receiver.received[0]?.headers['traceparent'], `00-${delivery.traceId}-${delivery.spanId}-01`);
    const line = world.log.find(({ event, route }) => event === 'request' && route === '/order/payments');
    assert.equal(line?.['traceId'], TRACE);
  });

  it('a call that does not succeed is a span with an error', async (t) => {
    ended.length = 0;
    const world = await createWorld(t);
    await world.faults({ pay: { dropAnswer: true } });
    await world.start(world.token(), { method: 'QR' });
    const pay = ended.find(({ name }) => name === 'gateway pay');
    assert.deepEqual([pay?.isError, pay?.attributes['payment.outcome']], [true, 'lost']);
    assert.equal(ended.find(({ name }) => name === 'POST /order/payments')?.isError, false);
  });
});
