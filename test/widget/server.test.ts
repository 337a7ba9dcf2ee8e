import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

describe('on a server, without a DOM', () => {
  it('each part of the widget can be imported, the element too, twice', async () => {
    assert.equal(typeof document, 'undefined');
    const { PaymentWidget } = await import('../../widget/index.ts');
    const again = '../../widget/index.ts?again';
    const copy = (await import(again)) as { PaymentWidget: unknown };
    assert.equal(PaymentWidget.formAssociated, true);
    assert.equal(typeof copy.PaymentWidget, 'function');
    assert.equal(typeof (await import('../../widget/flow/flow.ts')).start, 'function');
  });
});
