// Amounts of the sandbox: conversion between decimals and minor units, and display.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatMoney, toDecimal, toMinor } from '../../../demo/sandbox/money.ts';

it('toMinor() and toDecimal() convert amounts of any size without loss', () => {
  for (const [amount, currency, minor] of [
    ['10.10', 'EUR', 1010n],
    ['0.05', 'EUR', 5n],
    ['500', 'JPY', 500n],
    ['1.234', 'KWD', 1234n],
    ['90071992547409931.07', 'USD', 9007199254740993107n],
  ] as const) {
    assert.equal(toMinor(amount, currency), minor);
    assert.equal(toDecimal(minor, currency), amount);
  }
  assert.equal(toDecimal(-1050n, 'EUR'), '-10.50');
  assert.equal(toDecimal(-5n, 'EUR'), '-0.05');
});

it('toMinor() accepts fewer decimals than the currency has, never more', () => {
  assert.equal(toMinor('10.1', 'EUR'), 1010n);
  assert.equal(toMinor('10.101', 'EUR'), null);
  assert.equal(toMinor('1.0', 'JPY'), null);
  assert.equal(toMinor('1e3', 'EUR'), null);
});

it('formatMoney() shows all digits in the given language', () => {
  assert.equal(formatMoney(9007199254740993107n, 'USD'), '$90,071,992,547,409,931.07');
  assert.equal(formatMoney(1050n, 'EUR', 'de'), '10,50\u00a0€');
  assert.equal(formatMoney(2500n, 'EUR', 'en', true), '+€25.00');
});
