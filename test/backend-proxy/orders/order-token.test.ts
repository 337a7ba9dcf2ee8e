// The order token: signature, lifetime and claims.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { it } from 'node:test';
import { Refusal } from '../../../backend-proxy/errors.ts';
import { LIMITS } from '../../../backend-proxy/http/server.ts';
import { MAX_LIFETIME_S, createOrderTokens, type OrderTerms } from '../../../backend-proxy/orders/order-token.ts';
import { METHODS } from '../../../backend-proxy/protocol/wire.ts';
import { signToken } from '../merchant-shop.ts';
import { NOON } from '../time.ts';

const NOW_S = NOON / 1000;
const SECRET = 'order-secret-0123456789-0123456789';
const OTHER = 'other-secret-0123456789-0123456789';
const ORIGINS = ['https://shop.example', 'http://localhost:8080'];
const CLAIMS = {
  orderId: 'A-1',
  amount: '10.10',
  currency: 'EUR',
  returnUrl: 'https://shop.example/thanks',
  exp: NOW_S + 3600,
};
const HS256 = { alg: 'HS256' };
const tokensOf = (...secrets: string[]) => createOrderTokens(secrets, { allowedOrigins: ORIGINS }, () => NOON);
const verify = (claims: object, secret = SECRET, header: { alg: string; [name: string]: unknown } = HS256) =>
  tokensOf(SECRET).verify(signToken(claims, secret, header));

async function refusalOf(claims: object): Promise<string> {
  const refused = await verify(claims).then(
    (terms: OrderTerms) => assert.fail(`taken: ${JSON.stringify(terms)}`),
    (error: unknown) => error,
  );
  assert.ok(refused instanceof Refusal);
  assert.equal(refused.kind, 'invalid_token');
  return refused.message;
}

it('an order id that is too long with what is added to it is refused with the real limit', async () => {
  const options = { allowedOrigins: ORIGINS, added: { before: 5, after: 7 } };
  const tokens = createOrderTokens([SECRET], options, () => NOON);
  const signed = (length: number) => signToken({ ...CLAIMS, orderId: 'x'.repeat(length) }, SECRET, HS256);
  assert.equal((await tokens.verify(signed(52))).orderId.length, 52);
  const message = /orderId: at most 52 characters, because 5 are added before it and up to 7 after it\.$/;
  const plain = createOrderTokens([SECRET], { ...options, added: { before: 0, after: 7 } }, () => NOON);
  await assert.rejects(
    plain.verify(signed(58)),
    /orderId: at most 57 characters, because up to 7 are added after it\.$/,
  );
  await assert.rejects(tokens.verify(signed(53)), { kind: 'invalid_token', message });
});

it('a claim that is nearly a known one is reported once, or named first in a refusal, and any other is not', async () => {
  const odd: string[][] = [];
  const options = { allowedOrigins: ORIGINS, onOddClaim: (...claim: string[]) => void odd.push(claim) };
  const tokens = createOrderTokens([SECRET], options, () => NOON);
  const { amount: _, ...others } = CLAIMS;
  const claims = { ...others, maxAmount: '5.00', amout: '10.10', iss: 'shop', jti: '1', mehtods: ['QR'] };
  for (let n = 0; n < 3; n += 1) await tokens.verify(signToken(claims, SECRET, HS256));
  assert.deepEqual(odd, [
    ['amout', 'amount'],
    ['mehtods', 'methods'],
  ]);
  const { maxAmount: __, ...refused } = claims;
  const message = /not valid: amout: unknown, most likely amount; mehtods: .*; amount: required/;
  await assert.rejects(tokens.verify(signToken(refused, SECRET, HS256)), { kind: 'invalid_token', message });
});

it('a signature in hex, as hash_hmac() makes it, is named', async () => {
  const [header, claims] = signToken(CLAIMS, SECRET, HS256).split('.');
  const hex = createHmac('sha256', SECRET).update(`${header}.${claims}`).digest('hex');
  const message = /Its signature is in hex: write its 32 bytes in base64url\.$/;
  await assert.rejects(tokensOf(SECRET).verify(`${header}.${claims}.${hex}`), { kind: 'invalid_token', message });
});

it('a token signed by HS256 with the secret is accepted, and claims that a library adds are ignored', async () => {
  const terms = await verify({ ...CLAIMS, iss: 'shop', jti: '1', admin: true });
  assert.deepEqual(terms, {
    ...CLAIMS,
    amountMinor: 1010,
    minMinor: 1,
    maxMinor: Number.MAX_SAFE_INTEGER,
    methods: ['CHECKOUT', 'JETGO', 'QR'],
  });
});

it('a token with any other signature is refused, always with the same error', async () => {
  const signed = signToken(CLAIMS, SECRET, HS256);
  const [header = '', claims = '', signature = ''] = signed.split('.');
  const richer = Buffer.from(JSON.stringify({ ...CLAIMS, amount: '0.01' })).toString('base64url');
  const signedUnder = (text: string) => {
    const parts = `${Buffer.from(text).toString('base64url')}.${claims}`;
    return `${parts}.${createHmac('sha256', SECRET).update(parts).digest('base64url')}`;
  };
  const hostile: Record<string, string> = {
    'the signature of HS256 under alg none': signedUnder('{"alg":"none"}'),
    'the signature of HS256 under alg HS512': signedUnder('{"alg":"HS512"}'),
    'the signature of HS256 under no alg': signedUnder('{}'),
    'alg none': signToken(CLAIMS, SECRET, { alg: 'none' }),
    'alg None with a signature': `${Buffer.from('{"alg":"None"}').toString('base64url')}.${claims}.${signature}`,
    'alg HS384': signToken(CLAIMS, SECRET, { alg: 'HS384' }),
    'alg HS512': signToken(CLAIMS, SECRET, { alg: 'HS512' }),
    'alg RS256': signToken(CLAIMS, SECRET, { alg: 'RS256' }),
    'another secret': signToken(CLAIMS, OTHER, HS256),
    'no signature': `${header}.${claims}.`,
    'two parts': `${header}.${claims}`,
    'other claims under the signature': `${header}.${richer}.${signature}`,
    'a cut signature': signed.slice(0, -2),
    'an unknown critical header': signToken(CLAIMS, SECRET, { alg: 'HS256', crit: ['x'], x: 1 }),
    'an unencoded payload': signToken(CLAIMS, SECRET, { alg: 'HS256', crit: ['b64'], b64: false }),
    'claims that are no object': signToken([CLAIMS], SECRET, HS256),
    nothing: '',
    dots: '..',
    text: 'not a token',
  };
  for (const [name, token] of Object.entries(hostile)) {
    await assert.rejects(
      tokensOf(SECRET).verify(token),
      {
        kind: 'invalid_token',
        message: 'The order token is missing, malformed, or not signed by HS256 with the shared secret.',
      },
      name,
    );
  }
});

it('a token signed with any of several secrets is accepted; new tokens use the first secret', async () => {
  const rotating = tokensOf(OTHER, SECRET);
  assert.equal((await rotating.verify(signToken(CLAIMS, SECRET, HS256))).orderId, 'A-1');
  assert.equal((await rotating.verify(signToken(CLAIMS, OTHER, HS256))).orderId, 'A-1');
  const { exp: _, ...claims } = CLAIMS;
  const { token } = await rotating.sign(claims, 60);
  assert.equal((await tokensOf(OTHER).verify(token)).orderId, 'A-1');
  await assert.rejects(tokensOf(SECRET).verify(token), { kind: 'invalid_token' });
});

it('an expired token of an old secret is reported as expired', async () => {
  const token = signToken({ ...CLAIMS, exp: NOW_S - 1 }, SECRET, HS256);
  await assert.rejects(tokensOf(OTHER, SECRET).verify(token), { kind: 'token_expired' });
});

it('an order secret needs at least 32 bytes, not characters', () => {
  assert.throws(() => tokensOf('x'.repeat(31)), /at least 32 bytes/);
  assert.throws(() => tokensOf(SECRET, 'short'), /at least 32 bytes/);
  assert.throws(() => tokensOf(), /at least 32 bytes/);
  assert.doesNotThrow(() => tokensOf('x'.repeat(32)));
  assert.doesNotThrow(() => tokensOf('ä'.repeat(16)));
});

it('a token without exp is refused', async () => {
  for (const exp of [undefined, null, 'soon', String(NOW_S + 60), NOW_S + 60.5, Infinity]) {
    await assert.rejects(verify({ ...CLAIMS, exp }), { kind: 'invalid_token' }, String(exp));
  }
});

it('a token expires on the second', async () => {
  const message = 'The order token has expired; the shop must issue a new one.';
  for (const exp of [NOW_S, NOW_S - 86_400])
    await assert.rejects(verify({ ...CLAIMS, exp }), { kind: 'token_expired', message });
  assert.equal((await verify({ ...CLAIMS, exp: NOW_S + 1 })).orderId, 'A-1');
});

it('a token lives at most 24 hours, plus a minute for clock differences', async () => {
  assert.equal(MAX_LIFETIME_S, 24 * 3600);
  const most = NOW_S + 24 * 3600 + 60;
  assert.equal((await verify({ ...CLAIMS, exp: most })).orderId, 'A-1');
  assert.match(await refusalOf({ ...CLAIMS, exp: most + 1 }), /exp: seconds .* at most 24 hours ahead/);
  assert.match(await refusalOf({ ...CLAIMS, exp: (NOW_S + 60) * 1000 }), /not milliseconds/);
});

it('a token of the future is refused; its iat may be a minute ahead', async () => {
  await assert.rejects(verify({ ...CLAIMS, nbf: NOW_S + 60 }), { kind: 'invalid_token' });
  assert.equal((await verify({ ...CLAIMS, nbf: NOW_S, iat: NOW_S + 60 })).orderId, 'A-1');
  for (const iat of [NOW_S + 61, NOW_S * 1000]) assert.match(await refusalOf({ ...CLAIMS, iat }), /iat: seconds/);
});

it('an invalid claim is named in the error, without its value', async () => {
  for (const [claim, values] of Object.entries({
    orderId: [undefined, '', 'a b', 'ä', 'x'.repeat(65), 'a\nb', '.', '..', 7, null],
    currency: [undefined, 'eur', 'EURO', 'XXX', 978],
    returnUrl: [
      undefined,
      '',
      '/thanks',
      'shop.example',
      'javascript:alert(1)',
      `https://shop.example/${'a'.repeat(2048)}`,
    ],
    customer: ['', '123', '1'.repeat(21), '١٢٣٤', '1234a', 12345678],
    customerReferenceNo: ['', 'x'.repeat(65), 'a\nb', '\0', '\u202eEUR 1', 7],
    language: ['', 'EN', 'eng', 'e', 'e1'],
    purpose: ['', 'Order', 'tip', true],
    description: ['', 'x'.repeat(201), 'a\nb', '\0', '\u202eEUR 1', {}],
    merchant: ['', 'x'.repeat(61), 'a\nb', '   ', '\u2003\u00ad', 'a\u2028b', {}],
    logo: [
      '',
      'http://shop.example/logo.svg',
      'javascript:alert(1)',
      'data:text/html,<script>',
      'data:image/png',
      'https:///',
      'https:///shop.example',
      'https://user:pass@shop.example/logo.svg',
      'https://shop.example:x/logo.svg',
      `https://shop.example/${'a'.repeat(2048)}`,
      `data:image/png;base64,${'A'.repeat(4_075)}`,
    ],
    walletName: ['', ' ', 'x'.repeat(31), '\u202eJeton', 7],
    methodNames: [[], 'QR', { CASH: 'Cash' }, { QR: '' }, { QR: 'x'.repeat(41) }, { QR: 'a\nb' }, { QR: ' ' }],
    suggestedAmounts: [[], '5', [5], ['1', '2', '3', '4', '5'], ['5']],
    iat: [1.5],
    methods: [[], ['CASH'], ['QR', 'QR'], ['QR', 'CHECKOUT', 'JETGO', 'DIRECT', 'QR'], 'QR'],
  })) {
    for (const value of values) {
      const message = await refusalOf({ ...CLAIMS, [claim]: value });
      assert.match(message, new RegExp(`claims are not valid: ${claim}[.:]`), JSON.stringify(value));
      if (typeof value === 'string' && value.length > 4) assert.ok(!message.includes(value), message);
    }
  }
});

it('metadata of any other shape is refused, and neither its keys nor its values are named', async () => {
  const line = 'canary\n';
  const wrong = [
    [],
    ['canary'],
    'canary',
    7,
    null,
    { canary: 7 },
    { canary: null },
    { canary: {} },
    { 'canary key': 'x' },
    { Canary: 'x' },
    { '': 'canary' },
    { ['canary'.repeat(7)]: 'x' },
    { canary: line },
    { canary: '\u202e' },
    { canary: 'half \ud800' },
    { canary: 'x'.repeat(1012) },
    { canary: '"'.repeat(506) },
    { canary: '\u{1F375}'.repeat(253) },
  ];
  const allowed =
    'metadata: an object of strings without control characters or bidirectional marks, with keys of 1 to 40 of ' +
    'a-z, 0-9 and _, at most 1024 bytes as JSON';
  for (const metadata of wrong) {
    const message = await refusalOf({ ...CLAIMS, metadata });
    assert.equal(message, `The order token's claims are not valid: ${allowed}.`, JSON.stringify(metadata));
  }
});

it('metadata is read as it was signed, whatever its keys are named and up to 1024 bytes', async () => {
  const longest = { canary: 'x'.repeat(1011) };
  assert.equal(JSON.stringify(longest).length, 1024);
  const names = { ['__proto__']: 'x', constructor: '', tostring: '\u{1F375}', ['a'.repeat(40)]: ' =1+1 ' };
  for (const metadata of [{}, longest, names])
    assert.equal(JSON.stringify((await verify({ ...CLAIMS, metadata })).metadata), JSON.stringify(metadata));
});

it('a name, a logo and names of methods are read as they were signed', async () => {
  for (const logo of ['https://shop.example/logo.svg', `data:image/png;base64,${'A'.repeat(4_074)}`]) {
    const claims = { merchant: 'Käse & Söhne', logo, walletName: 'Jeton', methodNames: { QR: 'Scan at the till' } };
    assert.partialDeepStrictEqual(await verify({ ...CLAIMS, ...claims }), claims);
  }
});

it('the longest claims leave 1,000 bytes of the headers of a request for the browser', async () => {
  const long = (most: number) => 'あ'.repeat(most);
  const url = (path: string) => `https://shop.example/${path}`.padEnd(2048, 'x');
  const { token } = await tokensOf(SECRET).sign(
    {
      orderId: 'o'.repeat(64),
      currency: 'EUR',
      minAmount: '1000000000000.00',
      maxAmount: '9000000000000.00',
      returnUrl: url('r'),
      supportUrl: url('s'),
      customer: '1'.repeat(20),
      customerReferenceNo: long(64),
      methods: [...METHODS],
      description: long(200),
      merchant: long(60),
      logo: 'data:image/png;base64,'.padEnd(4096, 'A'),
      walletName: long(30),
      methodNames: Object.fromEntries(METHODS.map((method) => [method, long(40)])),
      suggestedAmounts: Array.from({ length: 4 }, () => '5000000000000.00'),
      metadata: { note: 'x'.repeat(1013) },
    },
    3600,
  );
  await tokensOf(SECRET).verify(token);
  assert.ok(`Authorization: Bearer ${token}`.length <= LIMITS.headerBytes - 1000);
});

it('suggested amounts are amounts that the shopper may enter', async () => {
  const { amount: _, ...claims } = CLAIMS;
  const open = { ...claims, minAmount: '5', maxAmount: '50' };
  const suggestedAmounts = ['5', '12.50', '50.00'];
  assert.deepEqual((await verify({ ...open, suggestedAmounts })).suggestedAmounts, suggestedAmounts);
  for (const wrong of ['4.99', '50.01', '0', '-5', '12.505', 'x'])
    assert.match(await refusalOf({ ...open, suggestedAmounts: ['10', wrong] }), /: suggestedAmounts: /);
});

it('a token in plain base64 is refused with the alphabet that it needs', async () => {
  const payload = Buffer.from(JSON.stringify({ ...CLAIMS, description: '???>>>' })).toString('base64');
  await assert.rejects(tokensOf(SECRET).verify(`e30.${payload}.e30`), /It has \+ or \/: .*base64url/);
});

it('the error about a claim says what is allowed', async () => {
  const claims = { ...CLAIMS, methods: ['QR', 'CASH'] };
  assert.match(await refusalOf(claims), /: methods\.1: one of DIRECT, CHECKOUT, JETGO, QR\.$/);
  assert.match(await refusalOf({ ...CLAIMS, amount: 10.1 }), /: amount: a decimal string, like "10\.10"\.$/);
  const { currency: _, ...without } = CLAIMS;
  await assert.rejects(verify({ ...without, orderId: 7 }), {
    errors: [
      { field: 'orderId', detail: '1 to 57 printable ASCII characters, no spaces, not . or ..' },
      { field: 'currency', detail: 'required: an ISO 4217 code in upper case' },
    ],
  });
  assert.match(await refusalOf({ ...CLAIMS, exp: null }), /: exp: "exp" claim must be a number\.$/);
  assert.match(await refusalOf({ ...CLAIMS, methods: ['QR', 'QR'] }), /: methods: each method once\.$/);
});

it('claims of the minimum and maximum length are accepted', async () => {
  const longest = { orderId: '~'.repeat(64), customer: '1'.repeat(20), customerReferenceNo: 'x'.repeat(64) };
  const shortest = { orderId: '!', customer: '1234', customerReferenceNo: 'x', description: 'x' };
  for (const claims of [{ ...longest, description: 'ä'.repeat(200), language: 'en' }, shortest, { orderId: '...' }])
    assert.partialDeepStrictEqual(await verify({ ...CLAIMS, ...claims }), claims);
});

it('an amount is read exactly: 1e3, ١٢ and more decimals than the currency has are refused', async () => {
  const wrong = ['1e3', '١٢', '10.101', '10.100', '-1', '0', '0.00', '', ' 1', '1,5', '+1', '9'.repeat(16)];
  for (const amount of [...wrong, 10, 10.1, null])
    assert.match(await refusalOf({ ...CLAIMS, amount }), /amount/, String(amount));
  for (const [currency, amount, allowed] of [
    ['JPY', '10.0', 'amount: a decimal string above 0 with at most 0 decimals, like "10"'],
    ['KWD', '1.0000', 'at most 3 decimals, like "10.000"'],
  ] as const) {
    const message = await refusalOf({ ...CLAIMS, currency, amount });
    assert.ok(message.includes(allowed), message);
  }
  for (const [currency, amount, minor] of [
    ['KWD', '10.005', 10_005],
    ['EUR', '0.01', 1],
    ['EUR', '9999999999999.99', 999_999_999_999_999],
  ] as const) {
    assert.equal((await verify({ ...CLAIMS, currency, amount })).amountMinor, minor);
  }
});

it('an open amount needs consistent bounds', async () => {
  const { amount: _, ...open } = CLAIMS;
  for (const [bounds, problem] of [
    [{}, /amount: required, or maxAmount if the shopper enters it/],
    [{ minAmount: '1' }, /amount: required, or maxAmount/],
    [{ minAmount: '5.01', maxAmount: '5.00' }, /minAmount: not above maxAmount/],
    [{ maxAmount: '0' }, /maxAmount/],
    [{ maxAmount: '1e3' }, /maxAmount/],
    [{ minAmount: '-1', maxAmount: '5' }, /minAmount/],
    [{ amount: '5', minAmount: '5' }, /amount: either amount, or minAmount and maxAmount/],
    [{ amount: '5', maxAmount: '5' }, /amount: either amount, or minAmount and maxAmount/],
  ] as const) {
    assert.match(await refusalOf({ ...open, ...bounds }), problem);
  }
  const terms = await verify({ ...open, minAmount: '5', maxAmount: '5.00' });
  assert.deepEqual([terms.amountMinor, terms.minMinor, terms.maxMinor], [null, 500, 500]);
  assert.equal((await verify({ ...open, maxAmount: '5' })).minMinor, 1);
});

it('a return URL must have exactly one of the allowed origins', async () => {
  for (const returnUrl of [
    'https://shop.example/a?b#c',
    'https://shop.example:443/',
    'https://SHOP.example/',
    'http://localhost:8080/x',
  ]) {
    assert.equal((await verify({ ...CLAIMS, returnUrl })).returnUrl, new URL(returnUrl).href);
  }
  for (const returnUrl of [
    'http://shop.example/',
    'https://shop.example:8443/',
    'https://shop.example.evil.example/',
    'https://shop.example@evil.example/',
    'https://evil.example/https://shop.example/',
    'https://evil.example#@shop.example/',
    'https://evil.example?shop.example',
    'https://evilshop.example/',
    'https://a.shop.example/',
    'https://shop.example./',
    'https://evil.example\\@shop.example/',
    'http://localhost:8081/',
    'http://localhost/',
    'https://shop。example.evil.example/',
    // People read a user name as the site.
    'https://evil.example@shop.example/',
    'https://evil.example:80@shop.example/',
    'https://:x@shop.example/',
  ]) {
    assert.match(await refusalOf({ ...CLAIMS, returnUrl }), /returnUrl: a URL whose origin/, returnUrl);
  }
});

it('a return URL is passed on as normalized by our parser, where another parser would go elsewhere', async () => {
  for (const [said, read] of [
    ['https://shop.example\\@evil.example/', 'https://shop.example/@evil.example/'],
    ['https:\\\\shop.example\\x', 'https://shop.example/x'],
    ['https://shop.ex\tample/', 'https://shop.example/'],
    ['  https://shop.example  ', 'https://shop.example/'],
  ]) {
    assert.equal((await verify({ ...CLAIMS, returnUrl: said })).returnUrl, read);
  }
});

it('the methods are all that the claims allow, in the order of the merchant', async () => {
  const withReference = { ...CLAIMS, customerReferenceNo: 'C-1' };
  assert.deepEqual((await verify(withReference)).methods, METHODS);
  assert.deepEqual((await verify({ ...CLAIMS, methods: ['QR', 'CHECKOUT'] })).methods, ['QR', 'CHECKOUT']);
  assert.deepEqual((await verify({ ...withReference, methods: ['QR', 'DIRECT'] })).methods, ['QR', 'DIRECT']);
});

it('DIRECT is offered only with a customerReferenceNo', async () => {
  assert.deepEqual((await verify({ ...CLAIMS, methods: ['DIRECT', 'QR'] })).methods, ['QR']);
  assert.match(await refusalOf({ ...CLAIMS, methods: ['DIRECT'] }), /customerReferenceNo: required for DIRECT/);
});

it('sign() sets the iat and exp of the token', async () => {
  const { exp: _, ...claims } = CLAIMS;
  const { token, expiresAt } = await tokensOf(SECRET).sign(claims, 60);
  assert.equal(expiresAt, NOON + 60_000);
  const [header = '', payload = ''] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
  assert.deepEqual(JSON.parse(header), { alg: 'HS256' });
  assert.deepEqual(JSON.parse(payload), { ...claims, iat: NOW_S, exp: NOW_S + 60 });
  assert.equal((await tokensOf(SECRET).verify(token)).exp, NOW_S + 60);
});
