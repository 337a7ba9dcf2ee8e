// What DATABASE_URL says about PostgreSQL: one address, which leads to the server that takes writes.

/** Connections of one proxy, if DATABASE_POOL says nothing else. */
export const CONNECTIONS = 16;

/** The driver checks the certificate for all of these, and prints a warning that this will change. */
const CHECKED = new Set(['prefer', 'require', 'verify-ca']);
const HOST = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)/s;

/** The URL as the driver reads it. @throws an Error for the operator */
export function postgresUrl(databaseUrl: string): string {
  const [, , host = ''] = HOST.exec(databaseUrl) ?? [];
  if (host.includes(',')) throw new Error('names several servers; name one address that leads to the primary');
  // libpq, which others take such URLs for, allows no host between the password and the path: `host=` names a socket.
  const text = host === '' ? databaseUrl.replace(HOST, (before) => `${before}localhost`) : databaseUrl;
  if (!URL.canParse(text)) {
    throw new Error('not a URL; in its password, write each of : / ? # [ ] @ % as % and its code (RFC 3986)');
  }
  const url = new URL(text);
  const { searchParams } = url;
  // A URL that needs no change stays as it is, because a change rewrites all of it.
  if (!CHECKED.has(searchParams.get('sslmode') ?? '') || searchParams.get('uselibpqcompat') === 'true') return text;
  searchParams.set('sslmode', 'verify-full');
  return url.href;
}

/** Names of the server and the database, for the log. */
export function describeServer(databaseUrl: string): { server: string; name: string } {
  const { host, pathname, searchParams } = new URL(postgresUrl(databaseUrl));
  return { server: searchParams.get('host') ?? host, name: decodeURIComponent(pathname.slice(1)) };
}
