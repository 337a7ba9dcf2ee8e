// A unit test of a component: an event target stands in for the element.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { thankWhenPaid } from '../thanks.js';

test('thanks once the order is paid', () => {
  const [widget, message] = [new EventTarget(), { textContent: '' }];
  thankWhenPaid(widget, message);
  assert.equal(message.textContent, '');
  widget.dispatchEvent(new CustomEvent('payment-success', { detail: { orderId: 'A-1' } }));
  assert.equal(message.textContent, 'Thank you for your order A-1.');
});
