// `payment-widget/testing/playwright`: a test world for each worker, reset before each test. A failed test has the
// world's journal attached.
import { test as base } from '@playwright/test';
import { startPayments, type Payments, type PaymentsOptions } from './testing.ts';

export { expect } from '@playwright/test';

export const test = base.extend<
  { payments: Payments },
  { paymentsOptions: PaymentsOptions; paymentsOfWorker: Payments }
>({
  /** For `test.use`, once for each file. */
  paymentsOptions: [{}, { scope: 'worker', option: true }],
  paymentsOfWorker: [
    async ({ paymentsOptions }, use) => {
      const payments = await startPayments(paymentsOptions);
      await use(payments);
      await payments.close();
    },
    { scope: 'worker' },
  ],
  payments: async ({ paymentsOfWorker: payments, context }, use, testInfo) => {
    await payments.reset();
    // A page that a test itself answers (`page.route`) may otherwise not load the widget from loopback.
    await context.grantPermissions(['local-network-access']).catch(() => undefined);
    await use(payments);
    if (testInfo.status === testInfo.expectedStatus) return;
    const refused = payments.journal.filter(({ status }) => status !== null && status >= 400);
    const lines = refused.map(({ to, status, method, path, answer }) => `${to}: ${status} ${method} ${path} ${answer}`);
    // The list reporter prints the beginning of a text.
    const body = lines.toReversed().join('\n');
    if (body) await testInfo.attach('refused requests, newest first', { body, contentType: 'text/plain' });
    const journal = JSON.stringify(payments.journal, null, 2);
    await testInfo.attach('payments-journal.json', { body: journal, contentType: 'application/json' });
  },
});
