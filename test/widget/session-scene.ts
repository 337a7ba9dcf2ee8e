// A session with a fake proxy, a fake clock and an element that is only an EventTarget.
import type { Method, OrderView } from '../../backend-proxy/protocol/wire.ts';
import { Session } from '../../widget/flow/session.ts';
import { show } from '../../widget/flow/view.ts';
import { BLANK, stateFor, type SessionState } from '../../widget/shell/state.ts';
import { provideAmountBundle } from './amount-bundle.ts';
import { Clock } from './clock.ts';
import { useDevice } from './device.ts';
import { FakeProxy, problemOf, type ClaimsChange } from '../../widget/testing/fake-proxy.ts';

class Element extends EventTarget {
  isConnected = true;
  checkoutTarget = '_self' as const;
  appOpen: 'auto' | 'ask' = 'auto';
  method = null;
  addController(): void {}
}

useDevice(false);

interface SceneOptions {
  /** False: the proxy refuses the stream at first, so that no view arrives. */
  isConnected?: boolean;
  claims?: ClaimsChange;
  view?: Partial<OrderView>;
  /** The widget's language. */
  language?: string;
}

export async function scene({ isConnected = true, claims, view, language: first = 'en' }: SceneOptions = {}) {
  // A page has it before anybody has typed an amount.
  await provideAmountBundle();
  let language = first;
  const clock = new Clock();
  const proxy = new FakeProxy(claims, view, clock.now);
  const element = new Element();
  const events: string[] = [];
  const windowCalls: string[] = [];
  /** Whether the browser still knows of the press. */
  const press = { counts: true };
  let keys = 0;
  let state: SessionState = stateFor(proxy.token, BLANK, () => null);
  const session = new Session(
    {
      element,
      state: () => state,
      set: (change) => {
        state = { ...state, ...change };
      },
      language: () => language,
    },
    {
      fetch: proxy.fetch,
      now: clock.now,
      wait: clock.wait,
      random: () => 0.5,
      newKey: () => `key-${++keys}`,
      page: new EventTarget(),
      openCheckoutWindow: (target) => {
        windowCalls.push(`open ${target}`);
        return { navigate: (url) => windowCalls.push(`navigate ${url}`), close: () => windowCalls.push('close') };
      },
      openAppWindow: (opened) => {
        const navigate = (link: string) => {
          opened(link);
          windowCalls.push(`app ${link}`);
        };
        return { navigate, close: () => {}, mayOpen: () => press.counts };
      },
    },
  );
  for (const name of ['submit', 'redirect', 'change', 'success', 'failed', 'error'])
    element.addEventListener(`payment-${name}`, () => events.push(name));
  const panel = () => show(state, clock.now())?.panel ?? 'choose';
  const open = (token = proxy.token) => {
    state = stateFor(token, state, () => null);
    session.open(token, 'https://pay.test/');
  };
  /** Chooses the method and pays by it. */
  const payBy = (method: Method) => {
    session.edit({ method });
    session.pay();
  };
  /** The same, with what follows at once. */
  const sendBy = async (method: Method) => {
    payBy(method);
    await clock.advance(0);
  };
  const keysSent = () => proxy.starts.map(({ key }) => key);
  /** The page asks for this method to be chosen at first. */
  const prefer = (method: Method) => {
    state = { ...state, preferences: { ...state.preferences, method } };
  };
  /** The page asks for these methods. */
  const ask = (methods: string[] | null) => {
    state = { ...state, preferences: { ...state.preferences, methods } };
  };
  const setLanguage = (tag: string) => void (language = tag);
  proxy.streamProblem = isConnected ? undefined : problemOf('too_many_streams', { status: 503, retryable: true });
  open();
  await clock.advance(0);
  events.length = 0;
  return {
    clock,
    proxy,
    element,
    session,
    events,
    windowCalls,
    press,
    panel,
    open,
    payBy,
    sendBy,
    keysSent,
    prefer,
    ask,
    setLanguage,
    state: () => state,
  };
}
