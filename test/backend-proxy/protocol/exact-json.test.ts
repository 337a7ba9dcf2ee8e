// Parsing JSON without losing digits, and the limit on its depth.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { MAX_DEPTH, isTooDeep, parseExact } from '../../../backend-proxy/protocol/money.ts';

/** As fast-check's 'binary', which builds a table of all of Unicode first: half a second in each process. */
const anyCharacter = fc.nat(0x10_ffff).map((code) => String.fromCodePoint(code));

const nested = (depth: number, [open, close] = ['[', ']']) => (open ?? '').repeat(depth) + (close ?? '').repeat(depth);

it('parseExact() returns every number as its source text', () => {
  for (const text of [
    '10.10',
    '9007199254740993',
    '1e3',
    '-0',
    '0.1000000000000000055',
    '123456789012345678901234567890',
  ]) {
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
  assert.equal(MAX_DEPTH, 8);
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

it('isTooDeep() and parseExact() read a megabyte of brackets', () => {
  assert.equal(isTooDeep('"'.padEnd(1_000_000, '[')), false);
  assert.equal(parseExact('['.repeat(1_000_000)), undefined);
});
