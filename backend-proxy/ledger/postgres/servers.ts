// The servers that DATABASE_URL names, one URL for each: `postgres://a,b:5433/db` names a primary and its standbys,
// which the driver does not support. All connections go to the one that takes writes. It is looked for at the start and
// when it cannot be reached or takes no more writes; of two, the one that was promoted last is right.
import type { Warning } from '../../protocol/log.ts';

/** Connections of one proxy for queries, if DATABASE_POOL says nothing else. */
export const CONNECTIONS = 16;

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;
/** What libpq's parameter may say; the proxy needs a server that takes writes in any case. */
const WRITABLE = new Set(['read-write', 'primary', 'any']);
/** The driver checks the certificate for all of these, and prints a warning that this will change. */
const CHECKED = new Set(['prefer', 'require', 'verify-ca']);

const RIVAL = 'A server of DATABASE_URL takes writes on an older timeline: end it, before a proxy finds it alone.';

/** A server that takes writes. */
export interface Writable {
  url: string;
  /** Raised by each promotion, as hexadecimal digits; empty if the service hides it. */
  timeline: string;
  /** Different for each running server, however many names it has. */
  started: string;
}

export class Servers {
  readonly urls: readonly string[];
  /** What an operator should change. */
  warnings: Warning[] = [];
  #current: string | undefined;
  #newest = '';

  constructor(databaseUrl: string) {
    this.urls = serverUrls(databaseUrl);
    if (this.urls.length === 1) [this.#current] = this.urls;
  }

  isChosen(): boolean {
    return this.#current !== undefined;
  }

  /** The URL of the server for the next connection. */
  current(): string {
    return this.#current ?? this.urls[0] ?? '';
  }

  /**
   * Takes the one on the newest timeline: a primary that was replaced takes writes again when it is back.
   * @throws an Error for the operator if two are on one timeline
   */
  choose(writable: readonly Writable[]): void {
    const [first, ...others] = writable.toSorted(
      (a, b) => Number(a.timeline < b.timeline) - Number(a.timeline > b.timeline),
    );
    if (first === undefined) return;
    const rivals = others.filter(({ started }) => started !== first.started);
    if (first.timeline !== '' && rivals.some(({ timeline }) => timeline === first.timeline)) {
      throw new Error('Several servers of DATABASE_URL take writes, on one timeline: end all but the right one');
    }
    this.#current = first.url;
    this.warnings = rivals.map(({ url }) => ({ warning: RIVAL, detail: new URL(url).host }));
  }

  /**
   * Of a connection that is about to be used.
   * @throws an Error for the operator if this process has used a newer timeline
   */
  accept(timeline: string): void {
    if (timeline !== '' && timeline < this.#newest) {
      throw new Error(
        `PostgreSQL is on timeline ${timeline}, after ${this.#newest} was used: a primary that was replaced. End it; ` +
          'if the database was put back on purpose, start the proxy again with DATABASE_RESTORED',
      );
    }
    if (timeline !== '') this.#newest = timeline;
  }
}

/** @throws an Error for the operator */
export function serverUrls(databaseUrl: string): string[] {
  const [, before = '', hosts = '', rest = ''] = PARTS.exec(databaseUrl) ?? [];
  const urls = hosts.split(',').map((host) => before + host + rest);
  if (!urls.every((url) => URL.canParse(url))) {
    throw new Error('not a URL; in its password, write each of : / ? # [ ] @ % as % and its code (RFC 3986)');
  }
  return urls.map(withoutSurprises);
}

/** Names of the servers and the database, for the log. */
export function describeServers(databaseUrl: string): { servers: string[]; name: string } {
  const urls = serverUrls(databaseUrl).map((url) => new URL(url));
  const servers = urls.map(({ host, searchParams }) => host || (searchParams.get('host') ?? 'localhost'));
  return { servers, name: decodeURIComponent(urls[0]?.pathname.slice(1) ?? '') };
}

/** The same settings in the driver's own words. */
function withoutSurprises(text: string): string {
  const url = new URL(text);
  const { searchParams } = url;
  const session = searchParams.get('target_session_attrs');
  if (session !== null && !WRITABLE.has(session)) {
    throw new Error(`target_session_attrs=${session}: the proxy writes, so only read-write is possible`);
  }
  const isStrict = CHECKED.has(searchParams.get('sslmode') ?? '') && searchParams.get('uselibpqcompat') !== 'true';
  // A URL that needs no change stays as it is, because a change rewrites all of it.
  if (session !== null) searchParams.delete('target_session_attrs');
  if (isStrict) searchParams.set('sslmode', 'verify-full');
  return session !== null || isStrict ? url.href : text;
}
