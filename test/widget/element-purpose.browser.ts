// The button's words for each purpose of an order, and the page's terms above it.
import { expect } from '@open-wc/testing';
import { PURPOSES, type Purpose } from '../../backend-proxy/protocol/wire.ts';
import { FakeProxy, paymentOf } from '../../widget/testing/fake-proxy.ts';
import { field, heading, mount, part, thePart, type } from './mount.ts';

const wordsOf = (widget: Element) => thePart(widget, 'pay').textContent?.trim();

describe('the button', () => {
  const words: Record<Purpose, [english: string, german: string]> = {
    payment: ['Pay €10.10', '10,10 € bezahlen'],
    order: ['Order with obligation to pay', 'Zahlungspflichtig bestellen'],
    deposit: ['Deposit €10.10', '10,10 € einzahlen'],
    donation: ['Donate €10.10', '10,10 € spenden'],
  };
  for (const purpose of PURPOSES) {
    it(`the button of an order with the purpose ${purpose} says what the press does`, async () => {
      const [english, german] = words[purpose];
      expect(wordsOf(await mount(new FakeProxy({ purpose })))).to.equal(english);
      const widget = await mount(new FakeProxy({ purpose }), { lang: 'de' });
      await heading(widget, 'Wie möchten Sie bezahlen?');
      expect(wordsOf(widget)?.replaceAll('\u00a0', ' ')).to.equal(german);
    });
  }

  it('the button orders once: after the first payment it says to pay; a deposit is one at each try', async () => {
    for (const [purpose, said] of Object.entries({ order: 'Pay €10.10', deposit: 'Deposit €10.10' })) {
      const view = { payment: paymentOf('QR'), version: 2 };
      const widget = await mount(new FakeProxy({ purpose: purpose as Purpose }, view));
      widget.reset();
      await heading(widget, 'How would you like to pay?');
      expect(wordsOf(widget)).to.equal(said);
    }
  });

  it('the button says to pay for a purpose newer than the widget', async () => {
    expect(wordsOf(await mount(new FakeProxy({ purpose: 'tip' as 'order' })))).to.equal('Pay €10.10');
  });
});

describe('the terms', () => {
  /** A widget whose terms have a required check box, deep in their content. */
  async function mountWithTerms(proxy: FakeProxy, attributes: Record<string, string> = {}) {
    const widget = await mount(proxy, attributes);
    const terms = document.createElement('p');
    terms.slot = 'terms';
    const label = document.createElement('label');
    const box = document.createElement('input');
    box.type = 'checkbox';
    box.required = true;
    label.append(box, ' I accept the terms.');
    terms.append(label);
    widget.append(terms);
    const submits: Event[] = [];
    widget.addEventListener('payment-submit', (event) => submits.push(event));
    return { widget, terms, box, submits };
  }

  it('the terms stand directly above the button, and hold the press until their control is valid', async () => {
    const proxy = new FakeProxy();
    const { widget, terms, box, submits } = await mountWithTerms(proxy, { method: 'QR' });
    const above = terms.getBoundingClientRect().bottom - thePart(widget, 'pay').getBoundingClientRect().top;
    expect(above).to.be.within(-40, 0);
    thePart(widget, 'pay').click();
    widget.pay();
    await widget.updateComplete;
    expect([submits.length, proxy.starts.length]).to.deep.equal([0, 0]);
    expect(document.activeElement).to.equal(box);
    box.click();
    thePart(widget, 'pay').click();
    await heading(widget, 'Scan a QR code');
    expect([submits.length, proxy.starts.length]).to.deep.equal([1, 1]);
  });

  it('the terms come after the fields: a wrong field is said first', async () => {
    const { widget, box } = await mountWithTerms(new FakeProxy({ methods: ['DIRECT'] }));
    thePart(widget, 'pay').click();
    await widget.updateComplete;
    expect(field(widget, 'wallet').getAttribute('aria-invalid')).to.equal('true');
    type(widget, 'wallet', '12345678');
    thePart(widget, 'pay').click();
    await widget.updateComplete;
    expect(document.activeElement).to.equal(box);
  });

  it('the terms hold the press also for a control that nobody can see, and the widget says its message', async () => {
    const proxy = new FakeProxy();
    const { widget, terms, box } = await mountWithTerms(proxy, { method: 'QR' });
    terms.style.display = 'none';
    thePart(widget, 'pay').click();
    await widget.updateComplete;
    expect(thePart(widget, 'error').textContent?.trim()).to.equal(box.validationMessage);
    expect(proxy.starts.length).to.equal(0);
    terms.style.display = '';
    thePart(widget, 'pay').click();
    await widget.updateComplete;
    expect(part(widget, 'error')).to.equal(null);
    expect(document.activeElement).to.equal(box);
  });

  it('the terms do not hold another try, because the order is placed by then', async () => {
    const payment = paymentOf('QR', { status: 'FAILED', reason: 'EXPIRED' });
    const proxy = new FakeProxy({}, { payment, version: 2 });
    const { widget } = await mountWithTerms(proxy);
    thePart(widget, 'again').click();
    await heading(widget, 'Scan a QR code');
    expect(proxy.starts.length).to.equal(1);
  });
});
