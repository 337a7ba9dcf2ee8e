// Requests made from the OpenAPI document: each operation with parameters, headers and bodies that are valid, nearly
// valid or invalid, from the right caller, a wrong one or none.
import { createHmac } from 'node:crypto';
import { junkJson, junkText, mutatedBytes, mutatedMessage } from './fuzz-values.ts';
import { SHOP_ORIGIN } from './processes.ts';
import type { Random } from './random.ts';
import { SECRETS } from './canary-secrets.ts';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minimum?: number;
  maximum?: number;
}

export interface Operation {
  /** The names of the accepted credentials; none of an open route. */
  security?: Record<string, unknown>[];
  parameters?: { name: string; in: 'path' | 'query' | 'header'; required?: boolean; schema: Schema }[];
  requestBody?: { content: { 'application/json': { schema: Schema } } };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

export interface FuzzedRequest {
  operation: Operation;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
  /** The credentials or the origin are certainly wrong, so any answer but a refusal is a problem. */
  mustRefuse: boolean;
}

interface Credential {
  header: string | undefined;
  isWrong: boolean;
}

/** Existing ids, so that not every request ends with "not found". */
export interface Known {
  ids: readonly [string, ...string[]];
  now: number;
}

export function fuzzedRequest(document: ApiDocument, random: Random, known: Known): FuzzedRequest {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const { path, method, operation } = random.pick(operations as [(typeof operations)[0], ...typeof operations]);
  const headers: Record<string, string> = {};
  const credential = credentialFor(path, random, known);
  if (credential.header !== undefined) headers['Authorization'] = credential.header;
  const origin = random.chance(0.95) ? undefined : random.pick([SHOP_ORIGIN, 'https://evil.example', 'null']);
  if (origin !== undefined) headers['Origin'] = origin;
  const isRefusedOrigin = origin !== undefined && (origin !== SHOP_ORIGIN || isMerchants(operation));
  const isOpen = operation.security?.length === 0;
  const mustRefuse = !isOpen && (credential.isWrong || isRefusedOrigin);
  const query = new URLSearchParams();
  let filled = path;
  for (const parameter of operation.parameters ?? []) {
    const value = parameterValue(parameter.name, parameter.schema, random, known);
    if (parameter.in === 'path')
      filled = filled.replace(`{${parameter.name}}`, encodeURIComponent(value.toWellFormed()) || '_');
    else if (parameter.in === 'query' && random.chance(0.4)) query.append(parameter.name, value);
    else if (parameter.in === 'header' && random.chance(0.9)) headers[parameter.name] = headerSafe(value);
  }
  if (random.chance(0.05)) query.append(junkText(random), junkText(random));
  const body = bodyOf(document, operation, random, known);
  if (body !== undefined && random.chance(0.97)) headers['Content-Type'] = 'application/json';
  else if (body !== undefined)
    headers['Content-Type'] = random.pick(['text/plain', 'application/jsonx', 'multipart/form-data']);
  const search = query.size > 0 ? `?${query.toString()}` : '';
  return { operation, method: method.toUpperCase(), path: filled + search, headers, body, mustRefuse };
}

/** Replaces characters that undici and Node reject, because such requests would never reach the proxy. */
function headerSafe(value: string): string {
  return value.replace(/[^\x20-\x7e]/g, '~').trim();
}

function isMerchants({ security = [] }: Operation): boolean {
  return security.some((one) => Object.hasOwn(one, 'merchantKey'));
}

function credentialFor(path: string, random: Random, known: Known): Credential {
  if (random.chance(0.04)) return { header: undefined, isWrong: true };
  if (random.chance(0.04)) {
    const scheme = random.pick(['Bearer', 'Basic', 'bearer', '']);
    return { header: headerSafe(`${scheme} ${junkText(random)}`), isWrong: true };
  }
  const isShoppers = path.startsWith('/order/') || path === '/order';
  const isSwapped = random.chance(0.03);
  if (isShoppers === isSwapped) return { header: `Bearer ${SECRETS.merchantApiKey}`, isWrong: isSwapped };
  const { token, isWrong } = orderToken(random, known);
  return { header: `Bearer ${token}`, isWrong: isWrong || isSwapped };
}

/** Mutated claims may still be valid; tokens with a wrong signature, algorithm or time never are. */
function orderToken(random: Random, { ids, now }: Known): { token: string; isWrong: boolean } {
  const lifetimeS = random.pick([3600, 3600, 3600, 90_000, -10, 0]);
  const claims: Record<string, unknown> = {
    orderId: random.chance(0.5) ? random.pick(ids) : `fuzz-${random.between(1, 500)}`,
    amount: random.pick(['10.10', '10.10', '10.1', '5']),
    currency: 'EUR',
    returnUrl: `${SHOP_ORIGIN}/back`,
    customerReferenceNo: 'c-1',
    exp: Math.floor(now / 1000) + lifetimeS,
  };
  const part = (text: string | Buffer) => Buffer.from(text).toString('base64url');
  const isMutated = random.chance(0.2);
  const payload = isMutated ? mutatedMessage(claims, random) : JSON.stringify(claims);
  const alg = random.chance(0.05) ? random.pick(['none', 'HS512', 'RS256', 'hs256']) : 'HS256';
  const secret = random.chance(0.05) ? 'another-secret-of-thirty-two-bytes!' : SECRETS.orderSecret;
  const signed = `${part(JSON.stringify({ alg, typ: 'JWT' }))}.${part(payload)}`;
  const token = `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
  const isWrong = alg !== 'HS256' || secret !== SECRETS.orderSecret || (!isMutated && lifetimeS !== 3600);
  if (random.chance(0.95)) return { token, isWrong };
  return { token: headerSafe(mutatedBytes(token, random).toString('latin1')).replace(/ /g, ''), isWrong };
}

function parameterValue(name: string, schema: Schema, random: Random, { ids }: Known): string {
  if (random.chance(0.15)) return junkText(random);
  if (name === 'secret') return random.chance(0.8) ? SECRETS.ipnSecret : SECRETS.ipnSecret.slice(0, -1);
  if (name === 'orderId') return random.pick(ids);
  if (name === 'updatedSince')
    return random.pick(['2026-01-01T00:00:00Z', '2026-11-20T12:00:00.000+01:00', '2026-13-01']);
  if (name === 'cursor') return random.pick(['1~a', '999999999999999~x', '0~', '~']);
  if (schema.enum) return String(random.pick(schema.enum as [unknown, ...unknown[]]));
  return random.pick(['1', '50', '200', '201', '0', `key-${random.between(1, 40)}`]);
}

function bodyOf(
  document: ApiDocument,
  { requestBody, parameters = [] }: Operation,
  random: Random,
  known: Known,
): Buffer | undefined {
  const isIpn = parameters.some(({ name }) => name === 'secret');
  if (isIpn)
    return Buffer.from(
      mutatedMessage({ orderId: random.pick(known.ids), type: 'PAY', status: 'SUCCESS', amount: 10.1 }, random),
    );
  const schema = requestBody?.content['application/json'].schema;
  if (schema === undefined) return undefined;
  const value = valueOf(document, schema, '', random, known) as Record<string, unknown>;
  const text = random.chance(0.35) ? mutatedMessage(value, random) : JSON.stringify(value);
  if (random.chance(0.03)) return mutatedBytes(text, random);
  if (random.chance(0.03)) return Buffer.from(junkJson(random));
  return random.chance(0.01) ? Buffer.from(`{"x":"${'y'.repeat(20_000)}"}`) : Buffer.from(text);
}

/** A value that the schema allows; known fields often get an existing id or another valid value. */
function valueOf(document: ApiDocument, schema: Schema, name: string, random: Random, known: Known): unknown {
  if (schema.$ref !== undefined) return valueOf(document, referred(document, schema.$ref), name, random, known);
  if (schema.anyOf) return valueOf(document, random.pick(schema.anyOf as [Schema, ...Schema[]]), name, random, known);
  if (schema.enum) return random.pick(schema.enum as [unknown, ...unknown[]]);
  const meaning: Record<string, () => unknown> = {
    orderId: () => (random.chance(0.4) ? random.pick(known.ids) : `fuzz-${random.between(1, 500)}`),
    currency: () => random.pick(['EUR', 'EUR', 'EUR', 'JPY', 'KWD', 'EU']),
    customer: () => random.pick(['12345678', '23456789', '0000']),
    returnUrl: () => random.pick([`${SHOP_ORIGIN}/x`, `${SHOP_ORIGIN}/x`, 'https://evil.example/']),
    language: () => random.pick(['en', 'de']),
  };
  const meant = meaning[name];
  if (meant) return meant();
  if (schema.type === 'object') {
    const fields = Object.entries(schema.properties ?? {}).filter(
      ([field]) => schema.required?.includes(field) || random.chance(0.3),
    );
    return Object.fromEntries(fields.map(([field, one]) => [field, valueOf(document, one, field, random, known)]));
  }
  if (schema.type === 'array') return [valueOf(document, schema.items ?? {}, name, random, known)];
  if (schema.type === 'integer') return random.between(schema.minimum ?? 1, Math.min(schema.maximum ?? 500, 5_000));
  return /amount/i.test(name)
    ? random.pick(['10.10', '12', '0.01', '99999.99', '10.1'])
    : `text ${random.between(1, 9)}`;
}

function referred({ components }: ApiDocument, ref: string): Schema {
  const schema = components.schemas[ref.replace('#/components/schemas/', '')];
  if (schema === undefined) throw new Error(`The document has no ${ref}`);
  return schema;
}
