// Results: paid, with its details; failed, with its reason and what the shopper can do next; the link to the shop's
// help.
import { expect } from '@open-wc/testing';
import { REASONS, type Method } from '../../backend-proxy/protocol/wire.ts';
import { FakeProxy, paymentOf, problemOf, proxyWith } from '../../widget/testing/fake-proxy.ts';
import { announced, heading, link, mount, part, textOf, texts, thePart, until } from './mount.ts';
import { other } from './states.ts';

it('an order under review offers nothing to pay with, only help and the way back, until a person has decided', async () => {
  const proxy = proxyWith('QR', {}, { supportUrl: 'https://shop.example/help' });
  const widget = await mount(proxy);
  proxy.publish({ checking: true });
  await heading(widget, 'We are checking your payment');
  expect(textOf(widget)).to.contain('Please do not pay again.');
  widget.reset();
  widget.pay();
  await widget.updateComplete;
  const controls = [...(widget.shadowRoot?.querySelectorAll('.panel :is(button, a, input)') ?? [])];
  expect(controls).to.deep.equal([link(widget, 'support'), link(widget, 'return')]);
  expect([part(widget, 'code'), proxy.starts.length]).to.deep.equal([null, 0]);
  proxy.settle({ status: 'SUCCESS' });
  proxy.publish({ checking: false });
  await heading(widget, 'Payment received');
});

/** The receipt's values by their names. */
function rowsOf(widget: Element): Record<string, string | undefined> {
  const values = texts(widget, 'dd');
  return Object.fromEntries(texts(widget, 'dt').map((name, at) => [name, values[at]]));
}

it('a paid order shows the amount, the method and the order id', async () => {
  const proxy = proxyWith('QR');
  const widget = await mount(proxy);
  proxy.settle({ status: 'SUCCESS' });
  await heading(widget, 'Payment received');
  expect(texts(widget, 'dd')).to.deep.equal(['€10.10', 'QR code', 'ABC-123']);
  expect(thePart(widget, 'total').textContent).to.equal('€10.10');
});

it('a paid order shows when it was paid, in the shopper’s time zone', async () => {
  const paidAt = '2026-11-20T12:01:00.000Z';
  const widget = await mount(proxyWith('QR', { status: 'SUCCESS', paidAt }));
  await heading(widget, 'Payment received');
  const minutes = String(new Date(paidAt).getMinutes()).padStart(2, '0');
  expect(thePart(widget, 'details').textContent).to.contain('2026').and.to.contain(`:${minutes}`);
});

it('an order paid twice links to the shop’s help, which one paid once does not need', async () => {
  const proxy = proxyWith('QR', { status: 'SUCCESS' }, { supportUrl: 'https://shop.example/help' });
  const widget = await mount(proxy);
  await heading(widget, 'Payment received');
  expect(part(widget, 'support')).to.equal(null);
  const owes = (amount: string) => textOf(widget).includes(`The shop owes you ${amount}.`);
  proxy.publish({ surplus: true, surplusAmount: '12.00', owedAmount: '12.00' });
  await heading(widget, 'This order was paid more than once');
  expect([owes('€12.00'), part(widget, 'support') !== null]).to.deep.equal([true, true]);
  proxy.publish({ refunds: [{ amount: '11.00', status: 'SUCCESS' }], owedAmount: '0.50' });
  await until(() => rowsOf(widget)['Sent back'] === '−€11.00', 'the refund');
  expect(rowsOf(widget)['After refunds']).to.equal('€11.10', 'of both payments, without what went back');
  await heading(widget, 'This order was paid more than once');
  expect([owes('€0.50'), part(widget, 'support') !== null]).to.deep.equal([true, true]);
  proxy.publish({ owedAmount: null });
  await heading(widget, '€11.00 was sent back');
  expect([textOf(widget).includes('owes'), part(widget, 'support')]).to.deep.equal([false, null]);
  expect(rowsOf(widget), 'the rest went another way').not.to.have.property('After refunds');
});

it('an order paid twice has a row for each payment, with its method, its wallet and its time', async () => {
  const first = { amount: '10.10', method: 'QR' as const, walletLast4: null, paidAt: '2026-11-20T12:01:00.000Z' };
  const second = { ...first, amount: '12.00', method: 'DIRECT' as const, walletLast4: '5678' };
  const payment = paymentOf('QR', { status: 'SUCCESS', paidAt: first.paidAt });
  const view = { paid: true, payment, received: [first, second], version: 3 };
  const widget = await mount(new FakeProxy({}, view));
  await heading(widget, 'Payment received');
  const rows = Object.entries(rowsOf(widget)).map(
    ([name, value]) => `${name.replaceAll(/\s+/g, ' ').trim()}: ${value}`,
  );
  expect(rows[0]).to.match(/^QR code.*2026.*: €10.10$/);
  expect(rows[1]).to.match(/^Wallet app •••• 5678.*2026.*: €12.00$/);
  expect(rows.slice(2)).to.deep.equal(['Paid in total: €22.10', 'Order: ABC-123']);
});

it('an order that was closed before the money came says what is owed until it is on its way', async () => {
  const proxy = proxyWith('QR', { status: 'SUCCESS' }, { supportUrl: 'https://shop.example/help' });
  proxy.publish({ paid: false, closed: true, owedAmount: '10.10' });
  const widget = await mount(proxy);
  await heading(widget, 'The shop has closed this order');
  expect(textOf(widget)).to.contain('The shop owes you €10.10.').and.not.to.contain('Please do not pay');
  expect(rowsOf(widget)).to.include({ Amount: '€10.10', Order: 'ABC-123' });
  expect(part(widget, 'support')).not.to.equal(null);
  expect(widget.matches(':state(paid)')).to.equal(false);
  proxy.publish({ refunds: [{ amount: '10.10', status: 'PROCESSING' }], owedAmount: null });
  await heading(widget, '€10.10 is on its way back');
  expect(rowsOf(widget)).to.include({ 'On its way back': '−€10.10', 'After refunds': '€0.00' });
  expect([textOf(widget).includes('owes'), part(widget, 'support')]).to.deep.equal([false, null]);
  expect(textOf(widget)).to.contain('The shop has closed this order');
  proxy.publish({ refunds: [{ amount: '10.10', status: 'SUCCESS' }] });
  await heading(widget, '€10.10 was sent back');
});

it('a paid order announces a second payment, and sends payment-success only once', async () => {
  const proxy = proxyWith('QR');
  const widget = await mount(proxy);
  let successes = 0;
  widget.addEventListener('payment-success', () => (successes += 1));
  proxy.settle({ status: 'SUCCESS' });
  await heading(widget, 'Payment received');
  expect(textOf(widget)).not.to.contain('more than once');
  proxy.publish({ surplus: true, surplusAmount: '10.10', owedAmount: '10.10' });
  await until(() => textOf(widget).includes('paid more than once'), 'the second payment');
  expect(announced(widget)).to.contain('paid more than once');
  expect(successes).to.equal(1);
});

it('a paid order says what is on its way back and what was sent, each as one sum, and announces each change', async () => {
  const proxy = proxyWith('QR', { status: 'SUCCESS' });
  const widget = await mount(proxy);
  await heading(widget, 'Payment received');
  expect(rowsOf(widget)).not.to.include.any.keys('On its way back', 'Sent back', 'Paid in total', 'After refunds');
  const refund = (amount: string, status: 'PROCESSING' | 'SUCCESS') => ({ amount, status });
  proxy.publish({ refunds: [refund('4.00', 'PROCESSING')] });
  await heading(widget, '€4.00 is on its way back');
  proxy.publish({ refunds: [refund('4.00', 'PROCESSING'), refund('0.10', 'PROCESSING'), refund('2.00', 'SUCCESS')] });
  await until(() => rowsOf(widget)['Sent back'], 'the refunds');
  expect(rowsOf(widget)).to.include({ 'On its way back': '−€4.10', 'Sent back': '−€2.00', 'After refunds': '€4.00' });
  expect(announced(widget)).to.contain('€4.10 is on its way back');
  proxy.publish({ refunds: [refund('4.00', 'SUCCESS'), refund('2.00', 'SUCCESS')] });
  await until(() => rowsOf(widget)['Sent back'] === '−€6.00', 'the refund');
  expect(rowsOf(widget)).not.to.have.property('On its way back');
  expect(announced(widget)).to.contain('€6.00 was sent back');
  proxy.publish({ refunds: [refund('10.10', 'SUCCESS')] });
  await heading(widget, '€10.10 was sent back');
  expect(textOf(widget)).not.to.contain('Payment received');
  expect(thePart(widget, 'icon').matches('.paid')).to.equal(false);
  proxy.publish({ refunds: [refund('10.00', 'SUCCESS')] });
  await heading(widget, '€10.00 was sent back');
  // In floating point, 10.13 − 9.13 is less than 1.
  proxy.publish({ surplusAmount: '0.03', refunds: [refund('9.13', 'SUCCESS')] });
  await heading(widget, '€9.13 was sent back');
  expect(rowsOf(widget)['After refunds']).to.equal('€1.00');
});

it('a refund in doubt is neither on its way nor missing from the receipt, and the rest is still owed', async () => {
  const proxy = proxyWith('QR', { status: 'SUCCESS' });
  const widget = await mount(proxy);
  await heading(widget, 'Payment received');
  proxy.publish({ refunds: [{ amount: '4.00', status: 'SUCCESS' }], refundInDoubtAmount: '6.00' });
  await heading(widget, 'Refund of €6.00 being checked');
  expect(rowsOf(widget)).to.include({ 'Sent back': '−€4.00' });
  expect(rowsOf(widget), 'its heading says it').not.to.have.property('Refund being checked');
  expect(textOf(widget)).not.to.contain('On its way');
  expect(rowsOf(widget), 'nobody knows').not.to.have.property('After refunds');
  expect(announced(widget)).to.contain('Refund of €6.00 being checked');
  expect(textOf(widget)).to.contain('The result will show here.');
  proxy.publish({ owedAmount: '0.10', surplus: true });
  await heading(widget, 'This order was paid more than once');
  expect(rowsOf(widget)).to.include({ 'Refund being checked': '€6.00' });
  proxy.publish({ owedAmount: null, refundInDoubtAmount: null });
  await heading(widget, '€4.00 was sent back');
  expect(rowsOf(widget)).not.to.have.property('Refund being checked');
});

it('a refund that failed is said with the way to the shop, until another is sent', async () => {
  const proxy = proxyWith('QR', { status: 'SUCCESS' }, { supportUrl: 'https://shop.example/help' });
  const widget = await mount(proxy);
  await heading(widget, 'Payment received');
  proxy.publish({ refundFailedAmount: '10.10' });
  await heading(widget, 'The refund of €10.10 did not go through');
  expect(rowsOf(widget), 'its heading says it').not.to.have.property('The refund did not go through');
  expect(thePart(widget, 'icon').matches('.warning')).to.equal(true);
  expect(part(widget, 'support')).not.to.equal(null);
  proxy.publish({ refundFailedAmount: null, refunds: [{ amount: '10.10', status: 'PROCESSING' }] });
  await heading(widget, '€10.10 is on its way back');
  expect(part(widget, 'support')).to.equal(null);
});

it('an order that the shop closed names the request that can still be confirmed', async () => {
  const proxy = proxyWith('DIRECT', { walletLast4: '5678' });
  const widget = await mount(proxy);
  await heading(widget, 'Confirm in your wallet app');
  proxy.publish({ closed: true });
  await heading(widget, 'The shop has closed this order');
  expect(textOf(widget)).to.match(/Please do not pay for this order.*Wallet app ••••\s5678 \(/s);
  const payment = paymentOf('DIRECT', { status: 'FAILED', reason: 'DECLINED', walletLast4: '5678' });
  const over = await mount(new FakeProxy({}, { payment, closed: true, version: 3 }));
  await heading(over, 'The shop has closed this order');
  expect(textOf(over)).not.to.contain('5678');
});

it('what is on its way back of an order paid twice keeps the reason below it', async () => {
  const received = [0, 1].map((minute) => ({
    amount: '10.10',
    method: 'QR' as const,
    walletLast4: null,
    paidAt: `2026-11-20T12:0${minute}:00.000Z`,
  }));
  const refunds = [{ amount: '10.10', status: 'PROCESSING' as const }];
  const payment = paymentOf('QR', { status: 'SUCCESS' });
  const widget = await mount(new FakeProxy({}, { paid: true, payment, received, refunds, version: 3 }));
  await heading(widget, '€10.10 is on its way back');
  expect(textOf(widget)).to.contain('This order was paid more than once');
});

describe('a failed payment', () => {
  it('a failed payment says that no money was taken only if no other payment may have been paid', async () => {
    for (const reason of REASONS) {
      const proxy = proxyWith('QR', { status: 'FAILED', reason });
      const widget = await mount(proxy);
      const before = thePart(widget, 'error').textContent;
      const createdAt = '2026-11-20T11:58:00.000Z';
      proxy.publish({
        otherOpen: true,
        otherPayments: [
          { method: 'DIRECT', walletLast4: '5678', createdAt },
          { method: 'CHECKOUT', walletLast4: null, createdAt },
        ],
      });
      await until(() => widget.view?.otherOpen, 'the view');
      await widget.updateComplete;
      const after = part(widget, 'error')?.textContent;
      expect(after).to.equal(before?.startsWith('No money') ? undefined : before);
      const time = new Intl.DateTimeFormat('en', { timeStyle: 'short' }).format(Date.parse(createdAt));
      const note = [
        'Another payment can still be confirmed.',
        `Wallet app •••• 5678 (${time})`,
        `Wallet website (${time})`,
        'Confirm only one payment, or you will pay twice.',
      ].join(' ');
      expect(textOf(widget)).to.contain(note.replaceAll(/\s/g, ' '));
    }
  });

  it('a failed payment leads back to the one that is still open, and stays there until that one ends', async () => {
    const payment = paymentOf('CHECKOUT', { status: 'FAILED', reason: 'DECLINED', cause: 'CANCELLED' });
    const view = { payment, ...other('QR'), openPayment: paymentOf('QR') };
    const proxy = proxyWith('QR');
    const widget = await mount(proxy);
    await heading(widget, 'Scan a QR code');
    proxy.publish(view);
    await heading(widget, 'The payment was canceled');
    expect(thePart(widget, 'back').className).to.equal('primary');
    thePart(widget, 'back').click();
    await heading(widget, 'Scan a QR code');
    expect(textOf(widget), 'it is the only one').not.to.contain('twice');
    proxy.publish({ ...view, version: 9 });
    await until(() => widget.view?.version === 9, 'the next view');
    expect(thePart(widget, 'heading').textContent).to.equal('Scan a QR code');
    thePart(widget, 'other').click();
    await heading(widget, 'How would you like to pay?');
    thePart(widget, 'back').click();
    await heading(widget, 'Scan a QR code');
    proxy.publish({ payment, otherOpen: false, otherPayments: [], openPayment: null });
    await heading(widget, 'The payment was canceled');
    expect(part(widget, 'back')).to.equal(null);
  });

  it('a failed payment asks the shopper to check the details only if some were typed', async () => {
    const widget = await mount(proxyWith('QR', { status: 'FAILED', reason: 'REJECTED' }));
    await heading(widget, 'The payment was not accepted');
    expect(thePart(widget, 'error').textContent).to.equal('No money was taken. You can try again or pay another way.');
  });

  it('a failed payment that the gateway itself let expire says that no money was taken', async () => {
    const widget = await mount(proxyWith('QR', { status: 'FAILED', reason: 'EXPIRED', cause: 'TOKEN_EXPIRED' }));
    await heading(widget, 'Time is up');
    expect(thePart(widget, 'error').textContent).to.equal('No money was taken. You can try again or pay another way.');
    expect(textOf(widget)).not.to.contain('you will pay twice');
  });

  it('by the only method, a failed payment offers another wallet ID, and no other way', async () => {
    const methods: Method[] = ['DIRECT'];
    for (const [cause, text] of [
      [null, 'No money was taken.'],
      ['LOW_BALANCE', 'Add money to your wallet and try again. No money was taken.'],
    ] as const) {
      const widget = await mount(proxyWith('DIRECT', { status: 'FAILED', reason: 'DECLINED', cause }, { methods }));
      await until(() => part(widget, 'other'), 'the way to another wallet');
      expect(thePart(widget, 'error').textContent).to.equal(text);
      expect(thePart(widget, 'other').textContent).to.equal('Change the wallet ID');
      expect(textOf(widget)).not.to.contain('another way');
    }
  });

  for (const [method, label] of [
    ['QR', 'Try again'],
    ['CHECKOUT', 'Try again'],
    ['DIRECT', 'Send a new request'],
  ] as const) {
    it(`a failed payment that expired offers a new ${method} payment by its own text`, async () => {
      const widget = await mount(proxyWith(method, { status: 'FAILED', reason: 'EXPIRED' }));
      await heading(widget, 'Time is up');
      expect(thePart(widget, 'again').textContent?.trim()).to.equal(label);
      expect(textOf(widget)).to.contain('Confirm only one payment, or you will pay twice.');
    });
  }
});

describe('the link back to the shop', () => {
  const returnUrl = 'https://shop.example/thanks?order=ABC-123';
  const paid = (url: string) => new FakeProxy({ returnUrl: url }, { paid: true, version: 3 });

  it('the link back to the shop leads to the token’s return URL once the order is paid or closed', async () => {
    const widget = await mount(paid(returnUrl));
    expect(link(widget, 'return').href).to.equal(returnUrl);
    const closed = await mount(new FakeProxy({ returnUrl }, { closed: true, version: 3 }));
    expect(link(closed, 'return').href).to.equal(returnUrl);
  });

  it('an order paid twice leads back to the shop, which has to act, with a link to its help', async () => {
    const supportUrl = 'https://shop.example/help';
    const widget = await mount(
      new FakeProxy({ returnUrl, supportUrl }, { paid: true, owedAmount: '10.10', version: 3 }),
    );
    expect(['return', 'support'].map((name) => link(widget, name).className)).to.deep.equal(['primary', 'quiet']);
  });

  it('the link back to the shop names the merchant of the token', async () => {
    const linkOf = async (merchant?: string) =>
      link(await mount(new FakeProxy({ returnUrl, merchant }, { paid: true, version: 3 })), 'return').innerText;
    const named = (await linkOf('Stillwater')).replaceAll(/[\u2068\u2069]/g, '');
    expect([await linkOf(), named]).to.deep.equal(['Back to the shop', 'Back to Stillwater']);
  });

  it('the link back to the shop is left out if it is not safe, if it is this page, and while there is something to pay', async () => {
    for (const url of ['javascript:alert(1)', 'http://shop.example/', `${location.href.split('#')[0]}#top`]) {
      const widget = await mount(paid(url));
      expect([textOf(widget).includes('Payment received'), part(widget, 'return')]).to.deep.equal([true, null]);
    }
    expect(part(await mount(proxyWith('QR')), 'return')).to.equal(null);
  });

  it('shop, price and the link back never come from a token that the proxy has refused', async () => {
    const proxy = new FakeProxy({ returnUrl, merchant: 'Stillwater', description: 'Filters' });
    proxy.streamProblem = problemOf('invalid_token', { status: 401 });
    const widget = await mount(proxy);
    await heading(widget, 'This payment link does not work');
    const claimed = ['merchant', 'description', 'total', 'return'].filter((name) =>
      part(widget, name)?.checkVisibility(),
    );
    expect(claimed).to.deep.equal([]);
    expect(thePart(widget, 'sheet').ariaLabel).not.to.contain('10');
  });

  it('the link back to the shop is what an order that has changed offers', async () => {
    const proxy = new FakeProxy({ returnUrl, methods: ['QR'] });
    proxy.nextStarts.push(problemOf('order_changed', { status: 409 }));
    const widget = await mount(proxy);
    widget.pay();
    await heading(widget, 'The order has changed');
    expect(link(widget, 'return').href).to.equal(returnUrl);
  });
});

it('the button below a receipt prints the page', async () => {
  const widget = await mount(proxyWith('QR', { status: 'SUCCESS' }));
  await heading(widget, 'Payment received');
  const { print } = globalThis;
  let prints = 0;
  globalThis.print = () => void (prints += 1);
  thePart(widget, 'print').click();
  globalThis.print = print;
  expect(prints).to.equal(1);
});

describe('the link to the shop’s help', () => {
  const supportUrl = 'https://shop.example/help';
  const failed = (reason: 'DECLINED' | 'RESOLVED', url = supportUrl) =>
    proxyWith('QR', { status: 'FAILED', reason }, { supportUrl: url });

  it('the link to the shop’s help is shown after a failed payment, and only if it is https', async () => {
    const { href, target, rel } = link(await mount(failed('DECLINED')), 'support');
    expect([href, target, rel]).to.deep.equal([supportUrl, '_blank', 'noopener']);
    for (const unsafe of ['http://shop.example/help', 'javascript:alert(1)', 'mailto:a@shop.example'])
      expect(part(await mount(failed('DECLINED', unsafe)), 'support')).to.equal(null);
  });

  it('the link to the shop’s help is replaced by the page’s own content in the slot help', async () => {
    const widget = await mount(failed('DECLINED'));
    for (const slot of ['failed', 'help']) {
      const content = document.createElement('p');
      content.slot = slot;
      content.textContent = slot;
      widget.append(content);
      expect(content.checkVisibility()).to.equal(true);
    }
    expect(thePart(widget, 'support').checkVisibility()).to.equal(false);
  });

  it('the link to the shop’s help comes from the token until the first view arrives', async () => {
    const proxy = new FakeProxy({ supportUrl });
    proxy.streamProblem = problemOf('token_expired', { status: 401 });
    const widget = await mount(proxy);
    await heading(widget, 'This page has expired');
    expect(widget.view).to.equal(null);
    expect(link(widget, 'support').href).to.equal(supportUrl);
  });

  it('the link to the shop’s help and another method are all that is offered after the shop closed the payment', async () => {
    const widget = await mount(failed('RESOLVED'));
    await heading(widget, 'The shop could not confirm this payment');
    const offered = ['again', 'support', 'other'].filter((name) => part(widget, name));
    expect(offered).to.deep.equal(['support', 'other']);
    expect(textOf(widget)).not.to.contain('No money');
  });
});

it('a test gateway is said on the sheet’s edge at the choice and in each panel, a live one never', async () => {
  const proxy = new FakeProxy({}, { test: true });
  const widget = await mount(proxy);
  const topOf = (name: string) => thePart(widget, name).getBoundingClientRect().top;
  const before = topOf('total');
  const badge = () => widget.shadowRoot?.querySelector('[part="test"]');
  await until(badge, 'the badge at the choice');
  expect(badge()?.textContent).to.equal('Test: no money moves');
  const { top, height } = thePart(widget, 'test').getBoundingClientRect();
  expect(topOf('sheet') - top, 'half of it is above the sheet').to.be.closeTo(height / 2, 1);
  expect(topOf('total'), 'it moves nothing').to.equal(before);
  proxy.publish({ payment: paymentOf('QR') });
  await heading(widget, 'Scan a QR code');
  expect(badge()).not.to.equal(null);
  proxy.settle({ status: 'SUCCESS' });
  await heading(widget, 'Payment received');
  expect(badge()).not.to.equal(null);
  const live = await mount(proxyWith('QR'));
  await heading(live, 'Scan a QR code');
  expect(live.shadowRoot?.querySelector('[part="test"]')).to.equal(null);
});
