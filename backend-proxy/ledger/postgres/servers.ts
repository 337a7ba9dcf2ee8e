// The servers that DATABASE_URL names, one URL for each: `postgres://a,b:5433/db` names a primary and its standbys,
// which the driver does not support. Only one of them takes writes, and all connections go to that one: a server that
// cannot be reached or takes no writes is passed over, and the next one is tried.

/** Connections of one proxy for queries, if DATABASE_POOL says nothing else. */
export const CONNECTIONS = 16;

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;
/** What libpq's parameter may say; the proxy needs a server that takes writes in any case. */
const WRITABLE = new Set(['read-write', 'primary', 'any']);
/** The driver checks the certificate for all of these, and prints a warning that this will change. */
const CHECKED = new Set(['prefer', 'require', 'verify-ca']);

export interface Servers {
  count: number;
  /** The URL of the server that took the last connection. */
  current(): string;
  /** Goes on to the next one, if `url` is still the current one. */
  passOver(url: string): void;
}

export function createServers(databaseUrl: string): Servers {
  const urls = serverUrls(databaseUrl);
  let at = 0;
  const current = () => urls[at % urls.length] ?? databaseUrl;
  return {
    count: urls.length,
    current,
    passOver(url) {
      if (current() === url) at += 1;
    },
  };
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
