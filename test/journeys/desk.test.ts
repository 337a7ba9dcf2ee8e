// The merchant's journeys: send money from the desk, and see customers' payments there.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { BRUNO, World } from './shopper.ts';

const world = await World.open();
afterEach(() => world.leave());
after(() => world.close());

test('a payout goes from the desk to the customer’s phone, and the desk follows its status', async () => {
  const staff = await world.staff();
  const phone = await world.phone(BRUNO);
  await staff.page.getByRole('link', { name: 'Send a payout' }).click();
  await staff.page.getByLabel('Amount').fill('25');
  await staff.page.getByLabel('Wallet ID').fill(BRUNO);
  await staff.page.getByLabel('Note').fill('For the broken dripper');
  await staff.page.getByRole('button', { name: 'Continue' }).click();
  await staff.page.getByRole('button', { name: 'Send €25' }).click();
  const row = staff.page.getByRole('listitem').filter({ hasText: 'For the broken dripper' });
  await row.and(staff.page.locator('[data-status="SUCCESS"]')).waitFor();
  await phone.page.getByText('For the broken dripper').waitFor();
  assert.equal(await row.count(), 1);
});

/** Bruno's phone is asked to pay for a dripper. */
async function asked() {
  const staff = await world.staff();
  const shopper = await world.shopper();
  const phone = await world.phone(BRUNO);
  await shopper.order('Stone Dripper');
  await shopper.pay('DIRECT', BRUNO);
  return { staff, shopper, phone };
}

test('the desk’s search leaves the rows with all its words, says how many, and what to type if there is none', async () => {
  const { staff, shopper, phone } = await asked();
  const found = staff.page.getByRole('searchbox', { name: 'Find a payment or payout' });
  const said = staff.page.locator('output');
  const rows = staff.page.getByRole('listitem');
  await rows.filter({ hasText: shopper.orderId }).waitFor();
  await found.fill(`€76 ${shopper.orderId.toLowerCase()}`);
  await said.and(staff.page.getByText('1 found', { exact: true })).waitFor();
  assert.equal(await rows.count(), 1);
  await phone.approve();
  await rows.and(staff.page.locator('[data-status="SUCCESS"]')).waitFor();
  assert.equal(await rows.count(), 1, 'also after the list has changed');
  await found.fill(`today ${new Date().getFullYear()} ${shopper.orderId}`);
  await said.and(staff.page.getByText('1 found', { exact: true })).waitFor();
  await found.fill(`waiting ${shopper.orderId}`);
  await said.and(staff.page.getByText(/^Nothing found/)).waitFor();
  await found.fill('nobody');
  await said
    .and(staff.page.getByText(/^Nothing found\. Type an order, an amount, a day, or a wallet’s last digits\.$/))
    .waitFor();
  assert.deepEqual([await rows.count(), await staff.page.getByRole('region').count()], [0, 0]);
  await found.fill('');
  await rows.filter({ hasText: shopper.orderId }).waitFor();
  assert.equal(await said.textContent(), '');
});

test('the desk sends a coffee’s money back in part and then the rest, and the customer’s open page follows', async () => {
  const { staff, shopper, phone } = await asked();
  const payment = staff.page.getByRole('listitem').filter({ hasText: shopper.orderId }).last();
  await payment.getByRole('link', { name: `Close order ${shopper.orderId}` }).waitFor();
  await phone.approve();
  const refund = async (amount: string, left: string) => {
    await staff.page.getByRole('link', { name: `Send back ${shopper.orderId}` }).click();
    assert.equal(await staff.page.getByLabel('Amount').inputValue(), left);
    await staff.page.getByLabel('Amount').fill(amount);
    await staff.page.getByRole('button', { name: 'Continue' }).click();
    await staff.page.getByRole('button', { name: `Send €${amount}` }).click();
    await staff.page
      .getByRole('listitem')
      .filter({ hasText: `−€${amount}.00` })
      .getByText('✓ Sent back')
      .waitFor();
    const done = staff.page.getByRole('status').filter({ hasText: '✓' });
    assert.equal(
      (await done.innerText()).trimEnd(),
      `✓ €${amount}.00 of ${shopper.orderId} to ••••\u00A0${BRUNO.slice(-4)}: sent back.`,
    );
  };
  await payment.and(staff.page.locator('[data-status="SUCCESS"]')).waitFor();
  await refund('20', '76');
  await shopper.page.getByText('Wednesday. We have sent back €20.00.').waitFor();
  await shopper.widget.getByText('€20.00').first().waitFor();
  await refund('56', '56');
  await shopper.page.getByRole('heading', { name: 'Order refunded' }).waitFor();
  await shopper.page.getByRole('link', { name: 'Back to the coffee' }).waitFor();
  assert.deepEqual(await world.atGateway(`${shopper.orderId}-r1`), ['SUCCESS']);
  assert.deepEqual(await world.atGateway(`${shopper.orderId}-r2`), ['SUCCESS']);
  await payment.getByText('€76.00 sent back').waitFor();
  assert.equal(await payment.getByRole('link', { name: 'Send back' }).count(), 0);
});
