// What a proxy is made of. The npm package publishes these types, so this file, and whatever it imports, imports no
// package: a merchant's compiler would need its types.
import type { Gateway } from './gateway/gateway.ts';
import type { Origins } from './protocol/links.ts';
import type { Log } from './protocol/log.ts';
import type { MerchantKey } from './protocol/merchant-key.ts';

export interface WebhookTarget {
  /** https, or http on loopback or at one of `privateHosts`. */
  url: string;
  /** `whsec_…`; each of them signs, so that a secret can be rotated without a gap. */
  secrets: readonly string[];
  /** Hosts, with or without port, that may have private addresses. */
  privateHosts?: readonly string[];
}

export interface ProxyConfig {
  orderSecrets: readonly string[];
  /** Bearers of the merchant API; a text may do everything. */
  merchantKeys: readonly (string | MerchantKey)[];
  /** The bearers of `/metrics` alone; default: those of `merchantKeys` that may read. */
  metricsTokens?: readonly string[] | undefined;
  ipnSecrets: readonly string[];
  allowedOrigins: Origins;
  /** What the ledger puts before each order id at the gateway; default: nothing. */
  orderIdPrefix?: string | undefined;
  webhook?: WebhookTarget | undefined;
  /** Number of reverse proxies in front whose X-Forwarded-For is trusted; default 0. */
  trustedProxies?: number;
  /** URL by which browsers reach the proxy; without it there is no payment page. */
  publicUrl?: string | undefined;
  /** After so many days the personal data of what has ended is erased; default: never. */
  retentionDays?: number | undefined;
  /** How long a payer is kept for refunds; default: as long as the rest. */
  refundDays?: number | undefined;
  /** Upper limit of status checks per second; default 500. */
  checksPerSecond?: number;
  /** Host and port; identifies calls that this process left unfinished before a restart. Default: a random id. */
  self?: string;
  /** Folder of the built widget; default: the one of this installation. */
  widgetFolder?: string;
}

/** `Ledger`: the port within the proxy (ledger/ledger.ts), a handle for a host (index.ts). */
export interface ProxyParts<Ledger> {
  gateway: Gateway;
  ledger: Ledger;
  config: ProxyConfig;
  now?: () => number;
  log?: Log;
  /** How many lines the log has lost, for the metrics. */
  lostLogLines?: (() => number) | undefined;
}
