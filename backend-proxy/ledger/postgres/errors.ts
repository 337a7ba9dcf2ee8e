// Why PostgreSQL could not be opened, for the operator: the server's own words, and the statement or setting that fixes
// it. docs/operations.md explains those that need more words.

interface Facts {
  role: string;
  database: string;
  /** Connections of one proxy. */
  connections: number;
}

type Remedy = (facts: Facts, message: string) => string;

const TRUST: Remedy = () => "name the authority's certificate by sslrootcert=/path/ca.pem in DATABASE_URL";
const REACH: Remedy = () => 'check host, port, firewall, and that PostgreSQL runs';

/** By SQLSTATE, or by the code of Node. */
const REMEDIES: Record<string, Remedy> = {
  '42501': ({ role }, message) => {
    const [, schema] = /schema (\S+)/.exec(message) ?? [];
    return schema !== undefined
      ? `as the owner of the database run: GRANT CREATE, USAGE ON SCHEMA ${schema} TO "${role}"; ` +
          `or give the role a schema of its own: CREATE SCHEMA AUTHORIZATION "${role}"`
      : `the tables belong to another role: connect as that one, or run: GRANT that_role TO "${role}"`;
  },
  '3F000': ({ role }) => `run: CREATE SCHEMA AUTHORIZATION "${role}"`,
  '3D000': ({ role, database }) => `run: CREATE DATABASE "${database}" OWNER "${role}"`,
  '28P01': ({ role }) =>
    `correct the password in DATABASE_URL (special characters as % and their code), or run: ALTER ROLE "${role}" PASSWORD '…'`,
  '28000': ({ role }, message) => {
    if (/no encryption|SSL off/i.test(message)) return 'the server wants TLS: add sslmode=verify-full to DATABASE_URL';
    if (/does not exist/.test(message)) return `run: CREATE ROLE "${role}" LOGIN PASSWORD '…'`;
    return 'allow this machine, role and database in pg_hba.conf, then run: SELECT pg_reload_conf()';
  },
  '53300': ({ connections }) =>
    `each proxy uses up to ${connections} connections: raise max_connections of the server or the limit of the role, ` +
    'or lower DATABASE_POOL',
  '57P03': () => 'start the proxy again in some seconds',
  '08P01': (_, message) =>
    /startup parameter/.test(message)
      ? 'a pooler refuses it: remove it from DATABASE_URL; the proxy sets what it needs by itself'
      : 'check the settings of the pooler in front of PostgreSQL',
  SELF_SIGNED_CERT_IN_CHAIN: TRUST,
  DEPTH_ZERO_SELF_SIGNED_CERT: TRUST,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: TRUST,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: TRUST,
  ERR_TLS_CERT_ALTNAME_INVALID: () => "use the server's name as its certificate has it, or have one made for this name",
  CERT_HAS_EXPIRED: () => "renew the server's certificate",
  ECONNREFUSED: REACH,
  ENOTFOUND: REACH,
  EAI_AGAIN: REACH,
  ETIMEDOUT: REACH,
  EHOSTUNREACH: REACH,
};

/** Errors of the driver that have no code. */
const BY_MESSAGE: [RegExp, Remedy][] = [
  [/does not support SSL/, () => 'turn on ssl at the server, or remove sslmode from DATABASE_URL'],
  [/timeout|terminated unexpectedly/i, REACH],
];

/** One line: the messages from the outermost error to the cause, and the remedy if one is known. */
export function explainStart(error: unknown, databaseUrl: string, connections: number): string {
  // The driver's sentence about a connection that the server ended says less than the server.
  const chain = chainOf(error).filter(({ cause }) => !isFatal(cause));
  const words = chain
    .map(({ message }) => message)
    .filter((message, at, all) => message !== '' && all.indexOf(message) === at);
  const facts = { ...factsOf(databaseUrl), connections };
  const remedies = chain.map((each) => remedyFor(each)?.(facts, each.message));
  const remedy = remedies.findLast((each) => each !== undefined);
  return [words.join(': '), ...(remedy === undefined ? [] : [remedy])].join('; ');
}

function remedyFor(error: Error): Remedy | undefined {
  const code = 'code' in error ? String(error.code) : '';
  if (isFatal(error)) return REMEDIES[code];
  return REMEDIES[code] ?? BY_MESSAGE.find(([pattern]) => pattern.test(error.message))?.[1];
}

/** Whether the server said so and ended the connection. */
function isFatal(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && error.severity === 'FATAL';
}

/** An error with its causes. A host with several addresses gives an empty message and an error for each of them. */
function chainOf(error: unknown): Error[] {
  if (!(error instanceof Error)) return [];
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return [error, ...chainOf(error.cause ?? first)];
}

function factsOf(databaseUrl: string): Pick<Facts, 'role' | 'database'> {
  const [, role = '', database = ''] = /^\w+:\/\/(?:([^:@/?#]*)[^/?#]*@)?[^/?#]*\/?([^?#]*)/.exec(databaseUrl) ?? [];
  return { role: decoded(role) || 'the role', database: decoded(database) || decoded(role) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
