// The limit of a body, for requests as they come over a socket.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { it } from 'node:test';
import { text } from 'node:stream/consumers';
import { SECRETS, createWorld } from '../world.ts';

const LIMIT = 16 * 1024;
const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;

it('a body over a socket may have 16 KB, by its length or in chunks, also where nothing reads it', async (t) => {
  const world = await createWorld(t);
  const url = await world.listen();
  const statusOf = async (line: string, header: string, body: string) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(`${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${header}\r\n${body}`);
    return Number((await text(socket)).split(' ')[1]);
  };
  const ipn = `POST /ipn/${SECRETS.ipn}`;
  const chunked = 'Transfer-Encoding: chunked\r\n';
  for (const [line, header, body, status] of [
    [ipn, `Content-Length: ${LIMIT}\r\n`, 'x'.repeat(LIMIT), 200],
    [ipn, `Content-Length: ${LIMIT + 1}\r\n`, 'x'.repeat(LIMIT + 1), 413],
    // The rest is not waited for.
    [ipn, `Content-Length: ${LIMIT + 1}\r\n`, '', 413],
    [ipn, chunked, `${chunk(LIMIT - 5)}${chunk(5)}0\r\n\r\n`, 200],
    [ipn, chunked, `${chunk(LIMIT)}${chunk(1)}`, 413],
    [ipn, '', '', 200],
    ['POST /nowhere', `Content-Length: ${LIMIT + 1}\r\n`, '', 413],
    ['PUT /healthz', chunked, chunk(LIMIT + 1), 413],
    ['OPTIONS /order', `Content-Length: ${LIMIT + 1}\r\n`, '', 413],
    ['OPTIONS /order', chunked, chunk(LIMIT + 1), 413],
    ['OPTIONS /order', '', '', 204],
    ['GET /healthz', `Content-Length: ${LIMIT + 1}\r\n`, 'x'.repeat(LIMIT + 1), 200],
  ] as const) {
    assert.equal(await statusOf(line, header, body), status, `${line} ${header}`);
  }
  assert.deepEqual(world.rows<{ length: number }>('select length(body) as length from ipns order by length'), [
    { length: 0 },
    { length: LIMIT },
  ]);
});

it('a connection ends with the refusal of a body that is too large, whatever the client still sends', async (t) => {
  const world = await createWorld(t);
  const url = await world.listen();
  for (const header of [`Content-Length: ${LIMIT + 1}`, 'Transfer-Encoding: chunked']) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const body = header.startsWith('T') ? chunk(LIMIT + 1) : 'x';
    socket.write(`POST /ipn/${SECRETS.ipn} HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n${body}`);
    assert.match(await text(socket), /^HTTP\/1\.1 413 [^]*\r\nconnection: close\r\n/i);
  }
});
