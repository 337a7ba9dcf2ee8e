// Reading the environment: every wrong variable is named with its allowed values, and no value is repeated.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { configWarnings, readConfig, misspelledVariables } from '../../../backend-proxy/config/config.ts';
import { DEFAULT_PROFILE } from '../../../backend-proxy/gateway/profile.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { editDistance } from '../../../backend-proxy/protocol/nearest.ts';
import { words } from '../in-words.ts';

const WHSEC = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const REQUIRED = {
  GATEWAY_URL: 'https://gateway.example',
  GATEWAY_API_KEY: 'key-of-the-gateway',
  ORDER_SECRET: 'o'.repeat(32),
  IPN_SECRET: 'i'.repeat(22),
  ALLOWED_ORIGINS: 'https://shop.example',
  MERCHANT_API_KEY: 'm'.repeat(32),
};

function messageOf(env: Record<string, string | undefined>): string {
  try {
    readConfig(env);
  } catch (error) {
    assert.ok(error instanceof Error);
    return error.message;
  }
  return assert.fail('taken');
}

/** The variables that the message names, in its order. */
const named = (message: string): string[] => [...message.matchAll(/^ {2}([A-Z_]+): /gm)].map(([, name = '']) => name);

function profileFile(t: TestContext, text: string): string {
  const folder = temporaryFolder(t);
  const path = join(folder, 'profile.json');
  writeFileSync(path, text);
  return path;
}

it('readConfig() needs six variables and has defaults for the rest', () => {
  assert.deepEqual(readConfig(REQUIRED), {
    GATEWAY_URL: 'https://gateway.example',
    GATEWAY_API_KEY: 'key-of-the-gateway',
    GATEWAY_PROFILE: DEFAULT_PROFILE,
    ORDER_SECRET: ['o'.repeat(32)],
    MERCHANT_API_KEY: ['m'.repeat(32)],
    IPN_SECRET: ['i'.repeat(22)],
    ALLOWED_ORIGINS: ['https://shop.example'],
    DATABASE_URL: 'file:payments.db',
    HOST: '127.0.0.1',
    PORT: 8787,
    LOG_LEVEL: 'info',
    TRUSTED_PROXIES: 0,
    CHECKS_PER_SECOND: 500,
    DRAIN_SECONDS: 5,
    DATABASE_POOL: 16,
    REFUND_DAYS: 180,
    ADMIN_HOST: '127.0.0.1',
    ADMIN_PORT: 8789,
  });
});

it('readConfig() names every missing variable of an empty environment in one message', () => {
  assert.deepEqual(named(messageOf({})), Object.keys(REQUIRED));
  assert.match(messageOf({}), /^The configuration is invalid:\n {2}GATEWAY_URL: missing: /);
});

it('an empty variable counts as unset, as a line NAME= in a file means', () => {
  assert.deepEqual(named(messageOf({ ...REQUIRED, ORDER_SECRET: '' })), ['ORDER_SECRET']);
  assert.equal(readConfig({ ...REQUIRED, PORT: '', WEBHOOK_URL: '', LOG_LEVEL: undefined }).PORT, 8787);
});

it('readConfig() takes comma-separated lists with spaces, to rotate secrets', () => {
  const config = readConfig({
    ...REQUIRED,
    ORDER_SECRET: ` ${'a'.repeat(32)} , ${'b'.repeat(40)},`,
    ALLOWED_ORIGINS: 'https://a.example, http://localhost:8080',
    CHECKOUT_HOSTS: 'checkout.example, checkout.example:8443',
    WEBHOOK_URL: 'https://shop.example/hooks',
    WEBHOOK_SECRET: `${WHSEC},${WHSEC}`,
    TRUSTED_PROXIES: '2',
    CHECKS_PER_SECOND: '10000',
    PORT: '0',
    DATABASE_URL: 'postgres://user:password@db/payments',
  });
  assert.deepEqual(config.ORDER_SECRET, ['a'.repeat(32), 'b'.repeat(40)]);
  assert.deepEqual(config.ALLOWED_ORIGINS, ['https://a.example', 'http://localhost:8080']);
  assert.deepEqual(config.CHECKOUT_HOSTS, ['checkout.example', 'checkout.example:8443']);
  assert.deepEqual(config.WEBHOOK_SECRET, [WHSEC, WHSEC]);
  assert.deepEqual([config.TRUSTED_PROXIES, config.CHECKS_PER_SECOND, config.PORT], [2, 10_000, 0]);
});

const WRONG: Record<string, string[]> = {
  GATEWAY_URL: ['gateway.example', 'http://gateway.example', 'ftp://gateway.example', 'https://user:password@gateway.example', 'https://gateway.example/?key=1', 'https://gateway.example/#x', '/'],
  GATEWAY_API_KEY: ['canary key', 'canary\nkey', 'kännary', 'x'.repeat(513)],
  ORDER_SECRET: ['canary'.padEnd(31, 'x'), `${'o'.repeat(32)},canary`, ','],
  MERCHANT_API_KEY: ['canary'.padEnd(31, 'x'), `${'m'.repeat(32)},canary`, `canary ${'x'.repeat(32)}`],
  IPN_SECRET: ['canary'.padEnd(21, 'x'), 'canary/'.padEnd(22, 'x'), `${'i'.repeat(22)},canary`, 'canary%'.padEnd(22, 'x'), 'sandbox-canary'.padEnd(40, 'x')],
  ALLOWED_ORIGINS: ['*', 'shop.example', 'https://shop.example/', 'https://shop.example/path', 'HTTPS://shop.example', 'https://shop.example:443', 'null', 'https://a.example,*'],
  DATABASE_URL: ['payments.db', 'file:', 'mysql://canary:canary@db/x', 'postgres://'],
  WEBHOOK_URL: ['http://shop.example/hooks', 'shop.example', 'https://user@shop.example/'],
  WEBHOOK_SECRET: ['canary', `whsec_${Buffer.alloc(23).toString('base64')}`, `whsec_${Buffer.alloc(65).toString('base64')}`, 'whsec_canary!canary!canary!canary!canary!', `${WHSEC},canary`],
  PUBLIC_URL: ['http://pay.example', 'pay.example'],
  CHECKOUT_HOSTS: ['https://checkout.example', 'checkout.example/pay', 'CHECKOUT.example', 'checkout.example:443', 'a b'],
  PORT: ['http', '-1', '65536', '80.5'],
  LOG_LEVEL: ['loud', 'INFO'],
  TRUSTED_PROXIES: ['-1', '10', 'all', '1.5'],
  CHECKS_PER_SECOND: ['0', '-1', '10001', 'all', '1.5'],
  NODE_TLS_REJECT_UNAUTHORIZED: ['0'],
}; // prettier-ignore

it('a wrong variable is named alone, with the allowed values', () => {
  const both = { WEBHOOK_URL: 'https://shop.example/hooks', WEBHOOK_SECRET: WHSEC };
  for (const [name, values] of Object.entries(WRONG)) {
    const others = name.startsWith('WEBHOOK') ? { ...REQUIRED, ...both } : REQUIRED;
    for (const value of values) {
      const message = messageOf({ ...others, [name]: value });
      assert.deepEqual(named(message), [name], `${name}=${value}: ${message}`);
    }
  }
});

it('the message about a wrong variable contains no value of any variable', () => {
  const canaries = {
    GATEWAY_URL: 'http://canary-url.example',
    GATEWAY_API_KEY: 'canary key of the gateway',
    ORDER_SECRET: 'canary-order',
    MERCHANT_API_KEY: 'canary-merchant',
    MERCHANT_KEYS: 'canary:canary:canary',
    IPN_SECRET: 'canary-ipn',
    ALLOWED_ORIGINS: 'canary-origin',
    DATABASE_URL: 'mysql://canary:canary@db/canary',
    WEBHOOK_URL: 'canary-hook',
    WEBHOOK_SECRET: 'whsec_canary',
    PUBLIC_URL: 'canary-public',
    CHECKOUT_HOSTS: 'https://canary-host',
    PORT: 'canary',
    LOG_LEVEL: 'canary',
    TRUSTED_PROXIES: 'canary',
    CHECKS_PER_SECOND: 'canary',
    // Its path is no secret, and who has mistaken it needs to see it.
    GATEWAY_PROFILE: '/nowhere/profile.json',
  };
  const message = messageOf(canaries);
  assert.deepEqual(named(message).toSorted(), Object.keys(canaries).toSorted());
  assert.doesNotMatch(message, /canary/i);
});

it('WEBHOOK_URL and WEBHOOK_SECRET are each refused without the other', () => {
  assert.match(
    messageOf({ ...REQUIRED, WEBHOOK_URL: 'https://shop.example/hooks' }),
    /WEBHOOK_SECRET: missing: WEBHOOK_URL is set/,
  );
  assert.match(messageOf({ ...REQUIRED, WEBHOOK_SECRET: WHSEC }), /WEBHOOK_URL: missing: WEBHOOK_SECRET is set/);
  assert.equal(
    readConfig({ ...REQUIRED, WEBHOOK_URL: 'http://127.0.0.1:9/h', WEBHOOK_SECRET: WHSEC }).WEBHOOK_URL,
    'http://127.0.0.1:9/h',
  );
});

it('a secret of exactly the minimum length is allowed', () => {
  const whsec = (bytes: number) => `whsec_${Buffer.alloc(bytes, 1).toString('base64')}`;
  for (const secret of [whsec(24), whsec(64)]) {
    assert.deepEqual(
      readConfig({ ...REQUIRED, WEBHOOK_URL: 'https://shop.example/', WEBHOOK_SECRET: secret }).WEBHOOK_SECRET,
      [secret],
    );
  }
  assert.equal(readConfig({ ...REQUIRED, GATEWAY_API_KEY: 'x'.repeat(512) }).GATEWAY_API_KEY.length, 512);
});

describe('MERCHANT_KEYS', () => {
  const key = (letter: string) => letter.repeat(32);
  const read = (text: string) => readConfig({ ...REQUIRED, MERCHANT_API_KEY: undefined, MERCHANT_KEYS: text });
  const problems = (text: string) =>
    messageOf({ ...REQUIRED, MERCHANT_KEYS: text })
      .split('\n  ')
      .slice(1);

  it('MERCHANT_KEYS has keys with a name and scopes, in place of MERCHANT_API_KEY or beside it', () => {
    const text = `shop:orders+read+refunds:${key('s')}, office-2:operate+operate:${key('_')},shop:orders:${key('-')}`;
    const keys = [
      { name: 'shop', scopes: ['orders', 'read', 'refunds'], key: key('s') },
      { name: 'office-2', scopes: ['operate'], key: key('_') },
      { name: 'shop', scopes: ['orders'], key: key('-') },
    ];
    assert.deepEqual([read(text).MERCHANT_KEYS, read(text).MERCHANT_API_KEY], [keys, undefined]);
    const both = readConfig({ ...REQUIRED, MERCHANT_KEYS: text });
    assert.deepEqual([both.MERCHANT_KEYS, both.MERCHANT_API_KEY], [keys, [key('m')]]);
    assert.deepEqual(configWarnings({ ...REQUIRED, MERCHANT_KEYS: text }), []);
  });

  it('a wrong entry of MERCHANT_KEYS is named by its number and by what is wrong, and never quoted', () => {
    const good = `shop:read:${key('s')}`;
    const scopes = 'its scopes are of orders+read+refunds+payouts+operate';
    const name = 'its name has 1 to 32 of a-z 0-9 -';
    const source = (word: string) => `its name is not ${word}, which the history has for others`;
    for (const [entry, problem] of [
      ['canary'.padEnd(32, 'x'), 'name:scope+scope:key, separated by commas'],
      [`canary:${key('c')}`, 'name:scope+scope:key, separated by commas'],
      [`canary:read:${key('c')}:x`, 'name:scope+scope:key, separated by commas'],
      [`:read:${key('c')}`, name],
      [`Canary:read:${key('c')}`, name],
      [`${'canary'.repeat(6)}:read:${key('c')}`, name],
      [`merchant:read:${key('c')}`, source('merchant')],
      [`person:read:${key('c')}`, source('person')],
      [`check:read:${key('c')}`, source('check')],
      [`canary:order:${key('c')}`, scopes],
      [`canary::${key('c')}`, scopes],
      [`canary:read+:${key('c')}`, scopes],
      [`canary:toString:${key('c')}`, scopes],
      ['canary:read:canary', 'its key has at least 32 of A-Z a-z 0-9 _ -'],
      [`canary:read:${key('c')}/`, 'its key has at least 32 of A-Z a-z 0-9 _ -'],
      [`canary:read:${key('s')}`, 'the same key as entry 1'],
    ] as const) {
      assert.deepEqual(problems(`${good},${entry}`), [`MERCHANT_KEYS: entry 2: ${problem}`], entry);
    }
    const two = problems(`${good},canary:read:canary,${good},canary:x:${key('c')}`);
    assert.deepEqual(two, [
      'MERCHANT_KEYS: entry 2: its key has at least 32 of A-Z a-z 0-9 _ -',
      'MERCHANT_KEYS: entry 3: the same key as entry 1',
      `MERCHANT_KEYS: entry 4: ${scopes}`,
    ]);
    assert.deepEqual(problems(','), ['MERCHANT_KEYS: at least one entry name:scope+scope:key']);
  });

  it('a key that has two meanings is refused: in two entries of MERCHANT_KEYS, or in another secret as well', () => {
    for (const name of ['MERCHANT_API_KEY', 'ORDER_SECRET', 'IPN_SECRET', 'ADMIN_TOKEN', 'METRICS_TOKEN']) {
      const message = messageOf({ ...REQUIRED, [name]: key('c'), MERCHANT_KEYS: `shop:read:${key('c')}` });
      const both = ['MERCHANT_KEYS', name];
      assert.ok(both.includes(named(message)[0] ?? '') && both.every((each) => message.includes(each)), message);
      assert.equal(named(message).length, 1);
    }
    const widened = problems(`shop:read:${key('c')},shop:payouts:${key('c')}`);
    assert.deepEqual(widened, ['MERCHANT_KEYS: entry 2: the same key as entry 1']);
  });

  it('without a key the message names both variables, but not where the file of one cannot be read', (t) => {
    const none = { ...REQUIRED, MERCHANT_API_KEY: undefined };
    assert.match(messageOf(none), /^ {2}MERCHANT_API_KEY: missing: .*; or MERCHANT_KEYS$/m);
    assert.deepEqual(named(messageOf({ ...none, MERCHANT_KEYS_FILE: '/dev/null' })), ['MERCHANT_KEYS_FILE']);
    const path = profileFile(t, `shop:read:${key('s')}\n`);
    assert.equal(readConfig({ ...none, MERCHANT_KEYS_FILE: path }).MERCHANT_KEYS?.[0]?.name, 'shop');
  });
});

it('the profile file overrides the defaults that it names', (t) => {
  const path = profileFile(t, '{"paths": {"status": null}, "payoutDecimals": true}');
  const { GATEWAY_PROFILE: profile } = readConfig({ ...REQUIRED, GATEWAY_PROFILE: path });
  assert.deepEqual(profile, {
    ...DEFAULT_PROFILE,
    paths: { ...DEFAULT_PROFILE.paths, status: null },
    payoutDecimals: true,
  });
});

it('a wrong profile file is reported with its errors, beside all other wrong variables', (t) => {
  const path = profileFile(t, '{"paths": {"status": "canary"}, "colour": "red"}');
  const message = messageOf({ ...REQUIRED, PORT: 'x', GATEWAY_PROFILE: path });
  assert.deepEqual(named(message), ['PORT', 'GATEWAY_PROFILE', 'GATEWAY_PROFILE']);
  assert.match(message, /GATEWAY_PROFILE: paths\.status: a path that begins with \//);
  assert.match(message, /colour/);
  assert.doesNotMatch(message, /canary/);
});

it('an unknown key of the profile file is reported with the nearest one, such as the old customerReferenceNo', (t) => {
  const path = profileFile(t, '{"request": {"customerReferenceNo": "ref"}, "noSuchOrder": {"canary": 1}, "path": {}}');
  const message = messageOf({ ...REQUIRED, GATEWAY_PROFILE: path });
  assert.match(message, /: request\.customerReferenceNo: unknown key; the nearest one is customerReference$/m);
  assert.match(message, /: path: unknown key; the nearest one is paths$/m);
  assert.match(message, /: noSuchOrder\.canary: unknown key$/m);
});

it('a profile file that is missing, not JSON or without an end is reported', (t) => {
  const wrong = ['/nowhere/profile.json', profileFile(t, '{canary'), profileFile(t, '')];
  for (const path of process.platform === 'win32' ? wrong : [...wrong, '/dev/zero']) {
    assert.match(
      messageOf({ ...REQUIRED, GATEWAY_PROFILE: path }),
      /GATEWAY_PROFILE: (there is no file \/nowhere\/profile\.json|no readable JSON of at most 1 MB in \/\S+)$/,
    );
  }
  assert.match(
    messageOf({ ...REQUIRED, GATEWAY_PROFILE: 'demo/none.json' }),
    new RegExp(`GATEWAY_PROFILE: there is no file ${resolve('demo/none.json')}$`),
  );
});

const FILES = ['GATEWAY_API_KEY', 'ORDER_SECRET', 'MERCHANT_API_KEY', 'IPN_SECRET'] as const;

it('each secret can be in a file, which may end with a newline', (t) => {
  const whsec = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
  const secrets = {
    ...Object.fromEntries(FILES.map((name) => [name, REQUIRED[name]])),
    WEBHOOK_SECRET: whsec,
    METRICS_TOKEN: 't'.repeat(22),
    ADMIN_TOKEN: 'a'.repeat(32),
    DATABASE_URL: 'postgres://pay:secret@db/pay',
  };
  const plain = { ...REQUIRED, WEBHOOK_URL: 'https://shop.example/', ...secrets };
  const inFiles = Object.entries(secrets).map(([name, secret], at) => [
    `${name}_FILE`,
    profileFile(t, secret + ['\n', '\r\n', ''][at % 3]),
  ]);
  const { GATEWAY_URL, ALLOWED_ORIGINS, WEBHOOK_URL } = plain;
  const env = { GATEWAY_URL, ALLOWED_ORIGINS, WEBHOOK_URL, ...Object.fromEntries(inFiles) };
  assert.deepEqual(readConfig(env), readConfig(plain));
  assert.deepEqual(configWarnings(env), []);
});

it('a secret that is set both directly and in a file is refused', (t) => {
  const path = profileFile(t, REQUIRED.ORDER_SECRET);
  assert.match(
    messageOf({ ...REQUIRED, ORDER_SECRET_FILE: path }),
    /^ {2}ORDER_SECRET_FILE: ORDER_SECRET is set as well; keep one of them$/m,
  );
  assert.deepEqual(readConfig({ ...REQUIRED, ORDER_SECRET: '', ORDER_SECRET_FILE: path }), readConfig(REQUIRED));
});

it('a file that cannot be read is named by its variable alone, with the reason of the system', (t) => {
  const folder = join(profileFile(t, ''), '..', 'canary');
  mkdirSync(folder);
  for (const [path, reason] of [
    ['/canary/secret', 'no such file or directory'],
    [folder, 'illegal operation on a directory'],
    ['/dev/zero', 'it is larger than 65536 bytes'],
    ['/dev/null', 'the file is empty'],
  ]) {
    const message = messageOf({ ...REQUIRED, ORDER_SECRET: undefined, ORDER_SECRET_FILE: path });
    assert.deepEqual(named(message), ['ORDER_SECRET_FILE']);
    assert.ok(message.endsWith(reason ?? ''), message);
    assert.doesNotMatch(message, /canary/);
  }
});

it('a wrong secret in a file is refused without its content', (t) => {
  const env = { ...REQUIRED, ORDER_SECRET: undefined, ORDER_SECRET_FILE: profileFile(t, 'canary\n') };
  assert.deepEqual(named(messageOf(env)), ['ORDER_SECRET']);
  assert.doesNotMatch(messageOf(env), /canary/);
});

describe('one secret for two things', () => {
  const secret = 'canary'.padEnd(40, 'x');

  it('a secret that two parties would have is refused, and both variables are named', () => {
    for (const [one, other] of [
      ['MERCHANT_API_KEY', 'IPN_SECRET'],
      ['MERCHANT_API_KEY', 'GATEWAY_API_KEY'],
      ['MERCHANT_API_KEY', 'METRICS_TOKEN'],
      ['MERCHANT_API_KEY', 'ADMIN_TOKEN'],
      ['ORDER_SECRET', 'IPN_SECRET'],
      ['METRICS_TOKEN', 'ADMIN_TOKEN'],
    ] as const) {
      const message = messageOf({ ...REQUIRED, [one]: `${secret},${'z'.repeat(40)}`, [other]: secret });
      assert.deepEqual(named(message), [other]);
      assert.match(message, new RegExp(`the same secret as ${one}, `));
      assert.doesNotMatch(message, /canary/);
    }
  });

  it('a secret that one party has for two things causes a warning, and the start continues', () => {
    const env = { ...REQUIRED, MERCHANT_API_KEY: secret, ORDER_SECRET: `${'z'.repeat(40)},${secret}` };
    assert.deepEqual(readConfig(env).MERCHANT_API_KEY, [secret]);
    assert.deepEqual(configWarnings(env), ['MERCHANT_API_KEY and ORDER_SECRET are the same secret; make one for each']);
    assert.deepEqual(configWarnings(REQUIRED), []);
  });
});

it('a misspelled variable causes a warning, and is named in the message about one that is missing', () => {
  const warning = 'ORDER_SECERT is no variable of the proxy; the nearest one is ORDER_SECRET';
  assert.deepEqual(configWarnings({ ...REQUIRED, ORDER_SECERT: 'canary', TRUSTED_PROXIES: '1' }), [warning]);
  const message = messageOf({ ...REQUIRED, ORDER_SECRET: undefined, ORDER_SECERT: 'canary' });
  assert.deepEqual(named(message), ['ORDER_SECRET']);
  assert.ok(message.includes(warning));
  assert.doesNotMatch(message, /canary/);
});

it('GATEWAY_URL and WEBHOOK_URL may be plain http within the operator’s own network, and nowhere else', () => {
  const read = (url: string) => readConfig({ ...REQUIRED, GATEWAY_URL: url, WEBHOOK_URL: url, WEBHOOK_SECRET: WHSEC });
  const own = ['sandbox:8788', 'localhost', '127.0.0.1:3000', '[::1]', '10.0.0.5', '172.16.0.1', '192.168.1.1:80'];
  for (const host of [...own, '100.64.0.1', '169.254.1.1', '[fd00::1]:9', '[fe80::1]', '[::ffff:10.0.0.1]']) {
    assert.equal(read(`http://${host}/hook`).WEBHOOK_URL, `http://${host}/hook`);
    assert.equal(read(`https://${host}/hook`).GATEWAY_URL, `https://${host}/hook`);
  }
  const other = words`shop.example shop.internal shop. 8.8.8.8 172.32.0.1 [2001:db8::1] [::ffff:8.8.8.8]`;
  const urls = [...other.map((host) => `http://${host}`), 'http://user:password@sandbox', 'ftp://sandbox'];
  for (const url of urls) {
    const message = messageOf({ ...REQUIRED, GATEWAY_URL: url, WEBHOOK_URL: url, WEBHOOK_SECRET: WHSEC });
    assert.deepEqual(named(message), ['GATEWAY_URL', 'WEBHOOK_URL'], url);
    assert.match(message, /or http on loopback, at a private address or at a name without a dot/);
  }
});

const KNOWN = ['ORDER_SECRET', 'ORDER_SECRET_FILE', 'TRUSTED_PROXIES', 'GATEWAY_URL', 'NODE_TLS_REJECT_UNAUTHORIZED', 'HOST']; // prettier-ignore

it('a variable that begins like one of ours but is unknown causes a warning with the nearest name', () => {
  assert.deepEqual(misspelledVariables(['TRUSTED_PROXY', 'ORDER_SECRET', 'ORDER_SECERT', 'GATEWAY_UR'], KNOWN), [
    'TRUSTED_PROXY is no variable of the proxy; the nearest one is TRUSTED_PROXIES',
    'ORDER_SECERT is no variable of the proxy; the nearest one is ORDER_SECRET',
    'GATEWAY_UR is no variable of the proxy; the nearest one is GATEWAY_URL',
  ]);
});

it('variables of other programs, of Node and of Kubernetes cause no warning', () => {
  const others = ['PATH', 'HOSTNAME', 'HOST', 'ORDERS', 'NODE_ENV', 'NODE_OPTIONS', '_', 'gateway_url'];
  const services = ['GATEWAY_SERVICE_HOST', 'GATEWAY_SERVICE_PORT_HTTP', 'GATEWAY_PORT', 'GATEWAY_PORT_80_TCP_ADDR'];
  assert.deepEqual(misspelledVariables([...others, ...services, ...KNOWN], KNOWN), []);
});

it('editDistance() counts letters that are added, removed, replaced, or swapped with the next', () => {
  for (const [from, to, distance] of [
    ['', '', 0],
    ['', 'abc', 3],
    ['abc', '', 3],
    ['abc', 'abc', 0],
    ['abc', 'abd', 1],
    ['abc', 'acb', 1],
    ['abc', 'ab', 1],
    ['kitten', 'sitting', 3],
    ['SECERT', 'SECRET', 1],
  ] as const)
    assert.equal(editDistance(from, to), distance, `${from} ${to}`);
});
