import { expect, fixture, html, oneEvent } from '@open-wc/testing';
import { CHECKOUT_URL, CODE, FakeProxy, paymentOf, problemOf } from './fake-proxy.ts';
import { addressOf, field, heading, link, mount, part, radio, textOf, thePart, until } from './mount.ts';

const texts = (widget: Element, selector: string) =>
  [...(widget.shadowRoot?.querySelectorAll(selector) ?? [])].map((each) => each.textContent?.trim());
const methodsOf = (widget: Element) =>
  [...(widget.shadowRoot?.querySelectorAll<HTMLInputElement>('[part=method] input') ?? [])].map(({ value }) => value);
const live = (widget: Element) => texts(widget, '[role=status] p').join(' | ');

function type(widget: Element, name: string, value: string): void {
  const input = field(widget, name);
  input.value = value;
  input.dispatchEvent(new Event('input', { bubbles: true }));
}

describe('the choice', () => {
  it('is painted from the token, before any answer', async () => {
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

  it('has a radio input for each method, the first one chosen, named and described', async () => {
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

  it('shows the methods that the page wishes, in its order, and its choice', async () => {
    const widget = await mount(new FakeProxy(), { methods: 'QR, CHECKOUT', method: 'CHECKOUT' });
    expect(methodsOf(widget)).to.deep.equal(['QR', 'CHECKOUT']);
    expect(radio(widget, 'CHECKOUT').checked).to.equal(true);
    widget.methods = null;
    await widget.updateComplete;
    expect(methodsOf(widget)).to.have.length(4);
  });

  it('asks for the wallet id for DIRECT only, and not where the token knows it', async () => {
    const widget = await mount();
    expect(part(widget, 'wallet')).not.to.equal(null);
    radio(widget, 'QR').click();
    await widget.updateComplete;
    expect(part(widget, 'wallet')).to.equal(null);
    expect(part(await mount(new FakeProxy({ customer: '12345678' })), 'wallet')).to.equal(null);
  });

  it('ties an error to its field and puts the focus there', async () => {
    const widget = await mount();
    thePart(widget, 'pay').focus();
    thePart(widget, 'pay').click();
    await widget.updateComplete;
    const input = field(widget, 'wallet');
    expect(input.getAttribute('aria-invalid')).to.equal('true');
    const help = widget.shadowRoot?.getElementById(input.getAttribute('aria-describedby') ?? '');
    expect(help?.textContent?.trim()).to.equal('Enter the 4 to 20 digits shown in your wallet app.');
    expect(widget.shadowRoot?.activeElement).to.equal(input);
    expect(live(widget)).to.equal('Enter the 4 to 20 digits shown in your wallet app.');
    type(widget, 'wallet', '1');
    await widget.updateComplete;
    expect(input.getAttribute('aria-invalid')).to.equal('false');
  });

  it('asks for an open amount, shows it on the button and sends it as a decimal string', async () => {
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
});

describe('an open amount', () => {
  it('is that of an earlier payment as it is typed, and can be emptied', async () => {
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

describe('what came later than the widget', () => {
  it('is a method by the order’s own name for it', async () => {
    const widget = await mount(new FakeProxy({}, { version: 2, methods: ['NEW' as 'QR', 'QR'] }));
    await until(() => methodsOf(widget).length === 2, 'the methods');
    expect(texts(widget, '[part=method] b')).to.deep.equal(['NEW', 'QR code']);
  });

  it('is a failure all the same, and a paid order though its time cannot be read', async () => {
    const failed = paymentOf('QR', { status: 'FAILED', reason: 'NEW' as 'DECLINED' });
    const proxy = new FakeProxy({}, { version: 2, payment: failed });
    const widget = await mount(proxy);
    await heading(widget, 'The payment was not completed');
    proxy.settle({ status: 'SUCCESS', reason: null, paidAt: 'soon' });
    await heading(widget, 'Payment received');
  });
});

describe('paying', () => {
  it('by QR draws the code, with a name, its text to copy, and the way into the app', async () => {
    const proxy = new FakeProxy();
    proxy.onStart = () => ({ appUrl: 'jetgo://pay?reference=1' });
    const widget = await mount(proxy, { method: 'QR' });
    thePart(widget, 'pay').click();
    await heading(widget, 'Scan the code to pay');
    const drawing = thePart(widget, 'code').querySelector('svg');
    expect(drawing?.getAttribute('aria-label')).to.equal('QR code to pay €10.10');
    expect(drawing?.getAttribute('viewBox')).to.equal(`0 0 ${CODE.size + 8} ${CODE.size + 8}`);
    expect(getComputedStyle(thePart(widget, 'code')).backgroundColor).to.equal('rgb(255, 255, 255)');
    expect(thePart(widget, 'app-link').getAttribute('href')).to.equal('jetgo://pay?reference=1');
    expect(part(widget, 'copy')).not.to.equal(null);
  });

  it('hands out the code’s text by a button, and says so', async () => {
    const widget = await mount(new FakeProxy({}, { payment: paymentOf('QR'), version: 3 }));
    const written: string[] = [];
    const { clipboard } = navigator;
    const write = clipboard.writeText.bind(clipboard);
    clipboard.writeText = async (text) => void written.push(text);
    thePart(widget, 'copy').click();
    await until(() => thePart(widget, 'copy').textContent?.trim() === 'Copied', 'the word');
    clipboard.writeText = write;
    expect(written).to.deep.equal([CODE.text]);
    expect(live(widget)).to.equal('Copied');
    await until(() => thePart(widget, 'copy').textContent?.trim() === 'Copy code', 'the button as it was');
  });

  it('hands out the code as a picture, with its quiet zone', async () => {
    const widget = await mount(new FakeProxy({}, { payment: paymentOf('QR'), version: 3 }));
    const saved: HTMLAnchorElement[] = [];
    const { click } = HTMLAnchorElement.prototype;
    HTMLAnchorElement.prototype.click = function (this: HTMLAnchorElement) {
      saved.push(this);
    };
    thePart(widget, 'save').click();
    HTMLAnchorElement.prototype.click = click;
    expect(saved[0]?.download).to.equal('payment-code.png');
    const picture = new Image();
    picture.src = saved[0]?.href ?? '';
    await picture.decode();
    const side = (CODE.size + 8) * 8;
    expect([picture.width, picture.height]).to.deep.equal([side, side]);
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = side;
    const context = canvas.getContext('2d');
    context?.drawImage(picture, 0, 0);
    const redAt = (module: number) => context?.getImageData(module * 8 + 4, module * 8 + 4, 1, 1).data[0];
    // The quiet zone, the corner's frame, its gap, its core.
    expect([0, 3, 4, 5, 6].map(redAt)).to.deep.equal([255, 255, 0, 255, 0]);
  });

  it('shows no picture of more than 2048 pixels a side, and its name remains', async () => {
    const pictureOf = async (width: number, height: number) => {
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [width, height];
      const image = canvas.toDataURL();
      const widget = await mount(new FakeProxy({}, { payment: paymentOf('QR', { qr: { image } }), version: 3 }));
      const img = thePart(widget, 'code').querySelector('img');
      await until(() => img?.complete, 'the picture');
      return img;
    };
    const small = await pictureOf(2048, 2);
    expect([small?.naturalWidth, small?.hasAttribute('src')]).to.deep.equal([2048, true]);
    for (const [width, height] of [
      [2049, 2],
      [2, 2049],
    ] as const) {
      const large = await pictureOf(width, height);
      await until(() => !large?.hasAttribute('src'), 'it is let go of');
      expect(large?.alt).to.equal('QR code to pay €10.10');
    }
  });

  it('by DIRECT sends the wallet id and says where to confirm', async () => {
    const proxy = new FakeProxy();
    const widget = await mount(proxy);
    type(widget, 'wallet', '12345678');
    thePart(widget, 'pay').click();
    await heading(widget, 'Confirm in your wallet app');
    expect(textOf(widget)).to.contain('Wallet ID: …5678');
    expect(proxy.starts[0]?.body).to.deep.equal({ method: 'DIRECT', customer: '12345678', language: 'en' });
  });

  it('by CHECKOUT asks the page before it goes, and leaves a link', async () => {
    const widget = await mount(new FakeProxy(), { method: 'CHECKOUT' });
    widget.addEventListener('payment-redirect', (event) => event.preventDefault());
    const told = oneEvent(widget, 'payment-redirect');
    thePart(widget, 'pay').click();
    expect((await told).detail).to.deep.equal({ url: CHECKOUT_URL });
    await heading(widget, 'Continue on the wallet’s website');
    const { href, target, rel } = link(widget, 'checkout');
    expect([href, target, rel]).to.deep.equal([CHECKOUT_URL, '_self', 'noopener noreferrer']);
    const again = oneEvent(widget, 'payment-redirect');
    const click = new MouseEvent('click', { bubbles: true, cancelable: true });
    link(widget, 'checkout').dispatchEvent(click);
    expect((await again).detail).to.deep.equal({ url: CHECKOUT_URL });
    expect(click.defaultPrevented).to.equal(true);
  });

  it('by pay() takes what the page has just set', async () => {
    const proxy = new FakeProxy();
    const widget = await mount(proxy, { method: 'QR' });
    widget.method = 'JETGO';
    widget.pay();
    await until(() => proxy.starts.length, 'a start');
    expect(proxy.starts[0]?.body).to.deep.equal({ method: 'JETGO', language: 'en' });
  });

  it('does not say that no money was taken while a payment is open', async () => {
    const proxy = new FakeProxy({}, { payment: paymentOf('QR'), version: 3 });
    const widget = await mount(proxy);
    proxy.streamProblem = proxy.orderProblem = problemOf('forbidden_origin', { status: 403 });
    proxy.endStreams();
    await heading(widget, 'The payment cannot continue here');
    expect(thePart(widget, 'error').textContent).to.contain('If you have paid, your payment counts.');
    expect(textOf(widget)).not.to.contain('No money');
  });

  it('is one payment for two clicks, two Enters and a pay() besides', async () => {
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
    expect(button.textContent?.trim()).to.equal('Starting…');
    release();
    await heading(widget, 'Scan the code to pay');
    expect(proxy.starts).to.have.length(1);
  });

  it('keeps the choice as it is while the start is under way', async () => {
    const proxy = new FakeProxy();
    proxy.hold();
    const widget = await mount(proxy, { method: 'QR' });
    thePart(widget, 'pay').click();
    await widget.updateComplete;
    radio(widget, 'JETGO').click();
    await widget.updateComplete;
    expect(radio(widget, 'QR').checked).to.equal(true);
  });

  it('is two payments in two widgets, each with its own', async () => {
    const [one, two] = [new FakeProxy({ orderId: 'ONE' }), new FakeProxy({ orderId: 'TWO' })];
    const [first, second] = [await mount(one, { method: 'QR' }), await mount(two, { method: 'JETGO' })];
    first.pay();
    await heading(first, 'Scan the code to pay');
    expect(radio(second, 'JETGO').checked).to.equal(true);
    one.settle({ status: 'SUCCESS' });
    await heading(first, 'Payment received');
    expect([one.starts.length, two.starts.length]).to.deep.equal([1, 0]);
    expect(part(second, 'pay')).not.to.equal(null);
  });

  it('shows how it ended, with the facts, and how to go on', async () => {
    const proxy = new FakeProxy({}, { payment: paymentOf('QR'), version: 3 });
    const widget = await mount(proxy);
    proxy.settle({ status: 'FAILED', reason: 'EXPIRED' });
    await heading(widget, 'The time ran out');
    thePart(widget, 'again').click();
    await heading(widget, 'Scan the code to pay');
    thePart(widget, 'other').click();
    await until(() => part(widget, 'pay'), 'the choice');
    expect(textOf(widget)).to.contain('Confirm only one payment');
    thePart(widget, 'back').click();
    await heading(widget, 'Scan the code to pay');
    proxy.settle({ status: 'SUCCESS' });
    await heading(widget, 'Payment received');
    expect(texts(widget, 'dd')).to.deep.equal(['QR code', 'ABC-123']);
  });

  it('says what a problem’s code means, and a text by retryable for one that it does not know', async () => {
    const proxy = new FakeProxy();
    const widget = await mount(proxy, { method: 'QR' });
    const says = async (code: string, retryable: boolean) => {
      proxy.nextStarts.push(problemOf(code, { retryable }));
      thePart(widget, 'pay').click();
      await widget.updateComplete;
      await until(() => part(widget, 'error'), code);
      return thePart(widget, 'error').textContent?.replaceAll(/\s+/g, ' ').trim();
    };
    expect(await says('too_many_requests', true)).to.match(/^There were too many attempts.* Reference: req-7f3a$/);
    expect(await says('brand_new', true)).to.match(/^The payment service has a problem/);
    expect(await says('brand_new', false)).to.match(/^No new payment was started. Please contact the shop./);
    expect(part(widget, 'pay')).to.equal(null);
  });
});

describe('a code', () => {
  const opened = () =>
    new FakeProxy({}, { payment: paymentOf('QR', { appUrl: 'jetgo://pay?reference=1' }), version: 3 });

  it('says what to do if the app did not open, after its link was pressed and not before', async () => {
    const widget = await mount(opened());
    expect(textOf(widget)).not.to.contain('Did the app not open?');
    link(widget, 'app-link').addEventListener('click', (event) => event.preventDefault());
    link(widget, 'app-link').click();
    await until(() => textOf(widget).includes('Did the app not open?'), 'the ways on');
    expect(textOf(widget)).to.contain('Scan the code with another device').and.to.contain('your phone’s browser');
    expect(live(widget)).to.contain('Did the app not open?');
  });

  it('that is a link alone can be copied as one, once the app did not open', async () => {
    const appUrl = 'jetgo://pay?reference=1';
    const widget = await mount(new FakeProxy({}, { payment: paymentOf('JETGO', { qr: null, appUrl }), version: 3 }));
    expect(part(widget, 'copy')).to.equal(null);
    link(widget, 'app-link').addEventListener('click', (event) => event.preventDefault());
    link(widget, 'app-link').click();
    await until(() => part(widget, 'copy')?.textContent?.trim() === 'Copy link', 'the button');
    expect(textOf(widget)).not.to.contain('Scan the code');
  });

  it('is shared as a picture where the browser shares pictures, and has no such button elsewhere', async () => {
    const shared: File[] = [];
    const fake = (canShare: unknown, share?: unknown) => {
      for (const [name, value] of Object.entries({ canShare, share }))
        Object.defineProperty(navigator, name, { configurable: true, value });
    };
    try {
      fake(undefined);
      expect(part(await mount(opened()), 'share')).to.equal(null);
      fake(() => false);
      expect(part(await mount(opened()), 'share')).to.equal(null);
      fake(
        ({ files }: ShareData) => files?.[0]?.type === 'image/png',
        async ({ files = [] }: ShareData) => void shared.push(...files),
      );
      thePart(await mount(opened()), 'share').click();
      await until(() => shared.length, 'the share sheet');
      expect([shared[0]?.name, shared[0]?.type]).to.deep.equal(['payment-code.png', 'image/png']);
      const picture = await createImageBitmap(shared[0] as File);
      expect([picture.width, picture.height]).to.deep.equal([(CODE.size + 8) * 8, (CODE.size + 8) * 8]);
    } finally {
      for (const name of ['canShare', 'share']) Reflect.deleteProperty(navigator, name);
    }
  });

  it('counts down what is left of its time, and a new one takes its place', async () => {
    const proxy = new FakeProxy();
    proxy.onStart = () => ({ expiresAt: new Date(Date.now() + 1_500).toISOString() });
    const widget = await mount(proxy, { method: 'QR' });
    widget.pay();
    await heading(widget, 'Scan the code to pay');
    expect(thePart(widget, 'countdown').textContent).to.match(/^Time left: 0:0[12]$/);
    await heading(widget, 'The time is up');
    expect(part(widget, 'code')).to.equal(null);
    expect(textOf(widget)).to.contain('If you have paid, your payment counts.');
    expect(thePart(widget, 'again').textContent?.trim()).to.equal('Get a new code');
    expect(proxy.starts.length).to.equal(1);
    thePart(widget, 'again').click();
    await heading(widget, 'Scan the code to pay');
    expect(proxy.starts.length).to.equal(2);
  });

  for (const [method, label] of [
    ['QR', 'Get a new code'],
    ['CHECKOUT', 'Go to the wallet’s website'],
    ['DIRECT', 'Send a new request'],
  ] as const) {
    it(`or what stands for one is told as run out, and offered anew: ${method}`, async () => {
      const payment = paymentOf(method, { status: 'FAILED', reason: 'EXPIRED' });
      const widget = await mount(new FakeProxy({}, { payment, version: 3 }));
      await heading(widget, 'The time ran out');
      expect(thePart(widget, 'again').textContent?.trim()).to.equal(label);
      expect(textOf(widget).includes('you will pay twice')).to.equal(method === 'DIRECT');
    });
  }
});

describe('help', () => {
  const failed = (reason: 'DECLINED' | 'RESOLVED', supportUrl: string) =>
    new FakeProxy({ supportUrl }, { payment: paymentOf('QR', { status: 'FAILED', reason }), version: 3 });

  it('is the shop’s page, where a payment failed, and only by https', async () => {
    const widget = await mount(failed('DECLINED', 'https://shop.example/help'));
    const { href, target, rel } = link(widget, 'support');
    expect([href, target, rel]).to.deep.equal(['https://shop.example/help', '_blank', 'noopener']);
    for (const unsafe of ['http://shop.example/help', 'javascript:alert(1)', 'mailto:a@shop.example'])
      expect(part(await mount(failed('DECLINED', unsafe)), 'support')).to.equal(null);
  });

  it('is what the page has put there, in place of the link', async () => {
    const widget = await mount(failed('DECLINED', 'https://shop.example/help'));
    for (const slot of ['failed', 'help']) {
      const words = document.createElement('p');
      words.slot = slot;
      words.textContent = slot;
      widget.append(words);
      expect(words.checkVisibility()).to.equal(true);
    }
    expect(thePart(widget, 'support').checkVisibility()).to.equal(false);
  });

  it('is there before anything was heard, from the token', async () => {
    const proxy = new FakeProxy({ supportUrl: 'https://shop.example/help' });
    proxy.streamProblem = problemOf('token_expired', { status: 401 });
    const widget = await mount(proxy);
    await heading(widget, 'The payment cannot continue here');
    expect(widget.view).to.equal(null);
    expect(link(widget, 'support').href).to.equal('https://shop.example/help');
  });

  it('is all that there is to press but another method, where a person at the shop has closed the payment', async () => {
    const widget = await mount(failed('RESOLVED', 'https://shop.example/help'));
    await heading(widget, 'The shop has closed this payment');
    expect([part(widget, 'again'), !!part(widget, 'support'), !!part(widget, 'other')]).to.deep.equal([
      null,
      true,
      true,
    ]);
    expect(textOf(widget)).not.to.contain('No money');
  });
});

describe('no connection', () => {
  it('is said at once when the browser goes offline', async () => {
    const proxy = new FakeProxy({}, { payment: paymentOf('QR'), version: 3 });
    const widget = await mount(proxy);
    proxy.isSilent = true;
    window.dispatchEvent(new Event('offline'));
    await widget.updateComplete;
    expect(textOf(widget)).to.contain('No connection.');
    proxy.isSilent = false;
    window.dispatchEvent(new Event('online'));
    await until(() => !textOf(widget).includes('No connection.'), 'the line');
  });
});

describe('the new tab', () => {
  const realOpen = window.open;
  afterEach(() => {
    window.open = realOpen;
  });

  it('is opened empty within the click, cut off from the page, and sent on', async () => {
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
    await until(() => gone.length, 'the way');
    expect(gone).to.deep.equal([CHECKOUT_URL]);
    expect(link(widget, 'checkout').target).to.equal('_blank');
  });

  it('leaves a visible link where it is blocked', async () => {
    window.open = () => null;
    const widget = await mount(new FakeProxy(), { method: 'CHECKOUT', 'checkout-target': '_blank' });
    thePart(widget, 'pay').click();
    await heading(widget, 'Continue on the wallet’s website');
    expect(link(widget, 'checkout').href).to.equal(CHECKOUT_URL);
  });

  it('is closed again where the start is refused', async () => {
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

describe('the page', () => {
  it('hears each event above the widget, out of any shadow root', async () => {
    const heard: string[] = [];
    const page = await fixture<HTMLElement>(html`<div></div>`);
    const root = page.attachShadow({ mode: 'open' });
    const inner = document.createElement('div');
    root.append(inner);
    for (const name of ['submit', 'change', 'success', 'failed', 'redirect', 'error'] as const) {
      page.addEventListener(`payment-${name}`, () => heard.push(name));
    }
    const proxy = new FakeProxy();
    const widget = await mount(proxy, { method: 'QR' }, inner);
    expect(widget.view?.orderId).to.equal('ABC-123');
    widget.pay();
    await heading(widget, 'Scan the code to pay');
    proxy.settle({ status: 'FAILED', reason: 'DECLINED' });
    proxy.settle({ status: 'SUCCESS', late: true });
    await heading(widget, 'Payment received');
    expect(heard).to.deep.equal(['change', 'submit', 'change', 'change', 'failed', 'change', 'success']);
    expect(widget.view?.paid).to.equal(true);
  });

  it('sees the states as :state()', async () => {
    const proxy = new FakeProxy();
    const widget = await mount(proxy, { method: 'QR' });
    const states = () =>
      ['choosing', 'waiting', 'paid', 'failed'].filter((state) => widget.matches(`:state(${state})`)).join();
    expect(states()).to.equal('choosing');
    widget.pay();
    await until(() => states() === 'waiting', 'waiting');
    proxy.settle({ status: 'FAILED', reason: 'DECLINED' });
    await until(() => states() === 'failed', 'failed');
    proxy.settle({ status: 'SUCCESS' });
    await until(() => states() === 'paid', 'paid');
  });

  it('has a form that it holds back, where it is required, until the order is paid; then it holds its id', async () => {
    const form = await fixture<HTMLFormElement>(html`<form></form>`);
    const proxy = new FakeProxy();
    const widget = await mount(proxy, { name: 'order', method: 'QR' }, form);
    expect(form.checkValidity()).to.equal(true);
    widget.required = true;
    await widget.updateComplete;
    expect(form.checkValidity()).to.equal(false);
    expect(new FormData(form).get('order')).to.equal(null);
    expect([widget.value, widget.form, widget.validity.valueMissing]).to.deep.equal([null, form, true]);
    expect([...form.elements]).to.contain(widget);
    proxy.settle({ status: 'SUCCESS' });
    await heading(widget, 'Payment received');
    expect(form.checkValidity()).to.equal(true);
    expect(new FormData(form).get('order')).to.equal('ABC-123');
    expect([widget.value, widget.validity.valueMissing]).to.deep.equal(['ABC-123', false]);
  });

  it('can disable it with the fieldset around it', async () => {
    const fieldset = await fixture<HTMLFieldSetElement>(html`<fieldset></fieldset>`);
    const proxy = new FakeProxy();
    const widget = await mount(proxy, { method: 'QR' }, fieldset);
    fieldset.disabled = true;
    widget.pay();
    await widget.updateComplete;
    expect(proxy.starts.length).to.equal(0);
    thePart(widget, 'pay').focus();
    expect(widget.inert && widget.matches(':disabled')).to.equal(true);
    expect(widget.shadowRoot?.activeElement).to.equal(null);
    fieldset.disabled = false;
    thePart(widget, 'pay').focus();
    expect(widget.shadowRoot?.activeElement).to.equal(thePart(widget, 'pay'));
  });

  it('may give the methods as a list, and reads the language back from the attribute', async () => {
    const widget = await mount();
    expect(widget.hasAttribute('lang')).to.equal(true);
    widget.methods = ['QR', 'CHECKOUT'];
    await widget.updateComplete;
    expect(methodsOf(widget)).to.deep.equal(['QR', 'CHECKOUT']);
    widget.methods = '';
    await widget.updateComplete;
    expect(methodsOf(widget).length).to.equal(4);
    widget.lang = 'de';
    await widget.updateComplete;
    expect(widget.getAttribute('lang')).to.equal('de');
    expect(document.createElement('payment-widget').hasAttribute('lang')).to.equal(false);
  });

  it('can replace strings', async () => {
    const widget = await mount();
    widget.messages = { pay: 'Donate {amount}' };
    await widget.updateComplete;
    expect(thePart(widget, 'pay').textContent?.trim()).to.equal('Donate €10.10');
  });

  it('shows all of the order’s methods where the page wishes none of them, and tells the developer', async () => {
    const told: unknown[] = [];
    const { warn } = console;
    console.warn = (...words) => void told.push(words.join(' '));
    const widget = await mount(new FakeProxy({ methods: ['QR'] }), { methods: 'PAYPAL CHECKOUT' });
    console.warn = warn;
    expect(field(widget, 'method').querySelector('input')?.value).to.equal('QR');
    expect(told).to.deep.equal(['<payment-widget> methods="PAYPAL CHECKOUT": the order has only QR']);
  });

  it('tells the developer of an order that is no token', async () => {
    const told: unknown[] = [];
    const { warn } = console;
    console.warn = (...words) => void told.push(words.join(' '));
    const page = await fixture<HTMLElement>(html`<div></div>`);
    const error = oneEvent(page, 'payment-error');
    page.innerHTML = '<payment-widget order="undefined" lang="en"></payment-widget>';
    const { detail } = (await error) as CustomEvent<{ code: string; detail: string }>;
    console.warn = warn;
    expect(detail).to.include({
      code: 'invalid_token',
      detail: 'The order attribute holds no order token, or its orderId or currency is missing or malformed.',
    });
    expect(told).to.deep.equal([`<payment-widget> invalid_token ${detail.detail}`]);
  });

  it('follows the page when that changes its language', async () => {
    const page = await fixture<HTMLElement>(html`<div lang="en"></div>`);
    const widget = await mount(new FakeProxy(), { lang: '' }, page);
    expect(thePart(widget, 'sheet').lang).to.equal('en');
    page.lang = 'de';
    await until(() => thePart(widget, 'sheet').lang === 'de', 'German');
    widget.remove();
    page.append(widget);
    page.lang = 'en';
    await until(() => thePart(widget, 'sheet').lang === 'en', 'English again, after a move');
  });

  it('decides the language by the nearest lang, and right-to-left follows it', async () => {
    const page = await fixture<HTMLElement>(html`<div lang="ar-EG"><p lang="de"></p></div>`);
    const widget = await mount(new FakeProxy(), { lang: '' }, page);
    await heading(widget, 'كيف تريد الدفع؟');
    expect(getComputedStyle(thePart(widget, 'sheet')).direction).to.equal('rtl');
    widget.lang = 'fr-CA';
    await heading(widget, 'Comment souhaitez-vous payer ?');
    expect(thePart(widget, 'sheet').lang).to.equal('fr-CA');
  });

  it('can move the widget without a new request, and take it out in the middle of one', async () => {
    const proxy = new FakeProxy();
    const release = proxy.hold();
    const widget = await mount(proxy, { method: 'QR' });
    widget.pay();
    await until(() => proxy.starts.length, 'the start');
    const elsewhere = await fixture<HTMLElement>(html`<div></div>`);
    elsewhere.append(widget);
    release();
    await heading(widget, 'Scan the code to pay');
    const asked = proxy.seen.filter(({ method }) => method !== 'OPTIONS').map(({ path }) => path);
    expect(asked).to.deep.equal(['/order/events', '/order/payments']);

    const other = new FakeProxy();
    other.hold();
    const gone = await mount(other, { method: 'QR' });
    const errors: unknown[] = [];
    const onError = (event: Event) => errors.push(event);
    window.addEventListener('unhandledrejection', onError);
    gone.pay();
    await until(() => other.starts.length, 'the start');
    gone.remove();
    await until(() => other.streamCount === 0, 'the stream ends');
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
    window.removeEventListener('unhandledrejection', onError);
    expect(errors).to.deep.equal([]);
  });

  it('may set the token later, and another one', async () => {
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

  it('may load the script twice', async () => {
    const again = '../../widget/index.ts?again';
    await import(again);
    expect(customElements.get('payment-widget')).not.to.equal(undefined);
  });

  it('fills the slots', async () => {
    const proxy = new FakeProxy({}, { payment: paymentOf('QR', { status: 'SUCCESS' }), paid: true, version: 3 });
    const widget = await mount(proxy);
    const slots = [...(widget.shadowRoot?.querySelectorAll('slot') ?? [])].map(({ name }) => name);
    expect(slots).to.deep.equal(['header', 'success', 'footer']);
  });

  it('shows the wallet’s own mark in place of a drawing, where the page has one', async () => {
    const widget = await mount();
    const mark = document.createElement('img');
    mark.slot = 'icon-QR';
    mark.width = 26;
    widget.append(mark);
    const rows = [...(widget.shadowRoot?.querySelectorAll('.method') ?? [])];
    const drawn = rows.filter((row) => row.querySelector('svg')?.checkVisibility()).length;
    expect([mark.checkVisibility(), rows.length - drawn]).to.deep.equal([true, 1]);
    mark.remove();
    expect(rows.every((row) => row.querySelector('svg')?.checkVisibility())).to.equal(true);
  });

  it('tells to check the details only whoever typed some', async () => {
    const payment = paymentOf('QR', { status: 'FAILED', reason: 'REJECTED' });
    const widget = await mount(new FakeProxy({}, { payment, version: 3 }));
    await heading(widget, 'The payment was not accepted');
    expect(thePart(widget, 'error').textContent).to.equal(
      'No money was taken. You can try again or use another method.',
    );
  });

  it('says at once, to the ear too, that the order was paid a second time, and pays it no second time', async () => {
    const proxy = new FakeProxy({}, { payment: paymentOf('QR'), version: 3 });
    const widget = await mount(proxy);
    let successes = 0;
    widget.addEventListener('payment-success', () => (successes += 1));
    proxy.settle({ status: 'SUCCESS' });
    await heading(widget, 'Payment received');
    expect(textOf(widget)).not.to.contain('more than once');
    proxy.publish({ surplus: true });
    await until(() => textOf(widget).includes('paid more than once'), 'the second payment');
    expect(live(widget)).to.contain('paid more than once');
    expect(successes).to.equal(1);
  });

  it('says when it was paid, by the shopper’s own clock', async () => {
    const payment = paymentOf('QR', { status: 'SUCCESS', paidAt: '2026-11-20T12:01:00.000Z' });
    const widget = await mount(new FakeProxy({}, { payment, paid: true, version: 3 }));
    await heading(widget, 'Payment received');
    const local = new Date('2026-11-20T12:01:00.000Z');
    expect(thePart(widget, 'details').textContent).to.contain('2026');
    expect(thePart(widget, 'details').textContent).to.contain(`:${String(local.getMinutes()).padStart(2, '0')}`);
  });

  it('leaves the page’s own custom properties to what is slotted', async () => {
    const widget = await mount();
    const slotted = document.createElement('p');
    slotted.slot = 'footer';
    widget.parentElement?.style.setProperty('--accent', 'rebeccapurple');
    widget.append(slotted);
    expect(getComputedStyle(slotted).getPropertyValue('--accent')).to.equal('rebeccapurple');
  });
});

describe('its place', () => {
  it('keeps the page where it is while the panel that held the focus gives way to another', async () => {
    const page = await fixture<HTMLElement>(html`<div><p style="block-size: 150vh"></p></div>`);
    const proxy = new FakeProxy({}, { payment: paymentOf('QR'), version: 3 });
    const widget = await mount(proxy, {}, page);
    const other = thePart(widget, 'other');
    other.scrollIntoView({ block: 'end' });
    other.focus({ preventScroll: true });
    const before = scrollY;
    other.click();
    await heading(widget, 'How would you like to pay?');
    expect(before).to.be.greaterThan(innerHeight / 2);
    expect(scrollY).to.be.greaterThan(innerHeight / 2);
    expect(thePart(widget, 'sheet').style.minBlockSize).to.equal('');
  });

  it('goes on after a move: the countdown, and the language of the new place', async () => {
    const now = Date.now;
    const payment = paymentOf('CHECKOUT', { expiresAt: new Date(now() + 600_000).toISOString() });
    const page = await fixture<HTMLElement>(
      html`<div>
        <p lang="en"></p>
        <p lang="de"></p>
      </div>`,
    );
    const [english, german] = page.querySelectorAll('p');
    const widget = await mount(new FakeProxy({}, { payment, version: 3 }), { lang: '' }, english);
    german?.append(widget);
    await heading(widget, 'Weiter zur Bezahlseite');
    const shown = () => thePart(widget, 'countdown').textContent;
    const before = shown();
    await until(() => shown() !== before, 'the next second');
  });

  it('leaves no countdown behind when a listener takes it out', async () => {
    const proxy = new FakeProxy();
    const widget = await mount(proxy);
    widget.addEventListener('payment-change', () => widget.remove());
    const payment = paymentOf('CHECKOUT', { expiresAt: new Date(Date.now() + 600_000).toISOString() });
    proxy.publish({ payment });
    await until(() => !widget.isConnected, 'the page');
    await widget.updateComplete;
    let updates = 0;
    widget.requestUpdate = () => void updates++;
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(updates).to.equal(0);
  });
});

describe('attention', () => {
  it('stays in the field when the page changes its language', async () => {
    const page = await fixture<HTMLElement>(html`<div lang="en"></div>`);
    const widget = await mount(new FakeProxy(), { lang: '' }, page);
    field(widget, 'wallet').focus();
    page.lang = 'de';
    await heading(widget, 'Wie möchten Sie bezahlen?');
    expect(widget.shadowRoot?.activeElement).to.equal(field(widget, 'wallet'));
  });

  it('moves with the panel that held it, and is never lost', async () => {
    const proxy = new FakeProxy();
    const widget = await mount(proxy, { method: 'QR' });
    const button = thePart(widget, 'pay');
    button.focus();
    button.click();
    await heading(widget, 'Scan the code to pay');
    expect(widget.shadowRoot?.activeElement).to.equal(thePart(widget, 'heading'));
    expect(live(widget)).to.equal('Open your wallet app, scan the code and confirm. | Waiting for your payment');
    proxy.settle({ status: 'SUCCESS' });
    await heading(widget, 'Payment received');
    expect(widget.shadowRoot?.activeElement?.textContent).to.equal('Payment received');
  });

  it('is not taken from someone who is elsewhere; they are told', async () => {
    const page = await fixture<HTMLElement>(html`<div><input aria-label="Search" /></div>`);
    const proxy = new FakeProxy({}, { payment: paymentOf('DIRECT'), version: 3 });
    const widget = await mount(proxy, {}, page);
    const search = page.querySelector('input');
    search?.focus();
    proxy.settle({ status: 'SUCCESS' });
    await heading(widget, 'Payment received');
    expect(document.activeElement).to.equal(search);
    expect(live(widget)).to.equal('Payment received | €10.10');
  });

  it('is not lost when what was focused goes away', async () => {
    const proxy = new FakeProxy({}, { payment: paymentOf('QR'), version: 3 });
    const widget = await mount(proxy);
    proxy.isDown = true;
    proxy.breakStreams();
    await until(() => part(widget, 'retry'), 'the word that the line is lost');
    expect(live(widget)).to.match(/^No connection/);
    thePart(widget, 'retry').focus();
    proxy.isDown = false;
    thePart(widget, 'retry').click();
    await until(() => !part(widget, 'retry'), 'the line');
    expect(widget.shadowRoot?.activeElement).to.equal(thePart(widget, 'heading'));
    expect(live(widget)).to.equal('');
  });

  it('is drawn to the time at its steps only', async () => {
    const now = Date.now;
    const start = now();
    const proxy = new FakeProxy({}, {}, () => start);
    proxy.view = {
      ...proxy.view,
      version: 3,
      payment: paymentOf('CHECKOUT', { expiresAt: new Date(start + 200_000).toISOString() }),
    };
    try {
      let ahead = 0;
      // A clock that is an hour wrong, and then goes on.
      Date.now = () => start + 3_600_000 + ahead;
      const widget = await mount(proxy);
      expect(thePart(widget, 'countdown').textContent).to.equal('Time left: 3:20');
      const at = async (left: number) => {
        ahead = 200_000 - left * 1000;
        widget.requestUpdate();
        await widget.updateComplete;
        return live(widget);
      };
      const before = await at(181);
      expect(await at(180)).to.equal('Time left: 3 minutes');
      expect(before).not.to.contain('Time left: 3 minutes');
      expect(await at(170)).to.equal('Time left: 3 minutes');
      expect(await at(59)).to.equal('Time left: 1 minute');
      expect(await at(29)).to.equal('Time left: 30 seconds');
      thePart(widget, 'checkout').focus();
      await at(0);
      await heading(widget, 'The time is up');
      expect(live(widget)).to.equal(
        'If you have paid, your payment counts. | We are checking whether your payment arrived.',
      );
      expect(widget.shadowRoot?.activeElement).to.equal(thePart(widget, 'heading'));
      expect(part(widget, 'checkout')).to.equal(null);
    } finally {
      Date.now = now;
    }
  });

  it('goes to the chosen method, or to the heading, with focus()', async () => {
    const proxy = new FakeProxy();
    const widget = await mount(proxy, { method: 'QR' });
    widget.focus();
    expect(widget.shadowRoot?.activeElement).to.equal(radio(widget, 'QR'));
    widget.pay();
    await heading(widget, 'Scan the code to pay');
    (document.activeElement as HTMLElement | null)?.blur();
    widget.focus();
    expect(widget.shadowRoot?.activeElement).to.equal(thePart(widget, 'heading'));
  });
});

describe('after a reload', () => {
  it('shows what is true, and never the choice in between', async () => {
    const first = new FakeProxy({ orderId: 'RELOADED' });
    const before = await mount(first, { method: 'QR' });
    before.pay();
    await heading(before, 'Scan the code to pay');
    before.remove();

    const widget = document.createElement('payment-widget');
    widget.lang = 'en';
    widget.proxy = addressOf(first);
    widget.order = first.token;
    const seen = new Set<string>();
    const watch = new MutationObserver(() => seen.add(part(widget, 'pay') ? 'choice' : 'none'));
    const page = await fixture<HTMLElement>(html`<div></div>`);
    page.append(widget);
    watch.observe(widget.shadowRoot ?? widget, { childList: true, subtree: true });
    await heading(widget, 'Scan the code to pay');
    watch.disconnect();
    expect([...seen]).to.deep.equal(['none']);
  });
});
