// Keyboard focus, and what a screen reader announces, when the panel changes.
import { expect, fixture, html } from '@open-wc/testing';
import { FakeProxy, paymentOf, proxyWith } from '../../widget/testing/fake-proxy.ts';
import { announced, field, heading, mount, part, radio, thePart, until } from './mount.ts';

it('the focus stays in its field when the page changes its language', async () => {
  const page = await fixture<HTMLElement>(html`<div lang="en"></div>`);
  const widget = await mount(new FakeProxy(), { lang: '' }, page);
  field(widget, 'wallet').focus();
  page.lang = 'de';
  await heading(widget, 'Wie möchten Sie bezahlen?');
  expect(widget.shadowRoot?.activeElement).to.equal(field(widget, 'wallet'));
});

it('the focus moves to the new panel’s heading if the previous panel had it', async () => {
  const proxy = new FakeProxy();
  const widget = await mount(proxy, { method: 'QR' });
  const button = thePart(widget, 'pay');
  button.focus();
  button.click();
  await heading(widget, 'Scan a QR code');
  expect(widget.shadowRoot?.activeElement).to.equal(thePart(widget, 'heading'));
  expect(announced(widget)).to.equal('Open your wallet app, scan the code and confirm. | Waiting for payment');
  proxy.settle({ status: 'SUCCESS' });
  await heading(widget, 'Payment received');
  expect(widget.shadowRoot?.activeElement?.textContent).to.equal('Payment received');
});

it('a heading that takes the focus brings the amount above it into sight', async () => {
  const page = await fixture<HTMLElement>(html`<div style="padding-block: 2000px"></div>`);
  const widget = await mount(new FakeProxy(), { method: 'QR' }, page);
  const button = thePart(widget, 'pay');
  button.focus();
  const total = () => thePart(widget, 'total').getBoundingClientRect();
  scrollBy(0, total().bottom + 8);
  button.click();
  await heading(widget, 'Scan a QR code');
  expect(total().top).to.be.at.least(0);
});

it('the focus stays outside the widget if it is there, and the result is announced', async () => {
  const page = await fixture<HTMLElement>(html`<div><input aria-label="Search" /></div>`);
  const proxy = proxyWith('DIRECT');
  const widget = await mount(proxy, {}, page);
  const search = page.querySelector('input');
  search?.focus();
  proxy.settle({ status: 'SUCCESS' });
  await heading(widget, 'Payment received');
  expect(document.activeElement).to.equal(search);
  expect(announced(widget)).to.equal('Payment received | €10.10');
});

it('the focus moves to the heading when the focused button disappears', async () => {
  const proxy = proxyWith('QR');
  const widget = await mount(proxy);
  proxy.isDown = true;
  proxy.breakStreams();
  await until(() => part(widget, 'retry'), 'the lost connection');
  expect(announced(widget)).to.match(/^No connection/);
  thePart(widget, 'retry').focus();
  proxy.isDown = false;
  thePart(widget, 'retry').click();
  await until(() => !part(widget, 'retry'), 'the connection');
  expect(widget.shadowRoot?.activeElement).to.equal(thePart(widget, 'heading'));
  expect(announced(widget)).to.equal('');
});

it('the focus goes to the chosen method by focus(), else to the heading', async () => {
  const proxy = new FakeProxy();
  const widget = await mount(proxy, { method: 'QR' });
  widget.focus();
  expect(widget.shadowRoot?.activeElement).to.equal(radio(widget, 'QR'));
  widget.pay();
  await heading(widget, 'Scan a QR code');
  (document.activeElement as HTMLElement | null)?.blur();
  widget.focus();
  expect(widget.shadowRoot?.activeElement).to.equal(thePart(widget, 'heading'));
});

it('the remaining time is announced at 3 minutes, 1 minute and 30 seconds, by the proxy’s clock', async () => {
  const now = Date.now;
  const start = now();
  const payment = paymentOf('CHECKOUT', { expiresAt: new Date(start + 200_000).toISOString() });
  const proxy = new FakeProxy({}, { version: 3, payment }, () => start);
  try {
    let ahead = 0;
    // The browser's clock is an hour wrong.
    Date.now = () => start + 3_600_000 + ahead;
    const widget = await mount(proxy);
    expect(thePart(widget, 'countdown').textContent).to.equal('3:20 left');
    const announcedAt = async (secondsLeft: number) => {
      ahead = 200_000 - secondsLeft * 1000;
      widget.requestUpdate();
      await widget.updateComplete;
      return announced(widget);
    };
    const before = await announcedAt(181);
    expect(await announcedAt(180)).to.equal('Time left: 3 minutes');
    expect(before).not.to.contain('Time left: 3 minutes');
    expect(await announcedAt(170)).to.equal('Time left: 3 minutes');
    expect(await announcedAt(59)).to.equal('Time left: 1 minute');
    expect(await announcedAt(29)).to.equal('Time left: 30 seconds');
    thePart(widget, 'checkout').focus();
    await announcedAt(0);
    await heading(widget, 'Time is up');
    expect(announced(widget)).to.equal(
      'If you have paid, your payment counts. | We are checking whether it arrived. | Confirm only one payment, or you will pay twice.',
    );
    expect(widget.shadowRoot?.activeElement).to.equal(thePart(widget, 'heading'));
    expect(part(widget, 'checkout')).to.equal(null);
  } finally {
    Date.now = now;
  }
});

it('the result is announced with the amount when it comes before the page has drawn a frame', async () => {
  // Another copy of the module, whose first widget this is. In a hidden tab no frame is drawn at all.
  const source = new URL('../../widget/payment-widget.ts?unpainted', import.meta.url).href;
  const { PaymentWidget } = (await import(source)) as typeof import('../../widget/payment-widget.ts');
  const page = await fixture<HTMLElement>(html`<div></div>`);
  const { requestAnimationFrame } = globalThis;
  globalThis.requestAnimationFrame = () => 0;
  try {
    customElements.define('unpainted-widget', PaymentWidget);
    const proxy = proxyWith('CHECKOUT');
    const widget = await mount(proxy, {}, page, 'unpainted-widget');
    proxy.settle({ status: 'SUCCESS' });
    await heading(widget, 'Payment received');
    expect(announced(widget)).to.equal('Payment received | €10.10');
  } finally {
    globalThis.requestAnimationFrame = requestAnimationFrame;
  }
});
