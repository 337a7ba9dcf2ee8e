// The lines of `check` and `doctor`.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createReport, fail, ok, skipped, warn } from '../../../backend-proxy/commands/report.ts';

function reported(asJson: boolean, ...findings: Parameters<ReturnType<typeof createReport>['add']>) {
  const lines: string[] = [];
  const report = createReport((line) => void lines.push(line), asJson);
  for (const finding of findings) report.add(finding);
  return { code: report.end(), lines };
}

it('a report has a line for each finding, the remedy at its end, and the totals; its exit code is 1 for a FAIL', () => {
  const found = [
    ok('disk', '5 MB'),
    warn('clock', 'behind', 'set it'),
    fail('key', 'wrong', 'replace it'),
    skipped('x', 'y'),
  ];
  const { code, lines } = reported(false, found);
  assert.equal(code, 1);
  assert.deepEqual(lines, [
    'ok       disk: 5 MB',
    'warn     clock: behind -> set it',
    'FAIL     key: wrong -> replace it',
    'skipped  x: y',
    '1 ok, 1 warn, 1 FAIL, 1 skipped',
  ]);
  assert.equal(reported(false, found.slice(0, 2)).code, 0);
});

it('a report replaces the control characters of what another server says', () => {
  const evil = warn('readiness', 'all well\u001b[2K\r\nok\u009b health\u202e', 'none');
  const { lines } = reported(false, evil);
  assert.equal(lines[0], 'warn     readiness: all well [2K  ok  health  -> none');
  const [json = ''] = reported(true, evil).lines;
  assert.doesNotMatch(json, /[\p{Cc}\u202A-\u202E]/u);
  assert.deepEqual(JSON.parse(json), evil);
});
