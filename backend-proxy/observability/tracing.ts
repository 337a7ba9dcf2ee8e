// Traces: W3C `traceparent` in and out, and spans for an OpenTelemetry SDK if the process has registered one. Without
// an SDK a caller's trace is passed on all the same, with ids of our own; without both nothing is made.
import { randomBytes } from 'node:crypto';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  context,
  isSpanContextValid,
  trace,
  type Attributes,
  type Context,
  type SpanContext,
} from '@opentelemetry/api';
import { VERSION } from '../version.ts';

/** Version 00 has exactly these four parts; later versions may add more. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.{0,255})?$/;

const tracer = trace.getTracer('payment-proxy', VERSION);

/** One part of a trace: a request, a call to the gateway, a delivery. */
export interface Step {
  traceId: string | undefined;
  /** For the requests that this step makes; undefined if there is no trace. */
  traceparent: string | undefined;
  /** The parent of the steps within. */
  context: Context;
  /** Runs work as this step, for libraries that an SDK traces by itself. */
  run<T>(work: () => T): T;
  /** `result` is called only if somebody records it. */
  end(result: () => StepResult): void;
}

interface StepResult {
  name?: string;
  attributes: Attributes;
  isError: boolean;
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

export function beginStep(name: string, kind: keyof typeof KINDS, parent: Context = context.active()): Step {
  const span = tracer.startSpan(name, { kind: KINDS[kind] }, parent);
  const own = ownContext(span.spanContext(), trace.getSpanContext(parent));
  if (own === undefined) return untraced(parent);
  const inner = span.isRecording() ? trace.setSpan(parent, span) : trace.setSpanContext(parent, own);
  return {
    traceId: own.traceId,
    traceparent: writeTraceparent(own),
    context: inner,
    run: (work) => context.with(inner, work),
    end(result) {
      if (!span.isRecording()) return;
      const { name: newName, attributes, isError } = result();
      if (newName !== undefined) span.updateName(newName);
      span.setAttributes(attributes);
      if (isError) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

const NOTHING = { traceId: undefined, traceparent: undefined, end: () => undefined };
const run = <T>(work: () => T): T => work();
const UNTRACED: Step = { ...NOTHING, run, context: ROOT_CONTEXT };

function untraced(parent: Context): Step {
  return parent === ROOT_CONTEXT ? UNTRACED : { ...UNTRACED, context: parent };
}

/** Without an SDK the new span only repeats its parent's context, or has none. */
function ownContext(given: SpanContext, parent: SpanContext | undefined): SpanContext | undefined {
  if (!isSpanContextValid(given)) return undefined;
  return given.spanId === parent?.spanId ? { ...given, spanId: randomBytes(8).toString('hex') } : given;
}

/** The context of a request: of the server that the proxy is mounted in, or else of the caller's `traceparent`. */
export function contextOfRequest(header: string | undefined): Context {
  const active = context.active();
  if (header === undefined || trace.getSpanContext(active) !== undefined) return active;
  const caller = readTraceparent(header);
  return caller === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, caller);
}

/** The context of an earlier step, from its `traceparent`. */
export function readTraceparent(header: string): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', rest] = TRACEPARENT.exec(header) ?? [];
  const read = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(read) && (version !== '00' || rest === undefined) ? read : undefined;
}

function writeTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
