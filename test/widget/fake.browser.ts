// `payment-widget/testing/fake`: each state of the fake proxy as the element shows it, and the stand-in element beside
// the element.
import { expect } from '@open-wc/testing';
import { STATES, FakeProxy, stubElement, type StateName, type StubElement } from '../../widget/testing/fake.ts';
import { PaymentWidget } from '../../widget/payment-widget.ts';
import { heading, mount, until } from './mount.ts';

const HEADINGS: Record<StateName, string> = {
  choosing: 'How would you like to pay?',
  starting: 'Starting the payment…',
  unanswered: 'The payment was not started',
  requested: 'Confirm in your wallet app',
  redirecting: 'Continue on the wallet’s website',
  code: 'Scan a QR code',
  timeUp: 'Time is up',
  checking: 'We are checking your payment',
  paid: 'Payment received',
  paidTwice: 'This order was paid more than once',
  refunded: '€10.10 was sent back',
  declined: 'The payment was not completed',
  canceled: 'The payment was canceled',
  lowBalance: 'There was not enough money in the wallet',
  rejected: 'The payment was not accepted',
  expired: 'Time is up',
  notCreated: 'The payment was not started',
  resolved: 'The shop could not confirm this payment',
  closed: 'The shop has closed this order',
};
const EVENTS = ['payment-ready', 'payment-change', 'payment-success', 'payment-failed'];
stubElement('payment-stub');
const newStub = () => document.createElement('payment-stub') as StubElement;

function heardFrom(element: EventTarget): string[] {
  const heard: string[] = [];
  for (const name of EVENTS) element.addEventListener(name, () => heard.push(name));
  return heard;
}

for (const state of Object.keys(STATES) as StateName[]) {
  it(`the element shows the state "${state}", and the stand-in has the same view, value and events`, async () => {
    const proxy = new FakeProxy();
    const widget = await mount(proxy);
    const stub = newStub();
    stub.become('choosing');
    const [heard, heardFromStub] = [heardFrom(widget), heardFrom(stub)];
    proxy.become(state);
    stub.become(state);
    await until(() => widget.view?.version === proxy.view.version, 'the state');
    await heading(widget, HEADINGS[state]);
    expect(heardFromStub).to.deep.equal(heard);
    const shape = (view: object | null) =>
      JSON.stringify({ ...view, version: 0, serverTime: '' }).replaceAll(/"20[^"]+Z"/g, '"TIME"');
    expect(shape(stub.view)).to.equal(shape(widget.view));
    expect(stub.value).to.equal(widget.value);
  });
}

it('the stand-in has the attributes, properties and methods of the element, with their values', async () => {
  const stub = newStub() as StubElement & Record<string, unknown>;
  const widget = document.createElement('payment-widget') as PaymentWidget & Record<string, unknown>;
  for (const name of PaymentWidget.elementProperties.keys()) {
    expect(stub[String(name)], String(name)).to.equal(widget[String(name)]);
  }
  for (const name of PaymentWidget.observedAttributes) {
    for (const element of [stub, widget]) element.setAttribute(name, 'QR');
  }
  for (const name of PaymentWidget.elementProperties.keys()) {
    expect(stub[String(name)], String(name)).to.equal(widget[String(name)]);
  }
  for (const name of ['pay', 'reset', 'focus']) expect(stub[name], name).to.be.a('function');
  expect(stub.validity.valueMissing).to.equal(true);
  stub.become('paid', { orderId: 'A-1' });
  expect([stub.validity.valid, stub.value]).to.deep.equal([true, 'A-1']);
});

it('a state that does not exist is refused, and stubElement() returns nothing that a test runner would call', () => {
  expect(() => newStub().become('payed' as StateName)).to.throw(/no state 'payed': choosing, .*paid/);
  expect(stubElement('payment-stub')).to.equal(undefined);
});

it('the stand-in reads the order’s token, and starts a payment once the page is ready', async () => {
  const stub = newStub();
  stub.setAttribute('order', new FakeProxy({ orderId: 'Ä-7', amount: '3.00' }).token);
  stub.become('choosing');
  expect([stub.view?.orderId, stub.view?.amount]).to.deep.equal(['Ä-7', '3.00']);
  const refuse = (event: Event) => event.preventDefault();
  stub.addEventListener('payment-submit', refuse);
  await stub.pay();
  expect(stub.view?.payment).to.equal(null);
  stub.removeEventListener('payment-submit', refuse);
  await stub.pay();
  expect(stub.view?.payment?.answer).to.equal('AWAITED');
});

it('an installed fake answers below its address alone, until it is taken away', async () => {
  const release = new FakeProxy().install('https://fake.invalid/');
  const order = await fetch('https://fake.invalid/order');
  expect(((await order.json()) as { orderId: string }).orderId).to.equal('ABC-123');
  expect((await fetch(location.href)).headers.get('content-type')).to.contain('text/html');
  release();
  const after = await fetch('https://fake.invalid/order').catch((error: Error) => error.name);
  expect(after).to.equal('TypeError');
});
