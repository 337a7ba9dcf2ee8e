// The choice: methods, wallet id, and an amount that the shopper enters.
import { expect, fixture, html } from '@open-wc/testing';
import { ANSWERS, STATUSES, type OrderView } from '../../backend-proxy/protocol/wire.ts';
import type { PaymentWidget } from '../../widget/payment-widget.ts';
import { FakeProxy, paymentOf, problemOf, proxyWith } from '../../widget/testing/fake-proxy.ts';
import {
  announced,
  endAnimations,
  field,
  heading,
  methodsOf,
  mount,
  part,
  radio,
  textOf,
  texts,
  thePart,
  type,
  until,
} from './mount.ts';

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
  const input = radio(widget, 'DIRECT');
  expect(input.type).to.equal('radio');
  const help = widget.shadowRoot?.getElementById(input.getAttribute('aria-describedby') ?? '');
  expect(help?.textContent).to.equal('We send a request to your wallet.');
  const name = widget.shadowRoot?.getElementById(input.getAttribute('aria-labelledby') ?? '');
  expect(name?.textContent).to.equal('Enter your wallet ID');
});

/** Of the methods whose help is seen. */
const helped = (widget: PaymentWidget) =>
  [...(widget.shadowRoot?.querySelectorAll<HTMLElement>('[part=method] small') ?? [])]
    .filter((help) => help.checkVisibility())
    .map(({ id }) => id);

it('the choice shows the help of the chosen method only', async () => {
  const widget = await mount(new FakeProxy({ methodNames: { QR: 'Scan at the till' } }));
  await until(() => part(widget, 'pay'), 'the choice');
  expect(helped(widget)).to.deep.equal(['help-DIRECT', 'help-wallet']);
  radio(widget, 'QR').click();
  await until(() => helped(widget).includes('help-QR'), 'the help');
  expect(helped(widget).filter((id) => id !== 'help-wallet')).to.deep.equal(['help-QR']);
});

it('the choice shows the names that the token has for methods, with what the shopper does below', async () => {
  const widget = await mount(new FakeProxy({ methods: ['QR', 'CHECKOUT'], methodNames: { QR: 'Scan at the till' } }));
  expect(texts(widget, '[part=method] label > span')).to.deep.equal([
    'Scan at the tillScan a QR code',
    'Log in on the wallet’s websiteYou will have 15 minutes to log in and confirm.',
  ]);
});

it('a wallet id is shown in groups of four once it is typed; a text that is none stays', async () => {
  const proxy = new FakeProxy({ methods: ['DIRECT'] });
  const widget = await mount(proxy);
  for (const [typed, shown] of [
    ['Wallet 123456789', '1234\u00a05678\u00a09'],
    ['me@mail', 'me@mail'],
    ['12345678', '1234\u00a05678'],
  ] as const) {
    type(widget, 'wallet', typed);
    field(widget, 'wallet').dispatchEvent(new Event('change', { bubbles: true }));
    await widget.updateComplete;
    expect(field(widget, 'wallet').value).to.equal(shown);
  }
  thePart(widget, 'pay').click();
  await until(() => proxy.starts.length, 'a start');
  expect(proxy.starts[0]?.body).to.deep.include({ method: 'DIRECT', customer: '12345678' });
});

it('the texts name the wallet, by the token or else by the attribute, in each language', async () => {
  const proxy = new FakeProxy({ methods: ['DIRECT', 'QR'] });
  const widget = await mount(proxy, { 'wallet-name': 'Vipps' });
  const receipt = await mount(proxyWith('DIRECT', { status: 'SUCCESS' }), { 'wallet-name': 'Vipps' });
  expect(thePart(receipt, 'details').textContent).to.contain('Vipps');
  expect(textOf(widget)).to.contain('Open Vipps, scan').and.to.contain('We send a request to Vipps');
  widget.order = new FakeProxy({ walletName: 'Jeton' }).token;
  widget.lang = 'pl';
  await until(() => textOf(widget).includes('w aplikacji Jeton'), 'the name of the token, in Polish');
  expect(textOf(widget)).not.to.contain('aplikacji portfela');
});

it('each panel says who is paid, and for how much', async () => {
  const logo = 'data:image/svg+xml,<svg%20xmlns="http://www.w3.org/2000/svg"/>';
  const proxy = new FakeProxy({ merchant: 'Stillwater', logo, customer: '12345678' });
  const widget = await mount(proxy);
  expect(thePart(widget, 'merchant').textContent).to.equal('Stillwater');
  expect((thePart(widget, 'logo') as HTMLImageElement).src).to.equal(logo);
  thePart(widget, 'pay').click();
  await until(() => textOf(widget).includes('approve €10.10 to \u2068Stillwater\u2069'), 'who is paid');
  proxy.settle({ status: 'SUCCESS' });
  await until(() => part(widget, 'details'), 'the receipt');
  expect(thePart(widget, 'merchant').textContent).to.equal('Stillwater');
});

it('the choice offers the methods that the page asks for, in its order, and checks its first choice', async () => {
  const widget = await mount(new FakeProxy(), { methods: 'QR, CHECKOUT', method: 'CHECKOUT' });
  expect(methodsOf(widget)).to.deep.equal(['QR', 'CHECKOUT']);
  expect(radio(widget, 'CHECKOUT').checked).to.equal(true);
  widget.methods = null;
  await widget.updateComplete;
  expect(methodsOf(widget)).to.have.length(4);
});

it('the choice pays by a method newer than the widget, and each panel until its result is drawn', async () => {
  const method = 'NEW' as 'QR';
  const proxy = new FakeProxy({}, { version: 2, methods: [method] });
  proxy.onStart = () => ({ status: 'INITIALIZED', answer: 'AWAITED', qr: null });
  const widget = await mount(proxy);
  thePart(widget, 'pay').click();
  await heading(widget, 'Starting the payment…');
  proxy.settle({ answer: 'LOST' });
  await heading(widget, 'We are checking your payment');
  proxy.settle({ status: 'FAILED', reason: 'EXPIRED' });
  await heading(widget, 'Time is up');
  expect(thePart(widget, 'again').textContent?.trim()).to.equal('Try again');
});

it('the choice and each panel are drawn whatever names a view has', async () => {
  const NAMES = ['__proto__', 'constructor', 'toString', 'choose', ''] as string[] as never[];
  const proxy = new FakeProxy({ amount: undefined, supportUrl: 'https://shop.example/help' });
  const widget = await mount(proxy);
  const draws = async (view: Partial<OrderView>, shown: RegExp) => {
    proxy.publish({ methods: ['QR', 'DIRECT'], amount: null, currency: 'EUR', payment: null, ...view });
    const { version } = proxy.view;
    await until(() => widget.view?.version === version, 'the view');
    // Rejects if drawing failed.
    await widget.updateComplete;
    expect(textOf(widget), JSON.stringify(view)).to.match(shown);
  };
  for (const name of NAMES) {
    widget.reset();
    await draws({ methods: [name] }, /Pay/);
    await draws({ currency: name }, /How would you like to pay/);
    await draws({ currency: name, payment: paymentOf('QR'), amount: '10.10' }, /10.10/);
    widget.reset();
    widget.pay();
    await heading(widget, 'Scan a QR code');
    await draws({ payment: paymentOf('QR', { status: name }) }, /We are checking/);
    await draws({ payment: paymentOf('QR', { status: 'FAILED', reason: name }) }, /was not completed/);
    for (const status of STATUSES)
      for (const answer of ANSWERS)
        await draws({ payment: paymentOf(name, { status, answer, asked: name, qr: null }) }, /./);
    await draws({ payment: paymentOf(name, { status: 'INITIALIZED', answer: 'LOST', qr: null }) }, /We are checking/);
  }
});

it('the choice asks for the wallet id only for DIRECT, and not if the token has it', async () => {
  const widget = await mount();
  const isShown = () => thePart(widget, 'wallet').checkVisibility({ visibilityProperty: true });
  expect(isShown()).to.equal(true);
  radio(widget, 'QR').click();
  endAnimations(widget);
  expect(isShown()).to.equal(false);
  expect(thePart(widget, 'wallet').closest('.fold')?.clientHeight).to.equal(0);
  radio(widget, 'DIRECT').click();
  endAnimations(widget);
  expect(isShown()).to.equal(true);
  expect(part(await mount(new FakeProxy({ customer: '12345678' })), 'wallet')).to.equal(null);
});

it('the choice describes a wrong field by its error and focuses it, and says the error once', async () => {
  const widget = await mount();
  thePart(widget, 'pay').focus();
  thePart(widget, 'pay').click();
  await widget.updateComplete;
  const input = field(widget, 'wallet');
  expect(input.getAttribute('aria-invalid')).to.equal('true');
  const help = widget.shadowRoot?.getElementById(input.getAttribute('aria-describedby') ?? '');
  expect(help?.textContent?.trim()).to.equal('Enter your wallet ID. It is shown in your wallet app.');
  expect(widget.shadowRoot?.activeElement).to.equal(input);
  // A screen reader reads the field that takes the focus, with its description.
  expect(announced(widget)).to.equal('');
  type(widget, 'wallet', '1');
  widget.pay();
  await until(() => announced(widget), 'the error of the field that has the focus already');
  expect(announced(widget)).to.equal('Enter the 4 to 20 digits shown in your wallet app.');
  type(widget, 'wallet', '12');
  await widget.updateComplete;
  expect(input.getAttribute('aria-invalid')).to.equal('false');
});

it('the choice keeps its place when the styles of the second bundle arrive', async () => {
  for (const claims of [{}, { methods: ['DIRECT' as const] }]) {
    const widget = await mount(new FakeProxy(claims));
    // The panel still moves in, and in WebKit it may move on between two measurements.
    endAnimations(widget);
    const top = () => thePart(widget, 'pay').getBoundingClientRect().top - widget.getBoundingClientRect().top;
    const after = top();
    widget.shadowRoot?.adoptedStyleSheets.pop();
    expect(top()).to.equal(after);
  }
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

it('a choice of one method names it and pays by it, without a radio input', async () => {
  const proxy = new FakeProxy({ methods: ['QR'] });
  const widget = await mount(proxy);
  expect(thePart(widget, 'heading').textContent).to.equal('Scan a QR code');
  expect(widget.shadowRoot?.querySelector('[type=radio], fieldset')).to.equal(null);
  thePart(widget, 'pay').click();
  await until(() => proxy.starts.length, 'a start');
  expect(proxy.starts[0]?.body).to.include({ method: 'QR' });
});

const refusal = () => problemOf('method_unavailable');

it('a method that is not available cannot be chosen again, and the next one is chosen', async () => {
  const proxy = new FakeProxy({ methods: ['QR', 'JETGO', 'CHECKOUT'] });
  proxy.nextStarts.push(refusal());
  const widget = await mount(proxy, { method: 'QR' });
  thePart(widget, 'pay').click();
  await until(() => part(widget, 'error'), 'the refusal');
  expect([radio(widget, 'QR').disabled, radio(widget, 'JETGO').checked]).to.deep.equal([true, true]);
  expect(texts(widget, '#help-QR')).to.deep.equal(['Not available right now']);
  expect(thePart(widget, 'error').innerText).to.equal('Not available right now\nNo money was taken.');
  expect(helped(widget)).to.contain('help-QR');
  thePart(widget, 'pay').click();
  await until(() => proxy.starts.length === 2, 'the next start');
  expect(proxy.starts[1]?.body).to.include({ method: 'JETGO' });
  await until(() => part(widget, 'other'), 'the code');
  thePart(widget, 'other').click();
  await until(() => part(widget, 'pay'), 'the choice');
  expect([radio(widget, 'QR').disabled, radio(widget, 'JETGO').checked]).to.deep.equal([false, false]);
});

it('a method that is not available passes the focus on to the method that is chosen in its place', async () => {
  const proxy = new FakeProxy({ methods: ['QR', 'JETGO'] });
  proxy.nextStarts.push(refusal());
  const widget = await mount(proxy);
  radio(widget, 'QR').focus();
  // As Enter does.
  thePart(widget, 'pay').click();
  await until(() => part(widget, 'error'), 'the refusal');
  await until(() => widget.shadowRoot?.activeElement === radio(widget, 'JETGO'), 'the focus on JETGO');
});

it('a refused method passes the focus of its field on, too', async () => {
  const proxy = new FakeProxy();
  proxy.nextStarts.push(refusal());
  const widget = await mount(proxy);
  type(widget, 'wallet', '12345678');
  field(widget, 'wallet').focus();
  thePart(widget, 'pay').click();
  await until(() => part(widget, 'error'), 'the refusal');
  await until(() => widget.shadowRoot?.activeElement === radio(widget, 'CHECKOUT'), 'the focus on CHECKOUT');
});

it('the time for the wallet’s website is said before the shopper leaves, and is that of the order', async () => {
  const widget = await mount(new FakeProxy());
  const help = (of: PaymentWidget) => of.shadowRoot?.getElementById('help-CHECKOUT')?.textContent;
  expect(help(widget)).to.equal('You will have 15 minutes to log in and confirm.');
  expect(helped(widget)).not.to.contain('help-CHECKOUT');
  radio(widget, 'CHECKOUT').click();
  await until(() => helped(widget).includes('help-CHECKOUT'), 'the help');
  const short = await mount(new FakeProxy({ payWithin: 300 }));
  expect(help(short)).to.contain('You will have 5 minutes');
});

it('an open amount is asked for within its bounds, shown on the button and sent as a decimal string', async () => {
  const proxy = new FakeProxy({ amount: undefined, minAmount: '5', maxAmount: '500', methods: ['QR'] });
  const widget = await mount(proxy, { lang: 'de' });
  expect(thePart(widget, 'pay').textContent?.trim()).to.equal('Bezahlen');
  expect(thePart(widget, 'help').textContent).to.equal('Zwischen 5\u00a0€ und 500\u00a0€');
  thePart(widget, 'pay').click();
  await widget.updateComplete;
  expect(thePart(widget, 'error').textContent).to.equal(
    'Geben Sie einen Betrag ein. Zwischen 5\u00a0€ und 500\u00a0€.',
  );
  type(widget, 'amount', '4,99');
  await widget.updateComplete;
  expect(thePart(widget, 'pay').textContent?.trim()).to.equal('Bezahlen');
  thePart(widget, 'pay').click();
  await widget.updateComplete;
  expect(thePart(widget, 'error').textContent).to.contain('5\u00a0€');
  expect(thePart(widget, 'pay').textContent?.trim()).to.equal('Bezahlen');
  type(widget, 'amount', '?');
  thePart(widget, 'pay').click();
  await widget.updateComplete;
  expect(thePart(widget, 'error').textContent).to.contain('5,00');
  type(widget, 'amount', '12,5');
  await widget.updateComplete;
  expect(thePart(widget, 'pay').textContent).to.contain('12,50');
  thePart(widget, 'pay').click();
  await until(() => part(widget, 'code'), 'the code');
  expect(proxy.starts[0]?.body).to.deep.equal({ method: 'QR', amount: '12.5', language: 'de' });
  expect(thePart(widget, 'total').textContent).to.contain('12,5');
});

it('a typed wallet ID keeps the order of its groups from right to left', async () => {
  const page = await fixture<HTMLElement>(html`<div dir="rtl"></div>`);
  const widget = await mount(new FakeProxy(), { lang: 'ar' }, page);
  expect(getComputedStyle(field(widget, 'wallet')).direction).to.equal('ltr');
});

it('a wrong amount is said once its field is left, an empty one only at the press, a right one written in full', async () => {
  const proxy = new FakeProxy({ amount: undefined, maxAmount: '5000', methods: ['QR'] });
  const widget = await mount(proxy);
  const leave = async (amount: string) => {
    type(widget, 'amount', amount);
    await widget.updateComplete;
    field(widget, 'amount').dispatchEvent(new Event('change', { bubbles: true }));
    await widget.updateComplete;
    return part(widget, 'error')?.textContent;
  };
  expect([await leave('5001'), await leave(''), await leave('50')]).to.deep.equal(['Enter €5,000 or less.', undefined, undefined]); // prettier-ignore
  for (const [typed, written] of Object.entries({ '12.5': '12.50', '1,000': '1000.00', '7': '7.00' })) {
    await leave(typed);
    expect(field(widget, 'amount').value).to.equal(written);
  }
  expect(proxy.starts).to.deep.equal([]);
});

it('a suggested amount fills the field as the language writes it, and is marked as chosen', async () => {
  const suggestedAmounts = ['10', '12.50'];
  const proxy = new FakeProxy({ amount: undefined, maxAmount: '500', methods: ['QR'], suggestedAmounts });
  const widget = await mount(proxy, { lang: 'de' });
  const [, second] = widget.shadowRoot?.querySelectorAll<HTMLElement>('[part=suggestion]') ?? [];
  second?.click();
  await widget.updateComplete;
  expect(field(widget, 'amount').value).to.equal('12,50');
  expect(second?.getAttribute('aria-pressed')).to.equal('true');
  thePart(widget, 'pay').click();
  await until(() => part(widget, 'code'), 'the code');
  expect(proxy.starts[0]?.body).to.deep.equal({ method: 'QR', amount: '12.50', language: 'de' });
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

it('the way back to an open payment is a button at the choice, beside a warning not to pay twice', async () => {
  const widget = await mount(proxyWith('QR'));
  thePart(widget, 'other').click();
  await until(() => part(widget, 'pay'), 'the choice');
  expect(textOf(widget)).to.contain('Confirm only one payment, or you will pay twice.');
  const chosen = () => [radio(widget, 'QR').checked, radio(widget, 'DIRECT').checked];
  expect(chosen()).to.deep.equal([false, true], 'another way than the last');
  thePart(widget, 'back').click();
  await until(() => part(widget, 'code'), 'the code');
});

it('the empty field of the wallet id shows an example, which names nothing and is not sent', async () => {
  const proxy = new FakeProxy({ methods: ['DIRECT'] });
  const widget = await mount(proxy);
  const input = thePart(widget, 'wallet') as HTMLInputElement;
  // An ordinary space would exchange both halves in a text from right to left.
  expect([input.placeholder, input.value]).to.deep.equal(['1234\u00a05678', '']);
  expect(input.labels?.[0]?.textContent).to.equal('Wallet ID');
  thePart(widget, 'pay').click();
  await until(() => part(widget, 'error'), 'the error of the empty field');
  expect(proxy.starts.length).to.equal(0);
});
