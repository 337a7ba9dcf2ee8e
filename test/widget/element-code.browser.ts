// The panel with the code: copy, save, the link to the app, pictures from the gateway, and the time that is
// left.
import { expect, fixture, html } from '@open-wc/testing';
import { CODE, FakeProxy, proxyWith } from '../../widget/testing/fake-proxy.ts';
import { announced, copiedFrom, heading, link, mount, part, textOf, thePart, until } from './mount.ts';
import { other } from './states.ts';

const APP_URL = 'jetgo://pay?reference=1';
/** With eight pixels for each module, and the quiet zone. */
const PICTURE_SIDE = (CODE.size + 8) * 8;

it('the buttons below the code copy its text, and say so for a moment', async () => {
  const widget = await mount(proxyWith('QR'));
  expect(await copiedFrom(widget)).to.deep.equal([CODE.text]);
  expect(announced(widget)).to.equal('Copied');
  await until(() => thePart(widget, 'copy').innerText.trim() === 'Copy code', 'the usual text');
});

it('the buttons below the code save it as a picture with its quiet zone', async () => {
  const widget = await mount(proxyWith('QR'));
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
  expect([picture.width, picture.height]).to.deep.equal([PICTURE_SIDE, PICTURE_SIDE]);
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = PICTURE_SIDE;
  const context = canvas.getContext('2d');
  context?.drawImage(picture, 0, 0);
  const redAt = (module: number) => context?.getImageData(module * 8 + 4, module * 8 + 4, 1, 1).data[0];
  // The quiet zone, then the finder pattern: its frame, its gap, its core.
  expect([0, 3, 4, 5, 6].map(redAt)).to.deep.equal([255, 255, 0, 255, 0]);
});

it('on a touch device a new panel is brought into sight after a touch, even if the button took no focus', async () => {
  const { matchMedia } = window;
  window.matchMedia = (query) => matchMedia(query.includes('coarse') ? 'all' : query);
  const touched = (hasBeenActive: boolean) =>
    Object.defineProperty(navigator, 'userActivation', { value: { hasBeenActive }, configurable: true });
  const page = await fixture<HTMLElement>(html`<div style="padding-block: 2000px"></div>`);
  try {
    for (const isTouched of [false, true]) {
      touched(isTouched);
      const proxy = new FakeProxy({ orderId: `TOUCHED-${isTouched}`, customer: '12345678' });
      const widget = await mount(proxy, { method: 'DIRECT' }, page);
      const top = () => widget.getBoundingClientRect().top;
      scrollBy(0, top() + 100);
      widget.pay();
      await heading(widget, 'Confirm in your wallet app');
      await new Promise(requestAnimationFrame);
      expect(top() >= 0, `touched: ${isTouched}`).to.equal(isTouched);
      widget.remove();
    }
  } finally {
    window.matchMedia = matchMedia;
    Reflect.deleteProperty(navigator, 'userActivation');
  }
});

it('on a touch device nothing speaks of a code before there is one: each code opens the app', async () => {
  const { matchMedia } = window;
  window.matchMedia = (query) => matchMedia(query.includes('coarse') ? 'all' : query);
  try {
    const names = async (customer?: string) =>
      textOf(await mount(new FakeProxy({ orderId: `OF-${customer}`, customer })));
    expect(await names())
      .to.contain('Enter your wallet ID')
      .and.not.to.contain('Confirm in your wallet app');
    expect(await names('12345678'))
      .to.contain('Confirm in your wallet app')
      .and.not.to.contain('Enter your wallet ID');
    const widget = await mount(proxyWith('JETGO', { answer: 'AWAITED', qr: null }));
    await heading(widget, 'Starting the payment…');
    await heading(await mount(proxyWith('QR', { answer: 'LOST', qr: null })), 'The payment was not started');
    const expired = await mount(proxyWith('QR', { status: 'FAILED', reason: 'EXPIRED' }));
    await heading(expired, 'Time is up');
    expect(thePart(expired, 'again').textContent?.trim()).to.equal('Try again');
    const open = await mount(proxyWith('JETGO', { appUrl: APP_URL }));
    const details = thePart(open, 'other-device') as HTMLDetailsElement;
    expect(details.open).to.equal(false);
    expect(textOf(open)).not.to.contain('Did the app not open?');
    link(open, 'app-link').addEventListener('click', (event) => event.preventDefault());
    link(open, 'app-link').click();
    await until(() => details.open, 'the code, as another way');
    expect(textOf(open)).to.contain('Scan the code with another device').and.to.contain('your phone’s browser');
    expect(announced(open)).to.contain('Did the app not open?');
  } finally {
    window.matchMedia = matchMedia;
  }
});

it('on a touch device a request has the link to the wallet app, if the proxy has one that is safe', async () => {
  const { matchMedia } = window;
  const open = async (appUrl: string) => {
    const widget = await mount(proxyWith('DIRECT', { appUrl }));
    await heading(widget, 'Confirm in your wallet app');
    return (part(widget, 'app-link') as HTMLAnchorElement | null)?.href;
  };
  expect(await open(APP_URL), 'beside a mouse').to.equal(undefined);
  window.matchMedia = (query) => matchMedia(query.includes('coarse') ? 'all' : query);
  try {
    expect(await open(APP_URL)).to.equal(APP_URL);
    expect(await open('javascript:alert(1)')).to.equal(undefined);
  } finally {
    window.matchMedia = matchMedia;
  }
});

it('what can be paid has a warning as long as an earlier payment can be paid, too', async () => {
  for (const [method, title] of [
    ['DIRECT', 'Confirm in your wallet app'],
    ['CHECKOUT', 'Continue on the wallet’s website'],
    ['QR', 'Scan a QR code'],
  ] as const) {
    const proxy = proxyWith(method);
    const widget = await mount(proxy);
    await heading(widget, title);
    expect(textOf(widget), method).not.to.contain('Confirm only one payment');
    proxy.publish(other('CHECKOUT'));
    await until(() => textOf(widget).includes('Confirm only one payment, or you will pay twice.'), 'the warning');
    proxy.publish({ checking: true });
    await heading(widget, 'We are checking your payment');
    proxy.isDown = true;
    proxy.breakStreams();
    await until(() => part(widget, 'retry'), 'the lost connection');
    expect(textOf(widget), method).not.to.contain('Confirm only one payment');
  }
});

it('the time of a code counts down, and a new code replaces one whose time is up', async () => {
  const proxy = new FakeProxy();
  proxy.onStart = () => ({ expiresAt: new Date(Date.now() + 1_500).toISOString() });
  const widget = await mount(proxy, { method: 'QR' });
  widget.pay();
  await heading(widget, 'Scan a QR code');
  expect(thePart(widget, 'countdown').textContent).to.match(/^0:0[12] left$/);
  await heading(widget, 'Time is up');
  expect(part(widget, 'code')).to.equal(null);
  expect(textOf(widget)).to.contain('If you have paid, your payment counts.');
  expect(thePart(widget, 'again').textContent?.trim()).to.equal('Try again');
  expect(proxy.starts.length).to.equal(1);
  thePart(widget, 'again').click();
  await heading(widget, 'Scan a QR code');
  expect(proxy.starts.length).to.equal(2);
});
