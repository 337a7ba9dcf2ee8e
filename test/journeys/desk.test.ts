// The merchant's journeys: send money from the desk, and see customers' payments there.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { ADA, BRUNO, World } from './shopper.ts';

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
  await staff.page.getByRole('button', { name: 'Review payout' }).click();
  await staff.page.getByRole('button', { name: 'Send €25' }).click();
  const row = staff.page.getByRole('listitem').filter({ hasText: 'For the broken dripper' });
  await row.and(staff.page.locator('[data-status="SUCCESS"]')).waitFor();
  await phone.page.getByText('For the broken dripper').waitFor();
  assert.equal(await row.count(), 1);
});

test('the desk learns the result of a payout whose answer was lost, and it was sent once', async () => {
  const staff = await world.staff();
  await world.control('/faults', { payout: { dropAnswer: true }, times: 1 });
  await staff.page.getByRole('link', { name: 'Send a payout' }).click();
  await staff.page.getByLabel('Amount').fill('5');
  await staff.page.getByLabel('Wallet ID').fill(ADA);
  await staff.page.getByRole('button', { name: 'Review payout' }).click();
  await staff.page.getByRole('button', { name: 'Send €5' }).click();
  const row = staff.page.getByRole('listitem').filter({ hasText: '−€5.00' });
  await row.and(staff.page.locator('[data-status="SUCCESS"]')).waitFor();
  const orderId = (await row.locator('.id').textContent()) ?? '';
  assert.deepEqual(await world.atGateway(orderId), ['SUCCESS']);
});

test('the desk shows a payment live', async () => {
  const staff = await world.staff();
  const shopper = await world.shopper();
  const phone = await world.phone(ADA);
  await shopper.order('Stone Dripper');
  await shopper.pay('DIRECT', ADA);
  const row = staff.page.getByRole('listitem').filter({ hasText: shopper.orderId });
  await row.and(staff.page.locator('[data-status="PROCESSING"]')).waitFor();
  await phone.approve();
  await row.and(staff.page.locator('[data-status="SUCCESS"]')).waitFor();
  assert.match((await row.locator('.amount').textContent()) ?? '', /€76\.00/);
});

test('the desk sends a coffee’s money back in part and then the rest, to the wallet that paid', async () => {
  const staff = await world.staff();
  const shopper = await world.shopper();
  const phone = await world.phone(BRUNO);
  await shopper.order('Stone Dripper');
  await shopper.pay('DIRECT', BRUNO);
  await phone.approve();
  const payment = staff.page.getByRole('listitem').filter({ hasText: shopper.orderId }).first();
  const refund = async (amount: string, left: string) => {
    await staff.page.getByRole('link', { name: `Send back the money for ${shopper.orderId}` }).click();
    assert.equal(await staff.page.getByLabel('Amount').inputValue(), left);
    await staff.page.getByLabel('Amount').fill(amount);
    await staff.page.getByRole('button', { name: 'Review' }).click();
    await staff.page.getByRole('button', { name: `Send €${amount}` }).click();
    await staff.page
      .getByRole('listitem')
      .filter({ hasText: `−€${amount}.00` })
      .getByText('Sent back')
      .waitFor();
  };
  await payment.and(staff.page.locator('[data-status="SUCCESS"]')).waitFor();
  await refund('20', '76');
  await refund('56', '56');
  assert.deepEqual(await world.atGateway(`${shopper.orderId}-r1`), ['SUCCESS']);
  assert.deepEqual(await world.atGateway(`${shopper.orderId}-r2`), ['SUCCESS']);
  assert.equal(await payment.getByRole('link', { name: 'Send back' }).count(), 0);
});

test('the desk’s badges can be read on their own ground, light and dark', async () => {
  const staff = await world.staff();
  const shopper = await world.shopper();
  await world.control('/faults', { status: { tamper: { amount: 0.01 } } });
  await shopper.order();
  await shopper.pay('QR');
  await shopper.sees('waiting');
  await world.control(`/transactions/${shopper.orderId}/approve`, {});
  await staff.page.locator('.chip.warn', { hasText: 'Needs review' }).waitFor();
  await world.control('/faults', {});
  for (const colorScheme of ['light', 'dark'] as const) {
    await staff.page.emulateMedia({ colorScheme });
    const unreadable = await staff.page.locator('.chip').evaluateAll((chips) => {
      const luminance = (color: string) => {
        const [r = 0, g = 0, b = 0] = (color.match(/[\d.]+/g) ?? []).map((part) => (Number(part) / 255) ** 2.2);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
      };
      return chips.flatMap((chip) => {
        const { color, backgroundColor } = getComputedStyle(chip);
        const [dark = 1, light = 0] = [luminance(color), luminance(backgroundColor)].toSorted((a, b) => a - b);
        return light / dark < 4.5 ? [`${chip.textContent}: ${color} on ${backgroundColor}`] : [];
      });
    });
    assert.deepEqual(unreadable, [], colorScheme);
  }
});
