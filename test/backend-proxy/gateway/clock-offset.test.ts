// The gateway's clock, from the Date of its answers.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { clockOffset } from '../../../backend-proxy/gateway/http.ts';

it('only what the whole seconds of Date and the time of the call prove counts as a difference', () => {
  const at = Date.parse('2026-11-20T12:00:00.000Z');
  for (const [date, sentAt, answeredAt, expected] of [
    ['Fri, 20 Nov 2026 12:00:00 GMT', at + 999, at + 1_300, 0],
    ['Fri, 20 Nov 2026 12:00:00 GMT', at - 500, at + 20, 0],
    ['Fri, 20 Nov 2026 12:00:00 GMT', at - 2_100, at - 2_000, 2_000],
    ['Fri, 20 Nov 2026 12:00:00 GMT', at + 601_000, at + 601_200, -600_000],
    ['Fri, 20 Nov 2026 12:00:00 GMT', at + 1_500, at + 30_000, -500],
    ['yesterday', at, at, undefined],
    [undefined, at, at, undefined],
  ] as const) {
    assert.equal(clockOffset(date, sentAt, answeredAt), expected, String(date));
  }
});
