// Decimal strings to integer minor units and back, compared with BigInt arithmetic and the ISO 4217 list.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import {
  MAX_AMOUNT_DIGITS,
  exponentOf,
  decimalOf,
  minorOf,
  minorOfReported,
  isTooDeep,
  parseExact,
} from '../../../backend-proxy/protocol/money.ts';
import { words } from '../in-words.ts';

const CURRENCIES = ['JPY', 'EUR', 'KWD', 'CLF'] as const;
const currency = fc.constantFrom(...CURRENCIES);
const minorUnits = (exponent: number) =>
  fc.bigInt({ min: 0n, max: 10n ** BigInt(MAX_AMOUNT_DIGITS) - 1n }).map((minor) => {
    const unit = 10n ** BigInt(exponent);
    const fraction = exponent === 0 ? '' : `.${(minor % unit).toString().padStart(exponent, '0')}`;
    return { minor, text: `${minor / unit}${fraction}` };
  });
/** As fast-check's 'binary', which builds a table of all of Unicode first: half a second in each process. */
const anyCharacter = fc.nat(0x10_ffff).map((code) => String.fromCodePoint(code));
const anyAmount = currency.chain((code) => minorUnits(exponentOf(code) ?? 0).map((amount) => ({ code, ...amount })));

it('exponentOf() knows how many decimals each kind of currency has', () => {
  const expected = {
    0: ['JPY', 'KRW', 'CLP', 'ISK', 'UGX', 'VND', 'XAF', 'UYI'],
    2: ['EUR', 'USD', 'GBP', 'CHF', 'MGA', 'MRU', 'HUF', 'TWD', 'IDR', 'COP', 'XCG', 'VED', 'ZWG'],
    3: ['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'],
    4: ['CLF', 'UYW'],
  };
  for (const [exponent, codes] of Object.entries(expected)) {
    for (const code of codes) assert.equal(exponentOf(code), Number(exponent), code);
  }
});

it('exponentOf() knows as many currencies of each kind as ISO 4217 lists', () => {
  const letters = Array.from({ length: 26 }, (_, n) => String.fromCodePoint(65 + n));
  const codes = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)));
  const counts = Map.groupBy(codes, exponentOf);
  counts.delete(undefined);
  const sizes = Object.fromEntries([...counts].map(([exponent, known]) => [exponent, known.length]));
  assert.deepEqual(sizes, { 0: 17, 2: 139, 3: 7, 4: 2 });
});

it('exponentOf() knows no code that is malformed, no longer in use, or without an exponent', () => {
  for (const code of ['eur', 'EU', 'EURO', 'XAU', 'XXX', 'XTS', 'HRK', 'BGN', '', 'constructor', '__proto__']) {
    assert.equal(exponentOf(code), undefined, code);
  }
});

it('minorOf() reads every amount as BigInt arithmetic does', () => {
  fc.assert(
    fc.property(anyAmount, ({ code, text, minor }) => {
      assert.equal(BigInt(minorOf(text, code) ?? -1), minor);
    }),
  );
});

it('minorOf() reads fewer decimals than the currency has, and up to 15 digits in minor units', () => {
  for (const [text, currencyCode, minor] of [
    ['10', 'EUR', 1000],
    ['10.1', 'EUR', 1010],
    ['0', 'EUR', 0],
    ['0.01', 'EUR', 1],
    ['9999999999999.99', 'EUR', 999_999_999_999_999],
    ['0.5', 'KWD', 500],
    ['1.0000', 'CLF', 10_000],
    ['999999999999999', 'JPY', 999_999_999_999_999],
  ] as const) {
    assert.equal(minorOf(text, currencyCode), minor, `${text} ${currencyCode}`);
  }
  assert.ok(Number.isSafeInteger(10 ** MAX_AMOUNT_DIGITS - 1));
});

it('minorOf() refuses anything that is not a plain decimal', () => {
  const wrong = words`. 1. .5 01 00 1e3 1E3 +1 -1 -0 1,5 1_000 0x10 ١٢ １２ 1.٢ 1.2.3 NaN Infinity 1/2`;
  const long = words`10.001 10.100 1.000 10000000000000 10000000000000.00 99999999999999.99`;
  for (const text of [...wrong, ...long, '', ' ', ' 1', '1 ', '1\n', '1.5\n', '1 000', '1\u00a0000', '10.10\0'])
    assert.equal(minorOf(text, 'EUR'), undefined, JSON.stringify(text));
  for (const [text, currencyCode] of [
    ['1.0', 'JPY'],
    ['1000000000000000', 'JPY'],
    ['1.0000', 'KWD'],
    ['1.00000', 'CLF'],
    ['1', 'XXX'],
    ['1', 'eur'],
  ] as const) {
    assert.equal(minorOf(text, currencyCode), undefined, `${text} ${currencyCode}`);
  }
});

it('minorOf() returns a safe integer of at least 0 or undefined for any text', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.string({ unit: anyCharacter }), fc.double().map(String)),
      currency,
      (text, code) => {
        const minor = minorOf(text, code);
        assert.ok(minor === undefined || (Number.isSafeInteger(minor) && minor >= 0));
      },
    ),
  );
});

it('minorOfReported() ignores zeros beyond the decimals of the currency, and reads exponents exactly', () => {
  for (const [texts, currencyCode, minor] of [
    ['5 5.0 5.00 5.000 5.0000000 500e-2', 'EUR', 500],
    ['10.10 10.1000 1.01e1 10.10e0 1010e-2 0.00000000000000000101e19 101000000000000000000e-19', 'EUR', 1010],
    ['10 1E+1 1e+01', 'EUR', 1000],
    ['0 0.00 0e20 0.00e-20', 'EUR', 0],
    ['1e-2', 'EUR', 1],
    ['9.99999999999999e12', 'EUR', 999_999_999_999_999],
    ['50 50.0 50.000 5E+1', 'JPY', 50],
    ['1E-3', 'KWD', 1],
    ['5.'.padEnd(40, '0'), 'EUR', 500],
  ] as const) {
    for (const text of texts.split(' ')) assert.equal(minorOfReported(text, currencyCode), minor, text);
  }
});

it('minorOfReported() refuses a digit beyond the decimals of the currency, and what is no number of 40 characters', () => {
  const digits = words`5.001 5.0001 5.0000001 5.010001 1e-3 1.001e0 1.234e-1`;
  const large = words`1e14 1e20 1e21 0e21 0e-21 1e999999999 0e-999999999`;
  const wrong = words`-5 5.00- ٥ five 10,10 5. .5 05 +5 1e e1 1e1.5 1e+-1 0x1`;
  for (const text of [...digits, ...large, ...wrong, '', 'EUR 10.10', ' 5', '5\n', '5.'.padEnd(41, '0')])
    assert.equal(minorOfReported(text, 'EUR'), undefined, text);
  assert.equal(minorOfReported('1', 'XXX'), undefined);
});

it('minorOfReported() agrees with exact arithmetic on every JSON number', () => {
  const part = fc.bigInt({ min: 0n, max: 10n ** 12n });
  fc.assert(
    fc.property(
      part,
      fc.stringMatching(/^[0-9]{0,8}$/),
      fc.integer({ min: -22, max: 22 }),
      currency,
      (whole, fraction, power, code) => {
        const text = `${whole}${fraction && `.${fraction}`}e${power}`;
        const scale = power - fraction.length + (exponentOf(code) ?? 0);
        const written = BigInt(`${whole}${fraction}`);
        const [exact, rest] =
          scale >= 0
            ? [written * 10n ** BigInt(scale), 0n]
            : [written / 10n ** BigInt(-scale), written % 10n ** BigInt(-scale)];
        const isRead = rest === 0n && exact < 10n ** 15n && Math.abs(power) <= 20;
        assert.equal(minorOfReported(text, code), isRead ? Number(exact) : undefined, text);
      },
    ),
  );
});

it('minorOfReported() agrees with minorOf() on every text that minorOf() reads', () => {
  fc.assert(
    fc.property(anyAmount, fc.nat(5), ({ code, text, minor }, zeros) => {
      const padded = (text.includes('.') ? text : `${text}.`) + '0'.repeat(zeros + 1);
      assert.equal(BigInt(minorOfReported(text, code) ?? -1), minor);
      assert.equal(BigInt(minorOfReported(padded, code) ?? -1), minor);
    }),
  );
});

it('decimalOf() writes what minorOf() read, with all digits', () => {
  fc.assert(
    fc.property(anyAmount, ({ code, text, minor }) => {
      assert.equal(decimalOf(Number(minor), code), text);
    }),
  );
});

it('decimalOf() pads with zeros', () => {
  for (const [minor, currencyCode, text] of [
    [1, 'EUR', '0.01'],
    [0, 'EUR', '0.00'],
    [5, 'KWD', '0.005'],
    [5, 'JPY', '5'],
    [12_345, 'CLF', '1.2345'],
  ] as const) {
    assert.equal(decimalOf(minor, currencyCode), text);
  }
});

it('decimalOf() throws for anything that is not an amount', () => {
  for (const minor of [-1, 1.5, NaN, Infinity, Number.MAX_SAFE_INTEGER + 1]) {
    assert.throws(() => decimalOf(minor, 'EUR'), { name: 'RangeError', message: `Not an amount: ${minor} EUR` });
  }
  assert.throws(() => decimalOf(1, 'XXX'), RangeError);
});

const nested = (depth: number, [open, close] = ['[', ']']) => (open ?? '').repeat(depth) + (close ?? '').repeat(depth);

it('parseExact() returns every number as its source text', () => {
  for (const text of words`10.10 9007199254740993 1e3 -0 0.1000000000000000055 123456789012345678901234567890`) {
    assert.deepEqual(parseExact(`{"amount": ${text} }`), { amount: text }, text);
    assert.deepEqual(parseExact(`[[${text}]]`), [[text]]);
    assert.equal(parseExact(text), text);
  }
});

it('parseExact() leaves all other values as they are', () => {
  const text = '{"a": "10.10", "b": null, "c": true, "d": [], "e": {"f": "x"}}';
  assert.deepEqual(parseExact(text), JSON.parse(text));
});

it('parseExact() returns undefined for invalid JSON', () => {
  for (const text of ['', ' ', '{', '{"a":}', "{'a': 1}", '01', 'NaN', '<html>', '{"a":1}x', '\uFEFF{}']) {
    assert.equal(parseExact(text), undefined, text);
  }
});

it('parseExact() reads any JSON like JSON.parse, except for numbers', () => {
  const numbersAsText = (value: unknown): unknown => {
    if (typeof value === 'number') return JSON.stringify(value);
    if (Array.isArray(value)) return value.map(numbersAsText);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, numbersAsText(part)]));
  };
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: anyCharacter }), (value) => {
      const text = JSON.stringify(value);
      assert.deepEqual(JSON.stringify(parseExact(text)), JSON.stringify(numbersAsText(JSON.parse(text))));
    }),
  );
});

it('parseExact() lets no field named __proto__ change a prototype', () => {
  const read = parseExact('{"__proto__": {"amount": 1}, "orderId": "A"}') as Record<string, unknown>;
  assert.equal(read['amount'], undefined);
  assert.deepEqual(Object.keys(read), ['__proto__', 'orderId']);
});

it('a depth of 8 is allowed and 9 refused, for arrays, objects and both', () => {
  for (const depth of [0, 1, 7, 8]) assert.equal(isTooDeep(nested(depth)), false, String(depth));
  for (const depth of [9, 10, 5000]) assert.equal(isTooDeep(nested(depth)), true, String(depth));
  const objects = (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);
  assert.equal(isTooDeep(objects(8)), false);
  assert.equal(isTooDeep(objects(9)), true);
  assert.equal(isTooDeep('[{"a":'.repeat(4) + '1' + '}]'.repeat(4)), false);
  assert.equal(isTooDeep('[' + '[{"a":'.repeat(4) + '1' + '}]'.repeat(4) + ']'), true);
});

it('the depth limit counts nesting, not the number of values', () => {
  assert.equal(isTooDeep(`[${'[],'.repeat(1000)}[]]`), false);
  assert.equal(isTooDeep(`[${'{"a":{}},'.repeat(1000)}1]`), false);
});

it('brackets inside a string do not count as depth, even behind escaped quotes', () => {
  const brackets = '[{'.repeat(50);
  assert.equal(isTooDeep(JSON.stringify({ a: brackets })), false);
  assert.equal(isTooDeep(JSON.stringify({ a: `"${brackets}` })), false);
  assert.equal(isTooDeep(JSON.stringify({ a: `\\"${brackets}`, b: '\\' })), false);
  assert.equal(isTooDeep(`["\\\\", ${nested(8)}]`), true, 'the string ends before the brackets');
  assert.equal(isTooDeep(`{"a\\"": ${nested(7)}}`), false);
});

it('parseExact() returns undefined beyond the depth limit', () => {
  assert.equal(parseExact(nested(9)), undefined);
  assert.notEqual(parseExact(nested(8)), undefined);
});
