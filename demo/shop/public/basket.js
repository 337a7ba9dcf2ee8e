// Adds up the basket while the customer chooses, and keeps it in this tab until the order is made. For display only: the
// server computes the amount from its own prices.
const form = document.querySelector('form:has([data-basket])');
const summary = form.querySelector('[data-basket]');
const button = form.querySelector('.basket button');
const euros = new Intl.NumberFormat('en-IE', { style: 'currency', currency: 'EUR' });

function addUp() {
  let items = 0;
  let cents = 0;
  for (const stepper of form.querySelectorAll('.stepper')) {
    const input = stepper.querySelector('input');
    const quantity = input.validity.valid ? Number(input.value) : 0;
    stepper.toggleAttribute('data-chosen', quantity > 0);
    const more = stepper.querySelector('[data-step="1"]');
    stepper.querySelector('[data-step="-1"]').hidden = quantity === 0;
    input.hidden = quantity === 0 && input !== document.activeElement;
    more.disabled = quantity === Number(input.max);
    more.textContent = quantity === 0 ? 'Add' : '+';
    more.ariaLabel = `${quantity === 0 ? 'Add' : 'One more'} ${more.dataset.name}`;
    items += quantity;
    cents += quantity * Number(stepper.dataset.cents);
  }
  button.disabled = items === 0;
  const count = items === 1 ? '1 item' : `${items} items`;
  const text = items === 0 ? 'Choose what you would like.' : `${count}, ${euros.format(cents / 100)}`;
  // A screen reader would read the same text again.
  if (summary.textContent !== text) summary.textContent = text;
  sessionStorage.basket = new URLSearchParams(new FormData(form));
}

form.addEventListener('click', ({ target }) => {
  const { step } = target.dataset;
  if (step === undefined) return;
  const input = target.closest('.stepper').querySelector('input');
  input.value = String(Math.min(Number(input.max), Math.max(0, Number(input.value) + Number(step))));
  addUp();
  // The button that was pressed is gone.
  if (target.hidden) target.closest('.stepper').querySelector('[data-step="1"]').focus();
  // The basket may have appeared over it.
  target.closest('.stepper').scrollIntoView({ block: 'nearest' });
});
form.addEventListener('input', addUp);
form.addEventListener('submit', () => sessionStorage.removeItem('basket'));
const kept = new URLSearchParams(sessionStorage.basket);
for (const input of form.querySelectorAll('input')) input.value = kept.get(input.name) ?? input.value;
// After the back button the browser may have restored the quantities.
window.addEventListener('pageshow', addUp);
addUp();
