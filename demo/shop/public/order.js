// When the widget shows another state of the order, asks the shop's server until it says so too, and shows its message.
// One answer is not enough: it may be older than the event. The event only starts the requests: the server decides what
// the order is. Of a paid order the widget sends no more events, so a refund is found by asking from time to time.
const EVERY_MS = 1000;
const TRIES = 120;
const REFUND_EVERY_MS = 5000;

const { order } = document.querySelector('[data-order]').dataset;
const message = document.querySelector('[data-state]');
const balance = document.querySelector('[data-balance]');
// Only a top-up shows the card's balance; its button says what the heading says.
if (balance) document.querySelector('payment-widget').messages = { pay_deposit: '[Top up|Top up {amount}]' };
let wanted = message.dataset.state;
let asking = false;

const ask = () =>
  fetch(`/orders/${order}/state`)
    .then((response) => (response.ok ? response.json() : undefined))
    .catch(() => undefined);

async function askShop() {
  if (asking) return;
  asking = true;
  for (let tries = 0; tries < TRIES && (tries === 0 || !isShown()); tries++) {
    if (tries > 0) await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    const answer = await ask();
    if (answer && answer.text !== message.textContent) show(answer);
  }
  asking = false;
}

/** What was paid stays paid or refunded, whatever a view that is late says. */
const isShown = () => ['paid', 'refunded', wanted].includes(message.dataset.state);

function show(answer) {
  document.querySelector('h1').textContent = answer.heading;
  message.textContent = answer.text;
  message.dataset.state = answer.state;
  if (answer.state !== 'paid') return;
  document.title = `Paid · ${document.title}`;
  if (balance) balance.textContent = answer.balance;
}

document.addEventListener('payment-change', ({ detail: { paid, checking, closed } }) => {
  wanted = paid ? 'paid' : checking ? 'checking' : closed ? 'closed' : 'unpaid';
  void askShop();
});

// Drawn again, so that the widget's receipt has the refund too.
async function lookForRefund() {
  if (document.hidden || asking || !['paid', 'refunded'].includes(message.dataset.state)) return;
  const answer = await ask();
  if (answer && answer.text !== message.textContent) location.reload();
}

setInterval(() => void lookForRefund(), REFUND_EVERY_MS);

// Only the demo reaches into the widget: a visitor has no wallet id to type.
async function fillIn(walletId) {
  const { shadowRoot } = document.querySelector('payment-widget');
  const field = () => shadowRoot.querySelector('input[name="wallet"]');
  if (!field()) shadowRoot.querySelector('input[value="DIRECT"]').click();
  await new Promise(requestAnimationFrame);
  field().value = walletId;
  field().dispatchEvent(new Event('input', { bubbles: true }));
  field().focus();
}

const fill = document.querySelector('[data-fill]');
fill?.addEventListener('click', () => void fillIn(fill.dataset.fill));
