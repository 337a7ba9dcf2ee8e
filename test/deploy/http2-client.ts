// A browser's connection to nginx: HTTP/2 over TLS, from an address of its own, so that limits by address count each
// client by itself (Linux takes all of 127.0.0.0/8 for its own).
import { once } from 'node:events';
import { connect, type ClientHttp2Stream } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { CERTIFICATE } from '../backend-proxy/gateway/self-signed.ts';

/** Only against a hang. */
const ANSWER_WITHIN_MS = 60_000;

export interface Answer {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  text: string;
}

type Headers = Record<string, string>;

export interface Client {
  /** Rejects if no answer comes, or only a part of one. */
  ask(method: string, path: string, headers?: Headers, body?: string): Promise<Answer>;
  /** Resolves with the status, then passes on what comes; `ended` resolves when the answer is complete. */
  read(
    path: string,
    headers: Headers,
    onText: (text: string) => void,
  ): Promise<{ status: number; ended: Promise<void> }>;
  close(): void;
}

export async function openClient(port: number, address = '127.0.0.1'): Promise<Client> {
  const socket = connectTls({
    socket: connectTcp({ port, host: '127.0.0.1', localAddress: address }),
    servername: 'localhost',
    ca: CERTIFICATE,
    ALPNProtocols: ['h2'],
  });
  await once(socket, 'secureConnect');
  const session = connect(`https://localhost:${port}`, { createConnection: () => socket });
  // Each request reports it by itself.
  session.on('error', () => undefined);

  function send(method: string, path: string, headers: Headers, body = ''): ClientHttp2Stream {
    const stream = session.request({ ':method': method, ':path': path, ...headers }, { endStream: body === '' });
    if (body !== '') stream.end(body);
    return stream.setEncoding('utf8');
  }

  async function answered(stream: ClientHttp2Stream): Promise<{ status: number; headers: Answer['headers'] }> {
    const [headers] = (await once(stream, 'response', { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })) as [
      Record<string, string>,
    ];
    return { status: Number(headers[':status']), headers };
  }

  /** An answer that nginx breaks off ends in an error, or by a reset without one. */
  async function complete(stream: ClientHttp2Stream): Promise<void> {
    await once(stream, 'close');
    if (stream.rstCode !== 0) throw new Error(`the answer was cut (${stream.rstCode})`);
  }

  return {
    async ask(method, path, headers = {}, body) {
      const stream = send(method, path, headers, body);
      let text = '';
      stream.on('data', (chunk: string) => (text += chunk));
      const [head] = await Promise.all([answered(stream), complete(stream)]);
      return { ...head, text };
    },
    async read(path, headers, onText) {
      const stream = send('GET', path, headers);
      stream.on('data', onText);
      const ended = complete(stream);
      // Awaited later, and then also its rejection.
      ended.catch(() => undefined);
      return { status: (await answered(stream)).status, ended };
    },
    close: () => session.destroy(),
  };
}
