// Compares every response in the tests with the OpenAPI document: route, status, media type and body, without
// undocumented fields. world.ts calls it for each request.
import assert from 'node:assert/strict';
import { z } from 'zod';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Schema = { [key: string]: Json };

export interface OpenApi {
  openapi: string;
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, Schema> };
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary?: string;
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>;
}

/** The part of a document that its references lead to. */
interface Schemas {
  components: { schemas: object };
}

const validators = new Map<string, z.ZodType>();

/** Undefined if the document has no route for this path. */
export function operationOf(document: OpenApi, method: string, path: string): Operation | undefined {
  const template = Object.keys(document.paths).find((candidate) =>
    new RegExp(`^${candidate.replaceAll('.', '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`).test(path),
  );
  return template === undefined ? undefined : document.paths[template]?.[method.toLowerCase()];
}

export async function assertDocumented(document: OpenApi, method: string, path: string, response: Response) {
  const operation = operationOf(document, method, path);
  if (operation === undefined) return;
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const problem = undocumented(document, operation, response, isStream ? '' : await response.clone().text());
  assert.equal(
    problem,
    undefined,
    `${method} ${path.replace(/^\/ipn\/.*/, '/ipn/…')} → ${response.status}: ${problem}`,
  );
}

/** What of an answer the document does not have, or undefined. */
export function undocumented(
  document: Schemas,
  operation: { responses: Record<string, { content?: Record<string, { schema: object }> }> },
  { status, headers }: Response,
  text: string,
): string | undefined {
  const documented = operation.responses[String(status)];
  if (documented === undefined) return `status ${status}`;
  if (documented.content === undefined) return text === '' ? undefined : `a body with ${status}`;
  const [mediaType = ''] = (headers.get('content-type') ?? '').split(';');
  const content = documented.content[mediaType];
  if (content === undefined) return `media type "${mediaType}" with ${status}`;
  if (!mediaType.endsWith('json')) return undefined;
  const { error } = validatorOf(document, content.schema).safeParse(JSON.parse(text));
  return error && `${error.message} in ${text}`;
}

/** Asserts that the body of a webhook matches the schema of its type. */
export function assertDocumentedWebhook(document: OpenApi, payload: { type: string }): void {
  const schema = document.webhooks[payload.type]?.post.requestBody?.content['application/json']?.schema;
  assert.ok(schema, `${payload.type} is not documented`);
  const result = validatorOf(document, schema).safeParse(payload);
  assert.ok(result.success, `${payload.type} is not as documented: ${result.error?.message}`);
}

function validatorOf(document: Schemas, schema: object): z.ZodType {
  const key = JSON.stringify(schema);
  const known = validators.get(key);
  if (known) return known;
  const whole = strict({ ...schema, $defs: document.components.schemas } as Json);
  const text = JSON.stringify(whole).replaceAll('#/components/schemas/', '#/$defs/');
  const validator = z.fromJSONSchema(JSON.parse(text) as z.core.JSONSchema.JSONSchema);
  validators.set(key, validator);
  return validator;
}

/** The document allows extra fields for later versions; today every field must be documented. */
function strict(value: Json): Json {
  if (Array.isArray(value)) return value.map(strict);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, strict(part)]));
  return value['type'] === 'object' && 'properties' in value ? { ...inner, additionalProperties: false } : inner;
}
