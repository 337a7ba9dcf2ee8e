// The choice: methods, wallet id, and an amount that the shopper enters.
import { expect, fixture, html } from '@open-wc/testing';
import { FakeProxy, paymentOf, proxyWith } from './fake-proxy.ts';
import { announced, field, methodsOf, mount, part, radio, textOf, texts, thePart, type, until } from './mount.ts';

describe('the choice', () => {
  it('the choice is painted from the token, before the proxy answers', async () => {
    const proxy = new FakeProxy({ description: 'Two tickets' });
    const widget = document.createElement('payment-widget');
    widget.lang = 'en';
    widget.proxy = 'https://nowhere.invalid/';
    widget.order = proxy.token;
    const page = await fixture<HTMLElement>(html`<div></div>`);
    page.append(widget);
    await widget.updateComplete;
    expect(widget.view).to.equal(null);
    expect(methodsOf(widget)).to.deep.equal(['DIRECT', 'CHECKOUT', 'JETGO', 'QR']);
    await until(() => textOf(widget).includes('€10.10'), 'the amount');
    expect(textOf(widget)).to.contain('Two tickets');
    expect(widget.view).to.equal(null);
  });

  it('the choice has a named and described radio input for each method, the first one checked', async () => {
    const widget = await mount();
    expect(widget.shadowRoot?.querySelector('fieldset')?.getAttribute('part')).to.equal('methods');
    expect(radio(widget, 'DIRECT').checked).to.equal(true);
    const input = radio(widget, 'QR');
    expect(input.type).to.equal('radio');
    const help = widget.shadowRoot?.getElementById(input.getAttribute('aria-describedby') ?? '');
    expect(help?.textContent).to.equal('A code for your wallet app');
    const name = widget.shadowRoot?.getElementById(input.getAttribute('aria-labelledby') ?? '');
    expect(name?.textContent).to.equal('QR code');
  });

  it('the choice offers the methods that the page asks for, in its order, and checks its first choice', async () => {
    const widget = await mount(new FakeProxy(), { methods: 'QR, CHECKOUT', method: 'CHECKOUT' });
    expect(methodsOf(widget)).to.deep.equal(['QR', 'CHECKOUT']);
    expect(radio(widget, 'CHECKOUT').checked).to.equal(true);
    widget.methods = null;
    await widget.updateComplete;
    expect(methodsOf(widget)).to.have.length(4);
  });

  it('the choice shows a method newer than the widget by its own name', async () => {
    const widget = await mount(new FakeProxy({}, { version: 2, methods: ['NEW' as 'QR', 'QR'] }));
    await until(() => methodsOf(widget).length === 2, 'the methods');
    expect(texts(widget, '[part=method] b')).to.deep.equal(['NEW', 'QR code']);
  });

  it('the choice asks for the wallet id only for DIRECT, and not if the token has it', async () => {
    const widget = await mount();
    expect(part(widget, 'wallet')).not.to.equal(null);
    radio(widget, 'QR').click();
    await widget.updateComplete;
    expect(part(widget, 'wallet')).to.equal(null);
    expect(part(await mount(new FakeProxy({ customer: '12345678' })), 'wallet')).to.equal(null);
  });

  it('the choice describes a wrong field by its error, announces the error and focuses the field', async () => {
    const widget = await mount();
    thePart(widget, 'pay').focus();
    thePart(widget, 'pay').click();
    await widget.updateComplete;
    const input = field(widget, 'wallet');
    expect(input.getAttribute('aria-invalid')).to.equal('true');
    const help = widget.shadowRoot?.getElementById(input.getAttribute('aria-describedby') ?? '');
    expect(help?.textContent?.trim()).to.equal('Enter the 4 to 20 digits shown in your wallet app.');
    expect(widget.shadowRoot?.activeElement).to.equal(input);
    expect(announced(widget)).to.equal('Enter the 4 to 20 digits shown in your wallet app.');
    type(widget, 'wallet', '1');
    await widget.updateComplete;
    expect(input.getAttribute('aria-invalid')).to.equal('false');
  });

  it('the choice does not change while a start is being sent', async () => {
    const proxy = new FakeProxy();
    proxy.hold();
    const widget = await mount(proxy, { method: 'QR' });
    thePart(widget, 'pay').click();
    await widget.updateComplete;
    radio(widget, 'JETGO').click();
    await widget.updateComplete;
    expect(radio(widget, 'QR').checked).to.equal(true);
  });
});

describe('an open amount', () => {
  it('an open amount is asked for within its bounds, shown on the button and sent as a decimal string', async () => {
    const proxy = new FakeProxy({ amount: undefined, minAmount: '5', maxAmount: '500', methods: ['QR'] });
    const widget = await mount(proxy, { lang: 'de' });
    expect(thePart(widget, 'pay').textContent?.trim()).to.equal('Bezahlen');
    expect(thePart(widget, 'help').textContent).to.contain('5,00').and.to.contain('500,00');
    type(widget, 'amount', '4,99');
    thePart(widget, 'pay').click();
    await widget.updateComplete;
    expect(thePart(widget, 'error').textContent).to.contain('5,00');
    type(widget, 'amount', '?');
    thePart(widget, 'pay').click();
    await widget.updateComplete;
    expect(thePart(widget, 'error').textContent).to.contain('zum Beispiel 5,00.');
    type(widget, 'amount', '12,5');
    await widget.updateComplete;
    expect(thePart(widget, 'pay').textContent).to.contain('12,50');
    thePart(widget, 'pay').click();
    await until(() => part(widget, 'code'), 'the code');
    expect(proxy.starts[0]?.body).to.deep.equal({ method: 'QR', amount: '12.5', language: 'de' });
    expect(thePart(widget, 'total').textContent).to.contain('12,5');
  });

  it('an open amount is filled with the amount of an earlier payment, and can be emptied', async () => {
    const proxy = new FakeProxy(
      { amount: undefined, minAmount: '1', maxAmount: '5000', currency: 'BHD', methods: ['QR'] },
      { version: 3, amount: '12.500', payment: paymentOf('QR', { status: 'FAILED', reason: 'DECLINED' }) },
    );
    const widget = await mount(proxy, { lang: 'de' });
    thePart(widget, 'other').click();
    await until(() => part(widget, 'amount'), 'the choice');
    expect(field(widget, 'amount').value).to.equal('12,500');
    type(widget, 'amount', '');
    proxy.publish({});
    await until(() => widget.view?.version === 4, 'a newer view');
    await widget.updateComplete;
    expect(field(widget, 'amount').value).to.equal('');
    type(widget, 'amount', '25');
    thePart(widget, 'pay').click();
    await until(() => proxy.starts.length, 'a start');
    expect(proxy.starts[0]?.body).to.deep.equal({ method: 'QR', amount: '25', language: 'de' });
  });
});

describe('the way back to an open payment', () => {
  it('the way back to an open payment is a button at the choice, beside a warning not to pay twice', async () => {
    const widget = await mount(proxyWith('QR'));
    thePart(widget, 'other').click();
    await until(() => part(widget, 'pay'), 'the choice');
    expect(textOf(widget)).to.contain('Confirm only one payment');
    thePart(widget, 'back').click();
    await until(() => part(widget, 'code'), 'the code');
  });
});
