// When the widget shows another state of the order, asks the shop's server until it says so too, and shows its message.
// One answer is not enough: it may be older than the event. The event only starts the requests: the server decides what
// the order is. Once nothing is open, the widget sends no more events, so a refund is found by asking from time to time.
const EVERY_MS = 1000;
const TRIES = 120;
/** In units of EVERY_MS. */
const REFUND_EVERY = 5;

const { order } = document.querySelector('[data-order]').dataset;
const heading = document.querySelector('h1');
const message = document.querySelector('[data-state]');
const balance = document.querySelector('[data-balance]');
const widget = document.querySelector('payment-widget');
// Only a top-up shows the card's balance; its button says what the heading says.
if (balance) widget.messages = { pay_deposit: '[Top up|Top up {amount}]' };
// On a touch device one row opens the wallet app, so it has the wallet's mark; the others keep icons of their own.
const addMark = (slot) => widget.append(Object.assign(widget.querySelector('[slot=mark]').cloneNode(), { slot }));
if (matchMedia('(pointer: coarse)').matches) ['icon-JETGO', 'icon-QR'].forEach(addMark);
let wanted = message.dataset.state;
let tries = 0;
let asking = false;

async function askShop(onNews) {
  if (asking) return;
  asking = true;
  const answer = await fetch(`/orders/${order}/state`)
    .then((response) => (response.ok ? response.json() : undefined))
    .catch(() => undefined);
  asking = false;
  if (!answer || (answer.text === message.textContent && answer.heading === heading.textContent)) return;
  onNews(answer);
}

function wayTo(text) {
  return Object.assign(document.createElement('a'), { href: '/contact', textContent: text });
}

function show(answer) {
  heading.textContent = answer.heading;
  const parts = answer.text.split(/(contact us)/i).map((part, at) => (at % 2 === 0 ? part : wayTo(part)));
  // A screen reader would read the same text again.
  if (answer.text !== message.textContent) message.replaceChildren(...parts);
  message.dataset.state = answer.state;
  if (answer.state !== 'paid') return;
  const [payment, packing] = document.querySelectorAll('.steps li');
  payment?.removeAttribute('aria-current');
  packing?.setAttribute('aria-current', 'step');
  document.title = document.title.replace(/^(Paid · )?/, 'Paid · ');
  if (balance) balance.textContent = answer.balance;
}

// What was paid stays paid or refunded, whatever a view that is late says.
const isPaid = () => ['paid', 'refunded', 'unrefunded'].includes(message.dataset.state);
/** Draws the page again, so that the demo's steps and the widget's receipt have the refund too. */
const redraw = () => location.reload();

document.addEventListener('payment-change', ({ detail: { paid, checking, closed } }) => {
  wanted = paid ? 'paid' : checking ? 'checking' : closed ? 'closed' : 'unpaid';
  tries = 0;
  void askShop(isPaid() ? redraw : show);
});

setInterval(() => {
  tries += 1;
  if (!isPaid() && wanted !== message.dataset.state && tries < TRIES) void askShop(show);
  if (isPaid() && !document.hidden && tries % REFUND_EVERY === 0) void askShop(redraw);
}, EVERY_MS);

// Only the demo reaches into the widget: a visitor has no wallet id to type, and its hint follows the choice.
const fill = document.querySelector('[data-fill]');
fill?.addEventListener('click', () => {
  const field = widget.shadowRoot.querySelector('input[name="wallet"]');
  field.value = fill.dataset.fill;
  field.dispatchEvent(new Event('input', { bubbles: true }));
  field.focus();
});

const trial = document.querySelector('.trial');

/** The hint, and the ways to the phone, name another customer. */
function useNext() {
  const { id, shown, name } = JSON.parse(trial.dataset.next);
  fill.dataset.fill = id;
  trial.querySelector('b').textContent = shown;
  for (const each of trial.querySelectorAll('[data-name]')) each.textContent = name;
  for (const link of document.querySelectorAll('a[href*="as="]')) link.href = link.href.replace(/as=\d+/, `as=${id}`);
}

/** What the demo's hint says: about the way that is chosen, then about what the widget shows of the payment. */
function hintAt({ method, qr, appUrl }) {
  const isByApp = (appUrl || (!qr && /JETGO|QR/.test(method))) && matchMedia('(pointer: coarse)').matches;
  trial.dataset.way = isByApp ? 'app' : qr ? 'code' : method;
  if (qr) trial.querySelector('.code a').href = `${qr.text}&as=${fill.dataset.fill}`;
}

async function followChoice() {
  await customElements.whenDefined('payment-widget');
  let current;
  // No event says what is chosen at first and after a payment that failed, nor that an open payment is shown again.
  const hintAtShown = () => {
    const chosen = widget.shadowRoot.querySelector('[name="method"]:checked');
    // Nothing else can be approved: it failed, its time is up, or it may have been paid on the wallet's website.
    const waits = widget.matches(':state(waiting)') && !widget.shadowRoot.querySelector('[part="again"]');
    const isPayable = waits && wanted === 'unpaid' && (current?.qr || current?.appUrl || current?.walletLast4);
    hintAt(chosen ? { method: chosen.value } : isPayable ? current : { method: 'none' });
  };
  new MutationObserver(hintAtShown).observe(widget.shadowRoot, { childList: true, subtree: true });
  document.addEventListener('payment-select', ({ detail }) => hintAt(detail));
  document.addEventListener('payment-change', ({ detail: { payment, openPayment } }) => {
    // Once the payment has failed, an open one before it is all that the widget can lead back to.
    current = openPayment ?? payment;
    hintAtShown();
  });
  document.addEventListener('payment-error', ({ detail }) => detail.code === 'too_many_prompts' && useNext());
}
if (fill) void followChoice();
