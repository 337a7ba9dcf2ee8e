// The one way to serve a documented route: its `security` says who may call it, its schemas check the request, and the
// handler is given what they read.
// Hono's own `app.openapi` checks the same with a middleware for each part, and makes a Headers object to read one
// header: a merchant's GET then takes 1.4 times the processor time.
import type { OpenAPIHono, RouteConfig, RouteConfigToTypedResponse, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { Refusal, fieldErrorsOf } from '../errors.ts';
import type { MerchantSource } from '../protocol/merchant-key.ts';
import { checkAccess, scopesOf, type Access, type MerchantAccess } from './guards.ts';
import { invalid } from './answer.ts';

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

type Route = RouteConfig & { security: Access };

/** What the schemas of a route read; undefined without a schema. */
interface Input<R extends Route> {
  /** Whose key the request bears, for the history; undefined for a route of others than merchants. */
  source: R extends { security: MerchantAccess } ? MerchantSource : undefined;
  params: R extends { request: { params: infer Schema } } ? Output<Schema> : undefined;
  query: R extends { request: { query: infer Schema } } ? Output<Schema> : undefined;
  headers: R extends { request: { headers: infer Schema } } ? Output<Schema> : undefined;
  /** The JSON of the body. */
  sent: R extends { request: { body: { content: { 'application/json': { schema: infer Schema } } } } }
    ? Output<Schema>
    : undefined;
}

type Success<R extends Route> = R['responses'][keyof R['responses'] & (200 | 201 | 202)];

/** The compiler compares a JSON answer with the documented one. */
type Answer<R extends Route> =
  Success<R> extends { content: { 'application/json': unknown } } ? RouteConfigToTypedResponse<R> : Response;

type Handler<R extends Route> = (c: Context, input: Input<R>) => Answer<R> | Promise<Answer<R>>;

/**
 * Documents the route and serves it. Refuses who may not call it, another type than JSON, and what its schemas refuse,
 * before the handler runs.
 */
export function serveRoute<const R extends Route>(app: OpenAPIHono, route: R, handler: Handler<R>): void {
  const { params, query, headers, body } = route.request ?? {};
  const media = body?.content['application/json'];
  const schema = media && 'schema' in media ? (media.schema as z.ZodType) : undefined;
  // Nothing of the body is required.
  const isOptional = schema?.safeParse({}).success === true;
  const names = Object.keys((headers as z.ZodObject | undefined)?.shape ?? {});
  const scopes = scopesOf(route.security);
  app.openAPIRegistry.registerPath({ ...route, tags: [callerOf(route.security)] });
  app.on(route.method.toUpperCase(), route.path.replaceAll(/\{(\w+)\}/g, ':$1'), async function served(c: Context) {
    const source = checkAccess(c, scopes);
    const text = schema && (await c.req.text());
    if (schema !== undefined && !(isOptional && text === '')) refuseOtherMedia(c);
    const input = {
      source,
      query: query && checked(query, queryOf(c)),
      params: params && checked(params, c.req.param()),
      headers: headers && checked(headers as z.ZodObject, headersOf(c, names)),
      sent: schema && checked(schema, isOptional && isEmpty(text) ? {} : jsonOf(text)),
    };
    return handler(c, input as Input<R>) as Promise<Response>;
  });
}

/** Who calls a route, by what it asks for: the tag under which documents and generated clients put it. */
function callerOf([scheme]: Access): string {
  if (scheme === undefined) return 'Public';
  return 'orderToken' in scheme ? 'Shopper' : 'Merchant';
}

function checked(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value);
  if (!result.success) throw invalid(...fieldErrorsOf(result.error, Object.keys((schema as z.ZodObject).shape ?? {})));
  return result.data;
}

/** A parameter that is given twice is a list. */
function queryOf(c: Context): Record<string, string | string[]> {
  if (!c.req.url.includes('?')) return {};
  const all = Object.entries(c.req.queries());
  return Object.fromEntries(all.map(([name, values]) => [name, values.length > 1 ? values : (values[0] ?? '')]));
}

function headersOf(c: Context, names: readonly string[]): Record<string, string | undefined> {
  return Object.fromEntries(names.map((name) => [name, c.req.header(name)]));
}

function refuseOtherMedia(c: Context): void {
  if (/^application\/json\s*(;|$)/i.test(c.req.header('Content-Type') ?? '')) return;
  throw new Refusal('unsupported_media_type', 'Send Content-Type: application/json.');
}

/** No body, or the list as which PHP writes an object without members. */
function isEmpty(text = ''): boolean {
  return /^\s*(\[\s*\]\s*)?$/.test(text);
}

/** A number that a float does not hold exactly, or is not written as decimals (1e3), is NaN, which no schema accepts. */
function jsonOf(text = ''): unknown {
  try {
    return JSON.parse(text, (_key, value: unknown, { source }: { source?: string }) =>
      typeof value === 'number' && source?.replace(/\.0+$/, '') !== String(value) ? NaN : value,
    );
  } catch {
    throw new Refusal('invalid_request', 'The body is not valid JSON.', {
      errors: [{ field: 'body', detail: 'JSON' }],
    });
  }
}
