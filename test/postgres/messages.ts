// Splits what a PostgreSQL client or server sends into whole messages, and a client's into requests: what it sends
// before it waits for an answer. For connections without TLS.

export interface Message {
  /** Empty for the first message of a client, which has no type. */
  type: string;
  bytes: Buffer;
}

export interface Request {
  bytes: Buffer;
  /** The SQL, also if it was prepared by an earlier request; then everything sent, for the parameters. */
  statement: string;
  /** Names of prepared statements that it uses or makes. */
  names: string[];
}

/** SSLRequest, GSSENCRequest. */
const ENCRYPTION_REQUESTS = new Set([80_877_103, 80_877_104]);
/** Startup, simple query, Sync, end, password, and what a standby says of its progress. */
const ENDS_REQUEST = new Set(['', 'Q', 'S', 'X', 'p', 'd', 'c']);

/** Returns a function that takes chunks and returns the messages that are whole by then. */
export function createSplitter(from: 'client' | 'server'): (chunk: Buffer) => Message[] {
  let rest: Buffer = Buffer.alloc(0);
  let isTyped = from === 'server';
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const messages: Message[] = [];
    for (;;) {
      const typeLength = isTyped ? 1 : 0;
      if (rest.length < typeLength + 4) return messages;
      const length = typeLength + rest.readUInt32BE(typeLength);
      if (rest.length < length) return messages;
      messages.push({ type: rest.toString('latin1', 0, typeLength), bytes: rest.subarray(0, length) });
      rest = rest.subarray(length);
      // A client that asks for encryption first is refused, and begins again.
      const { bytes } = messages.at(-1) as Message;
      isTyped ||= !(bytes.length === 8 && ENCRYPTION_REQUESTS.has(bytes.readUInt32BE(4)));
    }
  };
}

/** Returns a function that takes chunks of a client and returns the requests that are whole by then. */
export function createRequests(): (chunk: Buffer) => Request[] {
  const split = createSplitter('client');
  const prepared = new Map<string, string>();
  let parts: Buffer[] = [];
  let names: string[] = [];
  let sql = '';
  return (chunk) => {
    const requests: Request[] = [];
    for (const { type, bytes } of split(chunk)) {
      parts.push(bytes);
      const [first = '', second = ''] = bytes.toString('utf8', 5).split('\0');
      if (type === 'Q') sql = first;
      if (type === 'P') prepared.set(first, second);
      if (type === 'B') sql = prepared.get(second) ?? '';
      if (type === 'P') names.push(first);
      if (type === 'B') names.push(second);
      // The rest comes before a Sync.
      if (!ENDS_REQUEST.has(type)) continue;
      const whole = Buffer.concat(parts);
      requests.push({ bytes: whole, statement: `${sql}\n${whole.toString('latin1')}`, names: names.filter(Boolean) });
      [parts, names, sql] = [[], [], ''];
    }
    return requests;
  };
}
