// The shop under test: a page that takes a payment. `env` has what `payments.env` and `payment-sandbox exec` set.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { signOrder } from 'payment-proxy/client';

const THANKS = readFileSync(new URL('thanks.js', import.meta.url));

export async function startShop(env) {
  const server = createServer(({ url = '' }, response) => {
    if (url === '/thanks.js') response.setHeader('content-type', 'text/javascript').end(THANKS);
    else void checkout(url.slice(1)).then((page) => response.setHeader('content-type', 'text/html').end(page));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = `http://127.0.0.1:${server.address().port}`;
  return { url: address, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };

  async function checkout(orderId) {
    const order = { orderId, amount: '10.10', currency: 'EUR', returnUrl: address };
    const token = await signOrder(order, env.ORDER_SECRET);
    return `<!doctype html>
      <html lang="en">
        <script type="module" src="${env.PAYMENT_PROXY_URL}/widget.js"></script>
        <payment-widget order="${token}" methods="QR"></payment-widget>
        <p></p>
        <script type="module">
          import { thankWhenPaid } from './thanks.js';
          thankWhenPaid(document.querySelector('payment-widget'), document.querySelector('p'));
        </script>
      </html>`;
  }
}
