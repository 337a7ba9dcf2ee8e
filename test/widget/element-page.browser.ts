// What a page can do with the element: events, states, the form, properties, texts, slots, and console warnings.
import { expect, fixture, html, oneEvent } from '@open-wc/testing';
import { FakeProxy, proxyWith } from '../../widget/testing/fake-proxy.ts';
import {
  announced,
  endAnimations,
  field,
  heading,
  methodsOf,
  mount,
  part,
  radio,
  thePart,
  until,
  warningsDuring,
} from './mount.ts';

it('the element’s events reach any ancestor, also outside a shadow root', async () => {
  const received: string[] = [];
  const page = await fixture<HTMLElement>(html`<div></div>`);
  const root = page.attachShadow({ mode: 'open' });
  const inner = document.createElement('div');
  root.append(inner);
  for (const name of ['ready', 'select', 'submit', 'change', 'success', 'failed', 'redirect', 'error'] as const) {
    page.addEventListener(`payment-${name}`, () => received.push(name));
  }
  const proxy = new FakeProxy();
  const widget = await mount(proxy, { method: 'QR' }, inner);
  expect(widget.view?.orderId).to.equal('ABC-123');
  widget.pay();
  await heading(widget, 'Scan a QR code');
  proxy.settle({ status: 'FAILED', reason: 'DECLINED' });
  proxy.settle({ status: 'SUCCESS', late: true });
  await heading(widget, 'Payment received');
  expect(received).to.deep.equal(['ready', 'change', 'submit', 'change', 'change', 'failed', 'change', 'success']);
  expect(widget.view?.paid).to.equal(true);
});

it('the element stays at the choice and shows the page’s words if a promise of waitUntil() is rejected', async () => {
  const proxy = new FakeProxy();
  const widget = await mount(proxy, { method: 'QR' });
  widget.addEventListener('payment-submit', ({ detail }) =>
    detail.waitUntil(Promise.reject(new Error('Sold <b>out</b>.'))),
  );
  thePart(widget, 'pay').click();
  await until(() => announced(widget) === 'Sold <b>out</b>.', 'the announced message');
  expect(thePart(widget, 'error').textContent?.trim()).to.equal('Sold <b>out</b>.');
  expect(thePart(widget, 'pay').textContent?.trim()).to.equal('Pay €10.10');
  expect(proxy.starts.length).to.equal(0);
});

it('the element’s method is what the shopper has chosen, and no event of a field leaves the element', async () => {
  const widget = await mount();
  const left: string[] = [];
  for (const name of ['input', 'change']) widget.addEventListener(name, () => left.push(name));
  expect(widget.method).to.equal(null);
  radio(widget, 'QR').click();
  await until(() => widget.method === 'QR', 'the method');
  const input = field(widget, 'wallet');
  input.value = '1234';
  input.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
  expect(left).to.deep.equal([]);
});

it('the element’s :state() is choosing, waiting, failed or paid', async () => {
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

describe('a form around the element', () => {
  it('a form around the element is invalid while a required element is not paid, and then submits the order id', async () => {
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

  it('a disabled fieldset around the element makes it inert', async () => {
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
});

it('the element’s properties take methods as a list, and reflect the language to its attribute', async () => {
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

it('the element’s total leaves out the amount, and the room for it', async () => {
  const proxy = new FakeProxy({ description: undefined });
  const widget = await mount(proxy, { total: 'hidden', method: 'QR' });
  const room = () => widget.shadowRoot?.querySelector('section')?.offsetHeight;
  expect([part(widget, 'total'), room()]).to.deep.equal([null, 0]);
  expect(thePart(widget, 'pay').textContent?.trim()).to.equal('Pay €10.10');
  widget.pay();
  await heading(widget, 'Scan a QR code');
  expect(part(widget, 'total')).to.equal(null);
  widget.total = null;
  await widget.updateComplete;
  expect(thePart(widget, 'total').textContent).to.equal('€10.10');
  expect(room()).to.be.above(0);
});

it('the element’s properties replace texts by messages', async () => {
  const widget = await mount();
  widget.messages = { pay: 'Donate {amount}' };
  await widget.updateComplete;
  expect(thePart(widget, 'pay').textContent?.trim()).to.equal('Donate €10.10');
});

it('the element’s properties follow the nearest lang of the page, also when it changes or the element moves', async () => {
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

it('the element’s properties take the lang of a form, not its field of that name', async () => {
  const page = await fixture<HTMLElement>(html`<form lang="de"><input name="lang" value="fr" /></form>`);
  const widget = await mount(new FakeProxy(), { lang: '' }, page);
  expect(thePart(widget, 'sheet').lang).to.equal('de');
});

it('the element’s properties set the direction of the text by the language, the element’s own before the page’s', async () => {
  const page = await fixture<HTMLElement>(html`<div lang="ar-EG"><p lang="de"></p></div>`);
  const widget = await mount(new FakeProxy(), { lang: '' }, page);
  await heading(widget, 'كيف تريد الدفع؟');
  expect(getComputedStyle(thePart(widget, 'sheet')).direction).to.equal('rtl');
  widget.lang = 'fr-CA';
  await heading(widget, 'Comment souhaitez‑vous payer\u202f?');
  expect(thePart(widget, 'sheet').lang).to.equal('fr-CA');
});

it('console warnings name the order’s methods if the page asks only for others, and all of them are offered', async () => {
  const proxy = new FakeProxy({ methods: ['QR'] });
  let methods: string[] = [];
  const warnings = await warningsDuring(async () => {
    methods = methodsOf(await mount(proxy, { methods: 'PAYPAL CHECKOUT' }));
  });
  expect(methods).to.deep.equal(['QR']);
  expect(warnings).to.deep.equal(['<payment-widget> methods PAYPAL,CHECKOUT but the order has only QR']);
});

it('console warnings name the origin to allow, if no answer can be read', async () => {
  const proxy = new FakeProxy();
  proxy.isDown = true;
  const warnings = await warningsDuring(async () => {
    const widget = await mount(proxy);
    await oneEvent(widget, 'payment-error');
  });
  expect(warnings.join()).to.contain(`its ALLOWED_ORIGINS lacks ${location.origin}`);
});

it('console warnings explain an order attribute that is not a token, as payment-error does', async () => {
  const detail = 'The order attribute is not a valid order token.';
  const page = await fixture<HTMLElement>(html`<div></div>`);
  const warnings = await warningsDuring(async () => {
    const error = oneEvent(page, 'payment-error');
    page.innerHTML = '<payment-widget order="undefined" lang="en"></payment-widget>';
    expect((await error).detail).to.include({ code: 'invalid_token', detail });
  });
  expect(warnings).to.deep.equal([`<payment-widget> invalid_token ${detail}`]);
});

it('the element’s slots of a paid order are header, logo, success and footer', async () => {
  const widget = await mount(proxyWith('QR', { status: 'SUCCESS' }));
  const slots = [...(widget.shadowRoot?.querySelectorAll('slot') ?? [])].map(({ name }) => name);
  expect(slots).to.deep.equal(['header', 'logo', 'success', 'footer']);
});

it('the element’s slots replace a method’s icon by the page’s picture', async () => {
  const widget = await mount();
  const picture = document.createElement('img');
  picture.slot = 'icon-QR';
  picture.width = 26;
  widget.append(picture);
  const rows = [...(widget.shadowRoot?.querySelectorAll('.method') ?? [])];
  const withIcon = rows.filter((row) => row.querySelector('svg')?.checkVisibility()).length;
  expect([picture.checkVisibility(), rows.length - withIcon]).to.deep.equal([true, 1]);
  picture.remove();
  expect(rows.every((row) => row.querySelector('svg')?.checkVisibility())).to.equal(true);
});

it('the element’s slots keep the page’s own custom properties', async () => {
  const widget = await mount();
  const slotted = document.createElement('p');
  slotted.slot = 'footer';
  widget.parentElement?.style.setProperty('--accent', 'rebeccapurple');
  widget.append(slotted);
  expect(getComputedStyle(slotted).getPropertyValue('--accent')).to.equal('rebeccapurple');
});

const LEVELS = [0, 51, 102, 153, 204, 255];
const COLORS = LEVELS.flatMap((red) =>
  LEVELS.flatMap((green) => LEVELS.map((blue) => `rgb(${[red, green, blue].join(' ')})`)),
);

/** WCAG's relative luminance of what the browser draws in a color. */
function luminanceOf(color: string): number {
  const context = new OffscreenCanvas(1, 1).getContext('2d');
  if (!context) throw new Error('No canvas');
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = [...context.getImageData(0, 0, 1, 1).data].map((byte) =>
    byte <= 10 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrastOf(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

for (const scheme of ['light', 'dark'] as const) {
  it(`the text on any accent, and in any accent, is readable in ${scheme} colors if the page sets nothing else`, async () => {
    const widget = await mount(proxyWith('CHECKOUT'));
    await heading(widget, 'Continue on the wallet’s website');
    endAnimations(widget);
    widget.style.colorScheme = scheme;
    const styleOf = (name: string) => getComputedStyle(thePart(widget, name));
    const unreadable = COLORS.filter((color) => {
      widget.style.setProperty('--payment-color-accent', color);
      const { color: text, backgroundColor } = styleOf('checkout');
      const onSheet = contrastOf(styleOf('other').color, styleOf('sheet').backgroundColor);
      return Math.min(contrastOf(text, backgroundColor), onSheet) < 4.5;
    });
    expect(unreadable).to.deep.equal([]);
  });
}

it('the button under the pointer is a little darker if its text is white, and a little lighter if it is black', async () => {
  const widget = await mount(proxyWith('CHECKOUT'));
  await heading(widget, 'Continue on the wallet’s website');
  const rules = widget.shadowRoot?.adoptedStyleSheets.flatMap(({ cssRules }) => [...cssRules]) ?? [];
  const hover = rules
    .filter((rule) => rule instanceof CSSMediaRule)
    .flatMap(({ cssRules }) => [...cssRules])
    .find((rule): rule is CSSStyleRule => rule instanceof CSSStyleRule && rule.selectorText === '.primary:hover');
  const link = thePart(widget, 'checkout');
  const change = (accent: string) => {
    widget.style.setProperty('--payment-color-accent', accent);
    link.style.background = '';
    const before = luminanceOf(getComputedStyle(link).backgroundColor);
    link.style.background = hover?.style.getPropertyValue('background') ?? '';
    return luminanceOf(getComputedStyle(link).backgroundColor) / before;
  };
  expect(change('#2348d5')).to.be.within(0.6, 0.95);
  expect(change('#b0a000')).to.be.within(1.05, 1.4);
});
