import { expect, test } from 'payment-widget/testing/playwright';
import { startShop } from '../shop.js';

test('a shopper pays by scanning the code', async ({ page, payments }) => {
  await using shop = await startShop(payments.env);
  await page.goto(`${shop.url}/A-1`);
  await page.getByRole('button', { name: 'Pay' }).click();
  const code = await payments.wallet.scan(page);
  await code.approve();
  await expect(page.getByText('Thank you for your order A-1.')).toBeVisible();
  const { data } = await payments.webhooks.next('payment.succeeded', { orderId: 'A-1' });
  expect(data.amount).toBe('10.10');
});
