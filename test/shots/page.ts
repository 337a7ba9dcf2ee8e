// A page with one widget for every state, each with its own proxy in memory. `?lang=ar&width=240&textSize=32` sets the
// variant, each `state=…` names a state to show, without any all are shown, and `claims` and `payment` are JSON in
// place of what their own claims and payments have. Sets `document.title` to 'ready' once all are drawn; until then the
// title names the states it waits for.
import '../../widget/index.ts';
import { proxyOf, STATES, type State } from '../widget/states.ts';

const variant = new URLSearchParams(location.search);
const language = variant.get('lang') ?? 'en';
document.documentElement.lang = language;
document.documentElement.dir = language === 'ar' ? 'rtl' : 'ltr';
document.documentElement.style.setProperty('--width', `${variant.get('width') ?? 400}px`);
document.documentElement.style.setProperty('--text-size', `${variant.get('textSize') ?? 16}px`);
const wanted = variant.getAll('state');
const claims: object = JSON.parse(variant.get('claims') ?? '{}');
const payment: object = JSON.parse(variant.get('payment') ?? '{}');
const states = Object.entries<State>(STATES).filter(([name]) => wanted.length === 0 || wanted.includes(name));

/** Longer timers never run: on a slow machine a start that takes long, or a silent stream, would change a state. */
const MAX_TIMER_MS = 3_000;
const realTimeout = globalThis.setTimeout;
globalThis.setTimeout = ((run: () => void, ms = 0) =>
  ms > MAX_TIMER_MS ? 0 : realTimeout(run, ms)) as typeof setTimeout;

const waiting = new Set(states.map(([name]) => name));

async function show(name: string, state: State, index: number): Promise<void> {
  const proxy = proxyOf({
    ...state,
    claims: { ...state.claims, ...claims },
    ...(state.payment && { payment: { ...state.payment, ...payment } }),
  });
  const url = `https://p${index}.test/`;
  proxy.install(url);
  const widget = document.createElement('payment-widget');
  for (const [attribute, value] of Object.entries(state.attributes ?? {})) widget.setAttribute(attribute, value);
  widget.proxy = url;
  widget.order = proxy.token;
  const figure = document.createElement('figure');
  const caption = document.createElement('figcaption');
  caption.textContent = name;
  figure.append(caption, widget);
  document.querySelector('main')?.append(figure);
  const hasAnswer = () =>
    (widget.view !== null || proxy.streamProblem !== undefined) && widget.shadowRoot?.querySelector('h2');
  while (!hasAnswer()) await pause(20);
  await widget.updateComplete;
  await state.act?.(widget, proxy);
  // The widget shows "no connection" after three failed tries.
  while (proxy.isDown && !widget.shadowRoot?.querySelector('[part=retry]')) await pause(20);
  await widget.updateComplete;
  // The first frame has the amount's line without the amount.
  while (widget.shadowRoot?.querySelector('.total')?.textContent?.trim() === '') await pause(20);
  // An image is drawn only once it is decoded; one that cannot be is drawn as broken.
  const images = widget.shadowRoot?.querySelectorAll('img') ?? [];
  await Promise.allSettled([...images].map((image) => image.decode()));
  waiting.delete(name);
  document.title = `waiting for: ${[...waiting].join('; ')}`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

await Promise.all([...document.fonts].map((font) => font.load()));
await Promise.all(states.map(([name, state], index) => show(name, state, index)));
document.title = 'ready';
