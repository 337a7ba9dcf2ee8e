// One journey a method: at each step, each sentence on the screen is true of the order that the proxy and the gateway
// have. test/widget/sentences.browser.ts does the same for every state.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import type { OrderClaims, OrderView } from '../../backend-proxy/protocol/wire.ts';
import { sentencesIn } from '../widget/dictionary-sentences.ts';
import { falseClaimsOn } from '../widget/false-claims.ts';
import { readScreen } from '../widget/read-screen.ts';
import { ADA, BRUNO, PHONE_SIZE, World, type Method, type Phone, type Shopper } from './shopper.ts';

const world = await World.open();
afterEach(() => world.leave());
after(() => world.close());

/** Data on the screen besides the order's id: the shop, the product, and the time of payment. */
const DATA = String.raw`\u2068?Stillwater Coffee\u2069?|Coffee from Stillwater|[A-Z][a-z]{2} \d+, \d{4}, \d+:\d\d [AP]M`;

/** Asserts that the screen is true, and returns the keys of its sentences. */
async function sentencesOn({ widget, orderId }: Shopper): Promise<string[]> {
  const screen = await widget.evaluate(readScreen);
  const token = (await widget.getAttribute('order')) ?? '';
  const answer = await fetch(`${world.stack.proxy}/order`, { headers: { authorization: `Bearer ${token}` } });
  const view = (await answer.json()) as OrderView;
  const terms = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as OrderClaims;
  const facts = { view, terms, listening: 1 };
  assert.deepEqual(falseClaimsOn(screen, facts, new RegExp(`^(${orderId}|${DATA})$`)), []);
  assert.equal(view.paid, (await world.atGateway(orderId)).includes('SUCCESS'), 'the proxy says what the gateway has');
  return screen.texts.flatMap(sentencesIn).map(({ key }) => key);
}

interface Course {
  device?: typeof PHONE_SIZE;
  wallet?: string;
  /** A sentence that is only shown with what there is to pay with. */
  asks: string;
  pays(shopper: Shopper, phone: Phone): Promise<unknown>;
}

const approve = (_: Shopper, phone: Phone) => phone.approve();
async function approveScanned(shopper: Shopper, phone: Phone): Promise<void> {
  await phone.scan(await shopper.scannedCode());
  await phone.approve();
}

const COURSES: Record<Method, Course> = {
  DIRECT: { wallet: ADA, asks: 'direct_help', pays: approve },
  CHECKOUT: {
    asks: 'redirect_help',
    async pays(shopper) {
      await shopper.part('checkout').click();
      await shopper.logInAtCheckout(BRUNO);
      await shopper.page.getByRole('button', { name: 'Pay €29.00' }).click();
      await shopper.page.waitForURL(`${world.stack.shop}/**`);
    },
  },
  JETGO: {
    device: PHONE_SIZE,
    asks: 'app_help',
    async pays(shopper, phone) {
      await shopper.page.getByText('Pay with another device').tap();
      await shopper.part('code').waitFor();
      assert.ok((await sentencesOn(shopper)).includes('scanOther'));
      await approveScanned(shopper, phone);
    },
  },
  QR: { asks: 'scan_help', pays: approveScanned },
};

for (const [method, { device, wallet, asks, pays }] of Object.entries(COURSES) as [Method, Course][]) {
  test(`${method}: from the choice to the end each sentence on the screen is true`, async () => {
    const shopper = await world.shopper(device);
    const phone = await world.phone(ADA);
    await shopper.order();
    assert.ok((await sentencesOn(shopper)).includes('choose'));
    await shopper.pay(method, wallet);
    if (method === 'CHECKOUT') {
      await shopper.page.waitForURL(`${world.stack.sandbox}/pay?token=*`);
      await shopper.page.goBack();
    }
    await shopper.sees('waiting');
    await shopper.part(method === 'CHECKOUT' ? 'checkout' : 'other').waitFor();
    assert.ok((await sentencesOn(shopper)).includes(asks));
    await pays(shopper, phone);
    await shopper.sees('paid');
    assert.ok((await sentencesOn(shopper)).includes('paid'));
  });
}
