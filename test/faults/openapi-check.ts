// Compares an answer with the OpenAPI document: status, media type, and the body with its schema. A status, media type
// or field that the document does not name counts as undocumented. Supports the part of JSON Schema that the document
// uses, and throws at any other keyword.

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

export interface Operation {
  /** The names of the accepted credentials. */
  security?: Record<string, unknown>[];
  parameters?: { name: string; in: 'path' | 'query' | 'header'; required?: boolean; schema: Schema }[];
  requestBody?: { content: { 'application/json': { schema: Schema } } };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** What differs from the document, or undefined. */
export function undocumented(
  document: ApiDocument,
  operation: Operation,
  answer: Response,
  text: string,
): string | undefined {
  const documented = operation.responses[String(answer.status)];
  if (documented === undefined) return `status ${answer.status}`;
  const media = (answer.headers.get('content-type') ?? '').split(';')[0] ?? '';
  if (documented.content === undefined) return text === '' ? undefined : `a body with ${answer.status}`;
  const content = documented.content[media];
  if (content === undefined) return `media type "${media}" with ${answer.status}`;
  if (!media.endsWith('json')) return undefined;
  const problem = differs(document, content.schema, JSON.parse(text), '');
  return problem === undefined ? undefined : `with ${answer.status}: ${problem}`;
}

const KNOWN = new Set([
  '$ref',
  'type',
  'enum',
  'anyOf',
  'properties',
  'required',
  'items',
  'additionalProperties',
  'description',
  'format',
  'minimum',
  'maximum',
]);

function differs(document: ApiDocument, schema: Schema, value: unknown, at: string): string | undefined {
  if (schema.$ref !== undefined) return differs(document, referred(document, schema.$ref), value, at);
  const strange = Object.keys(schema).find((key) => !KNOWN.has(key));
  if (strange !== undefined) throw new Error(`openapi-check.ts does not know "${strange}" yet`);
  if (schema.anyOf) {
    const problems = schema.anyOf.map((one) => differs(document, one, value, at));
    return problems.includes(undefined) ? undefined : problems.join(' or ');
  }
  const types = [schema.type ?? []].flat();
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) return `${at} is no ${types.join(' or ')}`;
  if (schema.enum && !schema.enum.includes(value)) return `${at} is none of ${JSON.stringify(schema.enum)}`;
  if (Array.isArray(value))
    return value.map((item, n) => differs(document, schema.items ?? {}, item, `${at}[${n}]`)).find(isText);
  return typeof value === 'object' && value !== null
    ? fieldsDiffer(document, schema, value as Record<string, unknown>, at)
    : undefined;
}

function fieldsDiffer(
  document: ApiDocument,
  { properties = {}, required = [] }: Schema,
  value: Record<string, unknown>,
  at: string,
) {
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${at}.${missing} is missing`;
  return Object.entries(value)
    .map(([name, field]) => {
      const schema = properties[name];
      return schema ? differs(document, schema, field, `${at}.${name}`) : `${at}.${name} is not in the document`;
    })
    .find(isText);
}

export function referred({ components }: ApiDocument, ref: string): Schema {
  const schema = components.schemas[ref.replace('#/components/schemas/', '')];
  if (schema === undefined) throw new Error(`The document has no ${ref}`);
  return schema;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function isText(value: string | undefined): value is string {
  return value !== undefined;
}
