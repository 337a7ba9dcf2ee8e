import assert from 'node:assert/strict';
import { it } from 'node:test';

it('both bundles can be imported without a DOM, the first one twice', async () => {
  assert.equal(typeof document, 'undefined');
  const { PaymentWidget } = await import('../../widget/index.ts');
  const again = '../../widget/index.ts?again';
  const copy = (await import(again)) as { PaymentWidget: unknown };
  assert.equal(PaymentWidget.formAssociated, true);
  assert.equal(typeof copy.PaymentWidget, 'function');
  assert.equal(typeof (await import('../../widget/flow/flow.ts')).start, 'function');
});
