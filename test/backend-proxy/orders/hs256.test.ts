// Our HS256 against the `jose` library: the same tokens are accepted, expired and refused, and equal ones are signed.
import assert from 'node:assert/strict';
import { createHmac, createSecretKey } from 'node:crypto';
import { it } from 'node:test';
import fc from 'fast-check';
import { SignJWT, errors, jwtVerify } from 'jose';
import { Refusal } from '../../../backend-proxy/errors.ts';
import { signHs256, verifyHs256, createOrderTokens } from '../../../backend-proxy/orders/order-token.ts';
import { NOON } from '../time.ts';

const NOW_S = NOON / 1000;
const SECRET = 'order-secret-0123456789-0123456789';
const KEY = createSecretKey(Buffer.from(SECRET));
const tokens = createOrderTokens([SECRET], { allowedOrigins: [] }, () => NOON);

type Outcome = 'signed' | 'token_expired' | 'refused';

async function ofJose(token: string): Promise<Outcome> {
  try {
    await jwtVerify(token, KEY, { algorithms: ['HS256'], currentDate: new Date(NOON), clockTolerance: 0 });
    return 'signed';
  } catch (error) {
    return error instanceof errors.JWTExpired ? 'token_expired' : 'refused';
  }
}

/** A signed token may still have wrong claims; their rules come later and have tests of their own. */
async function ofOurs(token: string): Promise<Outcome> {
  const refusal = await tokens.verify(token).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (refusal === undefined) return 'signed';
  assert.ok(refusal instanceof Refusal);
  if (refusal.kind === 'token_expired') return 'token_expired';
  assert.equal(refusal.kind, 'invalid_token');
  return refusal.errors === undefined ? 'refused' : 'signed';
}

/** As a header or a payload: other JSON, invalid JSON, invalid UTF-8, a byte order mark, double keys. */
const ODD = ['', ' ', 'null', '[]', '"{}"', '{', '{}x', '{"__proto__":{"alg":"HS256"}}', '{} ', '7', 'HS256']
  .map((text) => Buffer.from(text))
  .concat([Buffer.from([0x7b, 0xff, 0x7d]), Buffer.from('"\ud800"'), Buffer.from([0x00])]);
const HEADERS = [
  '{"alg":"HS256"}',
  '{"typ":"JWT","alg":"HS256"}',
  ' {"alg" : "HS256", "kid":"é漢"}\n',
  '\ufeff{"alg":"HS256"}',
  '{"alg":"none","alg":"HS256"}',
  '{"alg":"HS256","alg":"none"}',
  '{"alg":"HS256","crit":[]}',
  '{"alg":"HS256","crit":null}',
  '{"alg":"HS256","crit":"b64"}',
  '{"alg":"HS256","crit":["exp"],"exp":1}',
  '{"alg":"HS256","crit":["b64"]}',
  '{"alg":"HS256","crit":["b64"],"b64":false}',
  '{"alg":"HS256","b64":false}',
  '{"alg":"hs256"}',
  '{"alg":["HS256"]}',
  '{"alg":"HS384"}',
  '{"alg":"RS256"}',
  '{"alg":"none"}',
  '{"Alg":"HS256"}',
  '{"alg":null}',
];
const mostly = <T>(usual: T, odd: fc.Arbitrary<T>) => fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, odd);

const header = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...HEADERS).map((text) => Buffer.from(text)) },
  fc.constantFrom(...ODD),
  fc.json().map((text) => Buffer.from(text)),
);
const time = fc.oneof(
  fc.integer({ min: NOW_S - 2, max: NOW_S + 2 }).map(String),
  fc.constantFrom('null', '"1"', '1e999', '-1', '0', '[1]', 'true', `${NOW_S}.5`, `${NOW_S}.0`),
);
const claim = fc.tuple(fc.constantFrom('iat', 'nbf', 'exp', 'exp', 'orderId'), time);
const payload = fc.oneof(
  { weight: 6, arbitrary: fc.array(claim, { maxLength: 4 }).map((all) => Buffer.from(textOf(all))) },
  fc.constantFrom(...ODD),
  fc.json().map((text) => Buffer.from(text)),
);
function textOf(claims: [name: string, value: string][]): string {
  return `{${claims.map(([name, value]) => `"${name}":${value}`).join()}}`;
}

type Encode = (bytes: Buffer) => string;
const plain: Encode = (bytes) => bytes.toString('base64url');
/** The unused bits of the last character are not zero. */
const loose: Encode = (bytes) =>
  plain(bytes).replace(/[AQgw]$/, (last) => ({ A: 'B', Q: 'f', g: 'h', w: 'z' })[last] ?? last);
const encoding = mostly(
  plain,
  fc.oneof(
    fc.constantFrom<Encode[]>(
      loose,
      (bytes) => bytes.toString('base64'),
      (bytes) => bytes.toString('base64').replace(/[+/]/g, '_'),
      (bytes) => `${plain(bytes)}=`,
      (bytes) => `${plain(bytes)}==`,
      (bytes) => `${plain(bytes)}A`,
      (bytes) => `=${plain(bytes)}`,
      (bytes) => plain(bytes).slice(0, -1),
    ),
    fc
      .tuple(fc.nat(), fc.constantFrom('+', '/', '=', '.', 'é', '漢', '\0', '%', '\ud800', '*'))
      .map(([at, text]): Encode => (bytes) => {
        const encoded = plain(bytes);
        const place = at % (encoded.length + 1);
        return encoded.slice(0, place) + text + encoded.slice(place);
      }),
  ),
);
const signature = mostly(
  { hash: 'sha256', secret: SECRET, cut: 0 },
  fc.record({
    hash: fc.constantFrom('sha256', 'sha256', 'sha384', 'sha512'),
    secret: fc.constantFrom(SECRET, SECRET, 'another-secret-0123456789-0123456789', ''),
    cut: fc.constantFrom(0, 0, 1, 31, 32),
  }),
);
/** Signed as it is encoded, so that only the encoding can be wrong. */
const token = fc
  .tuple(header, payload, signature, encoding, encoding, encoding)
  .map(([head, body, { hash, secret, cut }, encodeHead, encodeBody, encodeSignature]) => {
    const signed = `${encodeHead(head)}.${encodeBody(body)}`;
    const made = createHmac(hash, secret).update(signed).digest();
    return `${signed}.${encodeSignature(made.subarray(0, made.length - cut))}`;
  });

it('a token is accepted, expired or refused as by jose, however it is made', async () => {
  const seen = { signed: 0, token_expired: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(token, async (text) => {
      const outcome = await ofJose(text);
      assert.equal(await ofOurs(text), outcome);
      seen[outcome] += 1;
    }),
    { numRuns: 3_000 },
  );
  for (const [outcome, count] of Object.entries(seen)) assert.ok(count > 10, `${outcome}: ${count}`);
});

it('a token changed in one character, cut, or joined with anything is accepted as by jose', async () => {
  const valid = signHs256({ exp: NOW_S + 60 }, KEY);
  const texts = fc.oneof(
    fc
      .tuple(fc.nat(valid.length), fc.constantFrom(...'AQgw.-_=+/é'.split('')))
      .map(([at, character]) => valid.slice(0, at) + character + valid.slice(at + 1)),
    fc.nat(valid.length).map((at) => valid.slice(0, at)),
    fc.constantFrom(`${valid}.`, `.${valid}`, `${valid}.${valid}`, '', '.', '..', '...', 'x'.repeat(100_000)),
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      // White space has a rule of its own, below.
      fc.pre(!/\s/.test(text));
      assert.equal(await ofOurs(text), await ofJose(text));
    }),
    { numRuns: 2_000 },
  );
});

it('white space within base64url, and the extension b64, are refused, which jose accepts and no library writes', async () => {
  const hmac = (text: string) => createHmac('sha256', SECRET).update(text).digest('base64url');
  const body = plain(Buffer.from(`{"exp":${NOW_S + 60}}`));
  const spaced = `${plain(Buffer.from('{"alg":"HS256"}'))}.${body.slice(0, 4)}\n${body.slice(4)}`;
  const extended = `${plain(Buffer.from('{"alg":"HS256","b64":true,"crit":["b64"]}'))}.${body}`;
  for (const signed of [spaced, extended]) {
    const text = `${signed}.${hmac(signed)}`;
    assert.equal(await ofJose(text), 'signed');
    assert.equal(await ofOurs(text), 'refused');
  }
});

it('signHs256() writes the token that jose writes, and verifyHs256() reads it back', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (claims) => {
      const stored = JSON.parse(JSON.stringify(claims)) as Record<string, unknown>;
      const ours = signHs256({ ...stored, iat: 1, exp: 2 }, KEY);
      const theirs = new SignJWT(stored).setProtectedHeader({ alg: 'HS256' }).setIssuedAt(1).setExpirationTime(2);
      assert.equal(ours, await theirs.sign(KEY));
      assert.deepEqual(verifyHs256(ours, [KEY]), { ...stored, iat: 1, exp: 2 });
    }),
  );
});
