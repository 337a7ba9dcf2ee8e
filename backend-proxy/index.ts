// What the npm package `payment-proxy` exports, for a server that has the proxy inside it. The types are few and refer
// to no package, so that a merchant's compiler needs none. createProxyFrom() is the whole proxy; the rest are its
// parts, for a gateway of one's own, or for tests with a clock of their own.
import { createProxy as createApp } from './app.ts';
import { createProxyFrom as composeFrom } from './compose.ts';
import type { Gateway } from './gateway/gateway.ts';
import { createGateway as createHttpGateway } from './gateway/http.ts';
import { DEFAULT_PROFILE as BUILT_IN, profileSchema } from './gateway/profile.ts';
import { connectDatabase } from './ledger/connect.ts';
import type { Ledger as LedgerPort } from './ledger/ledger.ts';
import { createLedger } from './ledger/ledger.ts';
import { mountAt, type Fetch, type Handlers } from './http/mount.ts';
import type { ProxyParts as Parts } from './parts.ts';
import type { Log } from './protocol/log.ts';

export type { Gateway } from './gateway/gateway.ts';
export type { Fetch, Handlers, NodeHandler } from './http/mount.ts';
export type { ProxyConfig, WebhookTarget } from './parts.ts';
export type { Log } from './protocol/log.ts';
export { VERSION } from './version.ts';

declare const INSIDE: unique symbol;

/** An open database. What is in it is read and written by the proxy alone. */
export interface Ledger {
  readonly [INSIDE]: 'ledger';
  /** Call it after `stop()`. */
  close(): Promise<void>;
}

export type ProxyParts = Parts<Ledger>;

export interface MountOptions {
  /** The path under which the host's server has the proxy, like `/pay`. Default: none. */
  prefix?: string;
}

export interface Options extends MountOptions {
  /** Default: a JSON object a line on standard output, from LOG_LEVEL on. */
  log?: Log;
  /** The disk failed during a commit: the process has to end. Default: it ends. */
  onFatal?: (error: unknown) => void;
}

export interface MountedProxy extends Handlers {
  /** From now on /readyz is 503, so that load balancers choose another proxy; everything else is served. */
  drain(): void;
  /** Starts the checks and webhooks. `stop` ends the streams and resolves when no work is in flight. */
  run(): { stop(): Promise<void> };
}

export interface OwnedProxy extends MountedProxy {
  /** The operator's page at /admin, for a listener that the public cannot reach; undefined without ADMIN_TOKEN. */
  admin: Fetch | undefined;
  /** Ends the connections to the gateway and the database. Call it after `stop()`. */
  close(): Promise<void>;
}

/**
 * The proxy that the variables of the documentation describe.
 * @throws an Error whose message is written for the operator
 */
export async function createProxyFrom(
  env: Record<string, string | undefined>,
  { prefix = '', ...options }: Options = {},
): Promise<OwnedProxy> {
  const { app, admin, drain, run, close } = await composeFrom(env, options);
  return { ...mountAt(prefix, app.fetch), admin: admin?.fetch, drain, run, close };
}

/** A proxy over any gateway and ledger. Whoever opened them closes them, after `stop()`. */
export function createProxy(parts: ProxyParts, { prefix = '' }: MountOptions = {}): MountedProxy {
  const { app, drain, run } = createApp({ ...parts, ledger: parts.ledger as unknown as LedgerPort });
  return { ...mountAt(prefix, app.fetch), drain, run };
}

/** The gateway over HTTP. `profile`: the keys that differ from DEFAULT_PROFILE; throws if one is unknown. */
export function createGateway(options: {
  url: string;
  apiKey: string;
  profile?: object;
  /** Hosts of checkout URLs; default: any https host. */
  checkoutHosts?: readonly string[];
}): Gateway {
  const { profile = {}, checkoutHosts = [] } = options;
  return createHttpGateway({ ...options, checkoutHosts, profile: profileSchema.parse(profile) });
}

/** Opens and migrates the database, `file:PATH` or `postgres://…`. `onFatal`: see Options. */
export async function openLedger(
  databaseUrl: string,
  { idPrefix = '', onFatal }: { idPrefix?: string; onFatal: (error: unknown) => void },
): Promise<Ledger> {
  return createLedger(await connectDatabase(databaseUrl, onFatal), { idPrefix }) as unknown as Ledger;
}

/** The gateway's names, as GATEWAY_PROFILE may override them. */
export const DEFAULT_PROFILE: object = BUILT_IN;
