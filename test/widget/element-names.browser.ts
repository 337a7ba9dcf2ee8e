// What assistive technology knows about the parts of the widget: names, languages and purposes.
import { expect, fixture, html } from '@open-wc/testing';
import { FakeProxy } from '../../widget/testing/fake-proxy.ts';
import { announced, endAnimations, field, mount, radio, thePart, type, until } from './mount.ts';

it('the sheet is a group named by the description and the amount, or by the order id while the amount is open', async () => {
  const described = await mount(new FakeProxy({ description: 'Two tickets' }));
  expect(thePart(described, 'sheet').role).to.equal('group');
  expect(thePart(described, 'sheet').ariaLabel).to.equal('Two tickets €10.10');
  const named = await mount(new FakeProxy({ merchant: 'Stillwater', description: 'Two tickets' }));
  expect(thePart(named, 'sheet').ariaLabel).to.equal('Stillwater Two tickets €10.10');
  const open = await mount(new FakeProxy({ amount: undefined, methods: ['QR'] }));
  expect(thePart(open, 'sheet').ariaLabel?.trim()).to.equal('ABC-123');
});

it('the order’s description has the language of the page, and the rest that of the widget', async () => {
  const page = await fixture<HTMLElement>(html`<div lang="de"></div>`);
  const widget = await mount(new FakeProxy({ description: 'Zwei Karten' }), { lang: '' }, page);
  expect(thePart(widget, 'sheet').lang).to.equal('de');
  widget.lang = 'en';
  await until(() => thePart(widget, 'sheet').lang === 'en', 'English');
  widget.requestUpdate();
  await widget.updateComplete;
  expect(thePart(widget, 'description').closest<HTMLElement>('[lang]')?.lang).to.equal('de');
});

it('the field of an open amount names its purpose and its currency', async () => {
  const widget = await mount(new FakeProxy({ amount: undefined, methods: ['QR'] }));
  const amount = field(widget, 'amount');
  expect(amount.getAttribute('autocomplete')).to.equal('transaction-amount');
  expect([...(amount.labels ?? [])].map((label) => label.textContent)).to.deep.equal(['Amount', '€']);
});

it('the field of a method that is not chosen cannot take the focus', async () => {
  const widget = await mount();
  radio(widget, 'QR').click();
  await widget.updateComplete;
  endAnimations(widget);
  field(widget, 'wallet').focus();
  expect(widget.shadowRoot?.activeElement).not.to.equal(field(widget, 'wallet'));
});

it('a second try with the same wrong field moves the focus to it again, or says its error again', async () => {
  const widget = await mount();
  type(widget, 'wallet', '1');
  const pay = async () => {
    thePart(widget, 'pay').click();
    await widget.updateComplete;
  };
  thePart(widget, 'pay').focus();
  await pay();
  expect(widget.shadowRoot?.activeElement).to.equal(field(widget, 'wallet'));
  expect(announced(widget)).to.equal('');
  await pay();
  expect(announced(widget)).to.equal('Enter the 4 to 20 digits shown in your wallet app.');
  thePart(widget, 'pay').focus();
  await pay();
  expect(widget.shadowRoot?.activeElement).to.equal(field(widget, 'wallet'));
});
