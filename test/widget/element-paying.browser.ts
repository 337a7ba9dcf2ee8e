// Paying by each method, from the click to what there is to pay with; refused starts; the checkout in a new tab.
import { expect, oneEvent } from '@open-wc/testing';
import { CHECKOUT_URL, CODE, FakeProxy, paymentOf, problemOf, proxyWith } from '../../widget/testing/fake-proxy.ts';
import type { PaymentWidget } from '../../widget/payment-widget.ts';
import { copiedFrom, heading, leftOf, link, mount, part, radio, textOf, texts, thePart, type, until } from './mount.ts';

it('paying by QR shows the code with a name, its text to copy, and the link to the wallet’s page', async () => {
  const appUrl = 'https://wallet.example/pay?reference=1';
  const proxy = new FakeProxy();
  proxy.onStart = () => ({ appUrl });
  const widget = await mount(proxy, { method: 'QR' });
  thePart(widget, 'pay').click();
  await heading(widget, 'Scan a QR code');
  const drawing = thePart(widget, 'code').querySelector('svg');
  expect(drawing?.getAttribute('aria-label')).to.equal('QR code to pay €10.10');
  expect(drawing?.getAttribute('viewBox')).to.equal(`0 0 ${CODE.size + 8} ${CODE.size + 8}`);
  expect(getComputedStyle(thePart(widget, 'code')).backgroundColor).to.equal('rgb(255, 255, 255)');
  const { href, target } = link(widget, 'app-link');
  expect([href, target]).to.deep.equal([appUrl, '_blank']);
  expect(part(widget, 'copy')).not.to.equal(null);
});

it('paying by QR offers no app beside the code where the app is on another device', async () => {
  const widget = await mount(proxyWith('QR', { appUrl: 'jetgo://pay?reference=1' }));
  await heading(widget, 'Scan a QR code');
  expect(part(widget, 'app-link')).to.equal(null);
});

it('paying by DIRECT sends the wallet id and says where to confirm', async () => {
  const proxy = new FakeProxy();
  const widget = await mount(proxy);
  type(widget, 'wallet', '12345678');
  thePart(widget, 'pay').click();
  await heading(widget, 'Confirm in your wallet app');
  expect(textOf(widget)).to.contain('Sent to \u2066•••• 5678\u2069');
  expect(proxy.starts[0]?.body).to.deep.equal({ method: 'DIRECT', customer: '12345678', language: 'en' });
});

it('the link to change the wallet ID leads to its field, also if another row was looked at meanwhile', async () => {
  const widget = await mount(proxyWith('DIRECT', { walletLast4: '5678' }));
  const press = (text: string) => {
    const found = [...(widget.shadowRoot?.querySelectorAll('button') ?? [])].find(
      ({ innerText }) => innerText === text,
    );
    found?.click();
  };
  await heading(widget, 'Confirm in your wallet app');
  press('Pay another way');
  await heading(widget, 'How would you like to pay?');
  expect(radio(widget, 'DIRECT').checked).to.equal(false);
  press('Back to that payment');
  await heading(widget, 'Confirm in your wallet app');
  press('Change the wallet ID');
  await heading(widget, 'How would you like to pay?');
  expect(radio(widget, 'DIRECT').checked).to.equal(true);
});

it('a request by the only method has one link, to the wallet ID', async () => {
  const widget = await mount(proxyWith('DIRECT', { walletLast4: '5678' }, { methods: ['DIRECT'] }));
  await heading(widget, 'Confirm in your wallet app');
  expect(texts(widget, '[part=other]')).to.deep.equal(['Change the wallet ID']);
});

describe('a wallet ID that cannot be asked', () => {
  const createdAt = '2026-11-20T12:00:00.000Z';

  /** Asks, is led to the website, does `there`, and returns to the field. */
  async function changed(there: (widget: PaymentWidget) => void = () => {}) {
    const proxy = new FakeProxy();
    proxy.onStart = () => paymentOf('CHECKOUT', { asked: 'DIRECT', createdAt });
    const widget = await mount(proxy, { 'checkout-target': '_blank' });
    type(widget, 'wallet', '12345679');
    thePart(widget, 'pay').click();
    await heading(widget, 'Continue on the wallet’s website');
    expect(textOf(widget)).to.contain('We cannot send a request to this wallet ID (12345679). Log in there');
    expect(texts(widget, '[part=other]')).to.deep.equal(['Change the wallet ID', 'Pay another way']);
    there(widget);
    thePart(widget, 'other').click();
    await heading(widget, 'How would you like to pay?');
    return { proxy, widget };
  }

  it('leads to the website, and back to its field, which says so of what was typed', async () => {
    const { widget } = await changed();
    expect(radio(widget, 'DIRECT').checked).to.equal(true);
    const field = thePart(widget, 'wallet') as HTMLInputElement;
    expect([field.value, field.ariaInvalid]).to.deep.equal(['12345679', 'true']);
    expect(thePart(widget, 'error').textContent).to.equal('We cannot send a request to this wallet ID.');
  });

  it('is no open payment for who did not go to the website', async () => {
    const { proxy, widget } = await changed();
    expect(textOf(widget)).not.to.contain('twice');
    expect([part(widget, 'back'), thePart(widget, 'pay').className]).to.deep.equal([null, 'primary']);
    proxy.onStart = () => ({ createdAt: '2026-11-20T12:01:00.000Z' });
    proxy.publish({ otherOpen: true, otherPayments: [{ method: 'CHECKOUT', walletLast4: null, createdAt }] });
    type(widget, 'wallet', '12345678');
    thePart(widget, 'pay').click();
    await heading(widget, 'Confirm in your wallet app');
    expect(textOf(widget)).not.to.contain('twice');
  });

  async function reloaded() {
    const payment = paymentOf('CHECKOUT', { asked: 'DIRECT', createdAt });
    const widget = await mount(new FakeProxy({}, { payment, version: 3 }));
    await heading(widget, 'Continue on the wallet’s website');
    thePart(widget, 'other').click();
    await heading(widget, 'How would you like to pay?');
    return widget;
  }

  it('is none after a reload either', async () => {
    const { widget } = await changed();
    widget.remove();
    expect(textOf(await reloaded())).not.to.contain('twice');
  });

  it('is an open payment in another tab, where the shopper may have gone there', async () => {
    sessionStorage.clear();
    const widget = await reloaded();
    expect(textOf(widget)).to.contain('Confirm only one payment, or you will pay twice.');
    expect(thePart(widget, 'wallet').ariaInvalid, 'nothing was typed here').to.equal('false');
  });

  it('is an open payment for who went there', async () => {
    const { widget } = await changed((there) => {
      there.addEventListener('click', (event) => event.preventDefault(), { once: true });
      link(there, 'checkout').click();
    });
    expect(textOf(widget)).to.contain('Confirm only one payment, or you will pay twice.');
    expect(thePart(widget, 'pay').className).to.equal('second');
    thePart(widget, 'back').click();
    await heading(widget, 'Continue on the wallet’s website');
  });
});

it('paying by CHECKOUT sends the page a cancelable event before each redirect, and keeps a link', async () => {
  const widget = await mount(new FakeProxy(), { method: 'CHECKOUT' });
  widget.addEventListener('payment-redirect', (event) => event.preventDefault());
  const first = oneEvent(widget, 'payment-redirect');
  thePart(widget, 'pay').click();
  expect((await first).detail).to.deep.equal({ url: CHECKOUT_URL });
  await heading(widget, 'Continue on the wallet’s website');
  const { href, target, rel } = link(widget, 'checkout');
  expect([href, target, rel]).to.deep.equal([CHECKOUT_URL, '_self', 'noopener noreferrer']);
  const second = oneEvent(widget, 'payment-redirect');
  const click = new MouseEvent('click', { bubbles: true, cancelable: true });
  link(widget, 'checkout').dispatchEvent(click);
  expect((await second).detail).to.deep.equal({ url: CHECKOUT_URL });
  expect(click.defaultPrevented).to.equal(true);
});

it('paying by pay() uses properties that the page has just set', async () => {
  const proxy = new FakeProxy();
  const widget = await mount(proxy, { method: 'QR' });
  widget.method = 'JETGO';
  widget.pay();
  await until(() => proxy.starts.length, 'a start');
  expect(proxy.starts[0]?.body).to.deep.equal({ method: 'JETGO', language: 'en' });
});

it('paying twice by click, twice by Enter and once by pay() starts one payment', async () => {
  const proxy = new FakeProxy();
  const release = proxy.hold();
  const widget = await mount(proxy, { method: 'QR' });
  const button = thePart(widget, 'pay');
  button.click();
  button.click();
  const form = widget.shadowRoot?.querySelector('form');
  form?.requestSubmit();
  form?.requestSubmit();
  widget.pay();
  await widget.updateComplete;
  expect(button.getAttribute('aria-disabled')).to.equal('true');
  expect(button.textContent?.trim()).to.equal('Starting the payment…');
  release();
  await heading(widget, 'Scan a QR code');
  expect(proxy.starts).to.have.length(1);
});

it('a start warns of a payment that was open before, not of its own that the stream shows before the answer', async () => {
  const proxy = new FakeProxy({ methods: ['QR', 'JETGO'] });
  const widget = await mount(proxy, { method: 'QR' });
  const warningAfterPay = async () => {
    const isShown = oneEvent(widget, 'payment-change');
    thePart(widget, 'pay').click();
    await isShown;
    await widget.updateComplete;
    expect(thePart(widget, 'pay').textContent?.trim()).to.equal('Starting the payment…');
    return texts(widget, '.note.warning, [part=pay].second').length > 0;
  };
  proxy.onStart = () => ({ status: 'INITIALIZED', answer: 'AWAITED', qr: null, createdAt: new Date().toISOString() });
  const answer = proxy.holdAnswers();
  expect(await warningAfterPay()).to.equal(false);
  proxy.settle(paymentOf('QR'));
  answer();
  await heading(widget, 'Scan a QR code');
  thePart(widget, 'other').click();
  await heading(widget, 'How would you like to pay?');
  proxy.holdAnswers();
  expect(await warningAfterPay()).to.equal(true);
});

it('paying in one widget does not change another widget of the page', async () => {
  const [one, two] = [new FakeProxy({ orderId: 'ONE' }), new FakeProxy({ orderId: 'TWO' })];
  const [first, second] = [await mount(one, { method: 'QR' }), await mount(two, { method: 'JETGO' })];
  first.pay();
  await heading(first, 'Scan a QR code');
  expect(radio(second, 'JETGO').checked).to.equal(true);
  one.settle({ status: 'SUCCESS' });
  await heading(first, 'Payment received');
  expect([one.starts.length, two.starts.length]).to.deep.equal([1, 0]);
  expect(part(second, 'pay')).not.to.equal(null);
});

describe('a refused start', () => {
  it('a refused start shows the text of its problem’s code, or one by retryable if the code is unknown', async () => {
    const proxy = new FakeProxy();
    const widget = await mount(proxy, { method: 'QR' });
    const errorOf = async (code: string, retryable: boolean) => {
      proxy.nextStarts.push(problemOf(code, { retryable }));
      thePart(widget, 'pay').click();
      await widget.updateComplete;
      await until(() => part(widget, 'error'), code);
      return thePart(widget, 'error').textContent?.replaceAll(/\s+/g, ' ').trim();
    };
    expect(await errorOf('too_many_requests', true)).to.match(/^Too many attempts/);
    expect(await errorOf('brand_new', true)).to.match(/^The payment service has a problem/);
    expect(await errorOf('brand_new', false)).to.equal('No money was taken. Please contact the shop.');
    await heading(widget, 'The payment was not started');
    expect(part(widget, 'pay')).to.equal(null);
  });

  it('a wallet that got too many requests keeps its method and its field, where another ID may be typed', async () => {
    const proxy = new FakeProxy();
    proxy.nextStarts.push(problemOf('too_many_prompts', { retryable: true }));
    const widget = await mount(proxy);
    type(widget, 'wallet', '12345678');
    thePart(widget, 'pay').click();
    await until(() => part(widget, 'error'), 'the refusal');
    expect(textOf(widget)).to.contain(
      'Too many requests to this wallet. No money was taken. Use another wallet, or try again later.',
    );
    expect([radio(widget, 'DIRECT').checked, radio(widget, 'DIRECT').disabled]).to.deep.equal([true, false]);
    type(widget, 'wallet', '23456789');
    thePart(widget, 'pay').click();
    await heading(widget, 'Confirm in your wallet app');
  });

  it('a refused start shows the beginning of its reference, and copies all of it', async () => {
    const requestId = '3f0f21b5-06a5-4a71-910e-309ca4c8b954';
    for (const retryable of [true, false]) {
      const proxy = new FakeProxy();
      proxy.nextStarts.push(problemOf('brand_new', { retryable, requestId }));
      const widget = await mount(proxy, { method: 'QR' });
      widget.pay();
      await until(() => part(widget, 'reference'), 'the reference');
      expect(thePart(widget, 'reference').innerText).to.contain('3F0F21B5');
      const below = part(widget, 'pay')?.compareDocumentPosition(thePart(widget, 'reference'));
      expect(below).to.equal(retryable ? Node.DOCUMENT_POSITION_FOLLOWING : undefined);
      expect(await copiedFrom(widget)).to.deep.equal([requestId]);
    }
  });

  it('a refused start keeps the order of its reference in a language from right to left', async () => {
    const proxy = new FakeProxy();
    proxy.nextStarts.push(problemOf('brand_new', { retryable: true, requestId: '12345abc' }));
    const widget = await mount(proxy, { method: 'QR', lang: 'ar' });
    widget.pay();
    await until(() => part(widget, 'reference'), 'the reference');
    const reference = thePart(widget, 'reference');
    expect(leftOf(reference, '5ABC')).to.be.above(leftOf(reference, '1234'));
  });

  it('a refused token does not hide that an open payment may have been paid', async () => {
    const proxy = proxyWith('QR');
    const widget = await mount(proxy);
    proxy.streamProblem = proxy.orderProblem = problemOf('forbidden_origin', { status: 403 });
    proxy.endStreams();
    await heading(widget, 'This page has expired');
    expect(thePart(widget, 'error').textContent).to.contain('If you have paid, your payment counts.');
    expect(textOf(widget)).not.to.contain('No money');
  });
});

describe('the new tab for the checkout', () => {
  const realOpen = window.open;
  afterEach(() => {
    window.open = realOpen;
  });

  it('the new tab for the checkout opens empty during the click, without access to the page, and is navigated later', async () => {
    const gone: string[] = [];
    const tab = { opener: window, closed: false, location: { replace: (url: string) => gone.push(url) }, close() {} };
    const opened: unknown[][] = [];
    window.open = ((...request: unknown[]) => {
      opened.push(request);
      return tab;
    }) as unknown as typeof window.open;
    const proxy = new FakeProxy();
    const release = proxy.hold();
    const widget = await mount(proxy, { method: 'CHECKOUT', 'checkout-target': '_blank' });
    thePart(widget, 'pay').click();
    expect(opened).to.deep.equal([['about:blank', '_blank']]);
    expect(tab.opener).to.equal(null);
    release();
    await until(() => gone.length, 'the checkout URL');
    expect(gone).to.deep.equal([CHECKOUT_URL]);
    expect(link(widget, 'checkout').target).to.equal('_blank');
  });

  it('the new tab for the checkout is replaced by a visible link if the browser blocks it', async () => {
    window.open = () => null;
    const widget = await mount(new FakeProxy(), { method: 'CHECKOUT', 'checkout-target': '_blank' });
    thePart(widget, 'pay').click();
    await heading(widget, 'Continue on the wallet’s website');
    expect(link(widget, 'checkout').href).to.equal(CHECKOUT_URL);
  });

  it('the new tab for the checkout is closed if the start is refused', async () => {
    let closed = 0;
    window.open = () => ({ opener: null, close: () => closed++ }) as unknown as Window;
    const proxy = new FakeProxy();
    proxy.nextStarts.push(problemOf('method_unavailable'));
    const widget = await mount(proxy, { method: 'CHECKOUT', 'checkout-target': '_blank' });
    thePart(widget, 'pay').click();
    await until(() => part(widget, 'error'), 'the error');
    expect(closed).to.equal(1);
  });
});
