// The element over time: set up late, moved, removed, reloaded, defined twice, without a connection.
import { expect, fixture, html } from '@open-wc/testing';
import { FakeProxy, paymentOf, proxyWith } from '../../widget/testing/fake-proxy.ts';
import { addressOf, heading, mount, part, textOf, thePart, until } from './mount.ts';
import { other as anotherOpen } from './states.ts';

const inTenMinutes = () => new Date(Date.now() + 600_000).toISOString();

it('an element without a connection says so as soon as the browser is offline, until it is online again', async () => {
  const proxy = proxyWith('QR');
  const widget = await mount(proxy);
  proxy.isSilent = true;
  window.dispatchEvent(new Event('offline'));
  await widget.updateComplete;
  expect(textOf(widget)).to.contain('No connection.');
  proxy.isSilent = false;
  window.dispatchEvent(new Event('online'));
  await until(() => !textOf(widget).includes('No connection.'), 'the connection');
  proxy.publish(anotherOpen('CHECKOUT'));
  await until(() => textOf(widget).includes('Confirm only one payment, or you will pay twice.'), 'the warning');
  window.dispatchEvent(new Event('offline'));
  await widget.updateComplete;
  expect(textOf(widget))
    .to.contain('No connection.')
    .and.to.contain('Confirm only one payment, or you will pay twice.');
});

describe('a moved element', () => {
  it('a moved element keeps its stream and its start', async () => {
    const proxy = new FakeProxy();
    const release = proxy.hold();
    const widget = await mount(proxy, { method: 'QR' });
    widget.pay();
    await until(() => proxy.starts.length, 'the start');
    const elsewhere = await fixture<HTMLElement>(html`<div></div>`);
    elsewhere.append(widget);
    release();
    await heading(widget, 'Scan a QR code');
    const requests = proxy.seen.filter(({ method }) => method !== 'OPTIONS').map(({ path }) => path);
    expect(requests).to.deep.equal(['/order/events', '/order/payments']);
  });

  it('a moved element continues its countdown, in the language of its new place', async () => {
    const page = await fixture<HTMLElement>(
      html`<div>
        <p lang="en"></p>
        <p lang="de"></p>
      </div>`,
    );
    const [english, german] = page.querySelectorAll('p');
    const widget = await mount(proxyWith('CHECKOUT', { expiresAt: inTenMinutes() }), { lang: '' }, english);
    german?.append(widget);
    await heading(widget, 'Weiter auf der Website der Wallet');
    const shown = () => thePart(widget, 'countdown').textContent;
    const before = shown();
    await until(() => shown() !== before, 'the next second');
  });
});

it('a removed element ends its stream and its start without an unhandled rejection', async () => {
  const proxy = new FakeProxy();
  proxy.hold();
  const widget = await mount(proxy, { method: 'QR' });
  const errors: unknown[] = [];
  const onError = (event: Event) => errors.push(event);
  window.addEventListener('unhandledrejection', onError);
  widget.pay();
  await until(() => proxy.starts.length, 'the start');
  widget.remove();
  await until(() => proxy.streamCount === 0, 'the end of the stream');
  await new Promise((resolve) => {
    setTimeout(resolve, 20);
  });
  window.removeEventListener('unhandledrejection', onError);
  expect(errors).to.deep.equal([]);
});

it('a removed element has no countdown left, even if a listener removed it', async () => {
  const proxy = new FakeProxy();
  const widget = await mount(proxy);
  widget.addEventListener('payment-change', () => widget.remove());
  proxy.publish({ payment: paymentOf('CHECKOUT', { expiresAt: inTenMinutes() }) });
  await until(() => !widget.isConnected, 'the removal');
  await widget.updateComplete;
  let updates = 0;
  widget.requestUpdate = () => void updates++;
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(updates).to.equal(0);
});

it('an element whose token is set later is empty before, and follows the order of each new token', async () => {
  const widget = document.createElement('payment-widget');
  widget.lang = 'en';
  const page = await fixture<HTMLElement>(html`<div></div>`);
  page.append(widget);
  await widget.updateComplete;
  expect(textOf(widget)).to.equal('');
  const [one, two] = [
    new FakeProxy({ orderId: 'ONE', amount: '1.00' }),
    new FakeProxy({ orderId: 'TWO', amount: '2.00' }),
  ];
  for (const proxy of [one, two]) {
    widget.proxy = addressOf(proxy);
    widget.order = proxy.token;
    await until(() => widget.view?.orderId === proxy.view.orderId, proxy.view.orderId);
  }
  expect(thePart(widget, 'total').textContent).to.equal('€2.00');
  await until(() => one.streamCount === 0 && two.streamCount === 1, 'one stream');
});

it('a change of the panel does not scroll the page, even if the previous panel had the focus', async () => {
  const page = await fixture<HTMLElement>(html`<div><p style="block-size: 150vh"></p></div>`);
  const widget = await mount(proxyWith('QR'), {}, page);
  const anotherWay = thePart(widget, 'other');
  anotherWay.scrollIntoView({ block: 'end' });
  anotherWay.focus({ preventScroll: true });
  const before = scrollY;
  anotherWay.click();
  await heading(widget, 'How would you like to pay?');
  expect(before).to.be.greaterThan(innerHeight / 2);
  expect(scrollY).to.be.greaterThan(innerHeight / 2);
  expect(thePart(widget, 'sheet').style.minBlockSize).to.equal('');
});

it('a reloaded page shows the open payment without showing the choice first', async () => {
  const proxy = new FakeProxy({ orderId: 'RELOADED' });
  const before = await mount(proxy, { method: 'QR' });
  before.pay();
  await heading(before, 'Scan a QR code');
  before.remove();

  const widget = document.createElement('payment-widget');
  widget.lang = 'en';
  widget.proxy = addressOf(proxy);
  widget.order = proxy.token;
  const seen = new Set<string>();
  const watch = new MutationObserver(() => seen.add(part(widget, 'pay') ? 'choice' : 'none'));
  const page = await fixture<HTMLElement>(html`<div></div>`);
  page.append(widget);
  watch.observe(widget.shadowRoot ?? widget, { childList: true, subtree: true });
  await heading(widget, 'Scan a QR code');
  watch.disconnect();
  expect([...seen]).to.deep.equal(['none']);
});
