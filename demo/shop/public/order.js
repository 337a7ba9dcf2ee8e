// After the widget's `payment-success`, asks the shop's server until it confirms the payment, and shows its message.
// The event only starts the requests: the server decides whether the order is paid.
const EVERY_MS = 1000;
const TRIES = 120;

const { order } = document.querySelector('[data-order]').dataset;
const fulfillment = document.querySelector('[data-fulfilled]');
const balance = document.querySelector('[data-balance]');
let asking = false;

async function askShop() {
  if (asking) return;
  asking = true;
  for (let tries = 0; tries < TRIES && fulfillment.dataset.fulfilled === 'false'; tries++) {
    if (tries > 0) await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    const state = await fetch(`/orders/${order}/state`)
      .then((response) => (response.ok ? response.json() : undefined))
      .catch(() => undefined);
    if (state?.fulfilled) {
      fulfillment.textContent = state.text;
      fulfillment.dataset.fulfilled = 'true';
      document.title = `Paid · ${document.title}`;
      if (balance) balance.textContent = state.balance;
    }
  }
  asking = false;
}

document.addEventListener('payment-success', () => void askShop());
