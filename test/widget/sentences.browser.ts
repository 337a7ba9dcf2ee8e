// In each state that a shopper can see, each sentence on the screen is true of what the proxy has committed and
// answered; and each sentence that claims something is shown in one of these states.
import { expect } from '@open-wc/testing';
import type { MessageKey } from '../../widget/locales/en.ts';
import { isWordless, sentencesIn, withinSentence, type Sentence, type Text } from './dictionary-sentences.ts';
import type { FakeProxy } from '../../widget/testing/fake-proxy.ts';
import { heading, mount, part, until } from './mount.ts';
import { CLAIMS, SENTENCES, type Facts } from './sentences.ts';
import { proxyOf, STATES, type State, type Subject } from './states.ts';

const seen = (widget: Subject, text: string) => widget.shadowRoot?.querySelector('.sheet')?.textContent?.includes(text);

const CHOICE = 'How would you like to pay?';
/** Those of the pictures, and those that look like one of them. */
const ALL: Record<string, State> = {
  ...STATES,
  deposit: { claims: { purpose: 'deposit' }, heading: CHOICE },
  donation: { claims: { purpose: 'donation' }, heading: CHOICE },
  'start not answered': {
    attributes: { method: 'QR' },
    act: async (widget, proxy) => {
      proxy.isDown = true;
      widget.pay();
      await until(() => seen(widget, 'We keep trying'), 'the next try');
      proxy.hold();
      proxy.isDown = false;
    },
    heading: CHOICE,
  },
};

/** What only a phone, a printer, a screen reader or a lost file shows. */
const ELSEWHERE = new Set<MessageKey>(['appHelp_scan', 'unpaid', 'timeSpoken', 'network']);

/** Data of the orders, and what the page itself has put beside the button. */
const DATA =
  /^(ABC-123|req-7f3a|01JD4Z8Q6M|c-1|•+ ?\d+|\u2068?Stillwater Coffee\u2069?|Two packs of filters|I accept the terms\.|[A-Z][a-z]{2} \d+, \d{4}, \d+:\d\d\s[AP]M)$/;

function factsOf(proxy: FakeProxy, refusal: Facts['problem']): Facts {
  const { view, claims: terms, isDown, starts, streamProblem, streamCount } = proxy;
  return {
    view,
    terms,
    isDown,
    problem: streamProblem ?? (starts.length > 0 ? refusal : undefined),
    isStarting: starts.length > 0 && view.payment === null && refusal === undefined,
    listening: isDown ? 1 : streamCount,
    keys: new Set(starts.map(({ key }) => key)),
  };
}

interface Screen {
  texts: Text[];
  links: string[];
  hasCode: boolean;
}

/** Its texts, alternative texts, and links, without the live region, which repeats the screen. */
function readScreen(widget: Element): Screen {
  const root = widget.shadowRoot;
  if (!root) return { texts: [], links: [], hasCode: false };
  const isSeen = (element: Element) =>
    !element.closest('.live, style') && element.checkVisibility({ visibilityProperty: true });
  const find = (selector: string) => [...root.querySelectorAll(selector)].filter(isSeen);
  /** A field that a row opens is the shopper's, not a description. */
  const isOfMethods = (element: Element) => element.closest('.field, [part~=method]')?.matches('[part~=method]');
  const texts: Text[] = [];
  const note = (text: string | null, near: Element) => {
    const words = text?.replaceAll(/\s+/g, ' ').trim();
    if (words) texts.push({ text: words, place: isOfMethods(near) ? 'method' : 'panel' });
  };
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement, textContent } = walker.currentNode;
    if (parentElement && isSeen(parentElement)) note(textContent, parentElement);
  }
  for (const element of find('[role=img], img'))
    note(element.getAttribute('aria-label') ?? element.getAttribute('alt'), element);
  return {
    texts,
    links: find('a[href]').map((link) => link.getAttribute('href') ?? ''),
    hasCode: find('[part~=code] path, [part~=code] img').length > 0,
  };
}

/** `"…" claims requestAtWallet`, or that a text is no sentence. */
function falseClaimsOn({ texts, links, hasCode }: Screen, facts: Facts, data: RegExp): string[] {
  const falseOf = (sentence: Sentence) => {
    const said = { ...sentence, links, hasCode };
    const claims = [sentence, ...withinSentence(sentence)].flatMap(({ key }) => [...SENTENCES[key]]);
    return claims.filter((name) => !CLAIMS[name](facts, said));
  };
  // One line may have several sentences.
  const parts = texts.flatMap(({ text, place }) => text.split(' · ').map((one) => ({ text: one, place })));
  return parts.flatMap((text) => {
    if (isWordless(text.text) || data.test(text.text)) return [];
    // A sentence that is a heading has no full stop.
    const sentences =
      [text, { ...text, text: `${text.text}.` }].map(sentencesIn).find(({ length }) => length > 0) ?? [];
    if (sentences.length === 0) return [`${JSON.stringify(text.text)} is no sentence of the dictionary`];
    // The names and descriptions of methods say nothing about this payment.
    if (text.place === 'method' && sentences.every(({ key }) => key !== 'unavailable')) return [];
    const untrue = sentences.map(falseOf);
    // If two sentences share their words, the true one counts.
    if (untrue.some((names) => names.length === 0)) return [];
    return (untrue[0] ?? []).map((name) => `${JSON.stringify(text.text)} claims ${name}`);
  });
}

const shown = new Set<MessageKey>();

for (const [name, state] of Object.entries(ALL)) {
  it(`the state "${name}" says nothing that is not true`, async () => {
    const proxy = proxyOf(state);
    const [refusal] = proxy.nextStarts;
    const widget = await mount(proxy, state.attributes ?? {});
    await state.act?.(widget, proxy);
    if (proxy.isDown) await until(() => part(widget, 'retry'), 'the lost connection');
    await heading(widget, state.heading);
    if (refusal !== undefined) await until(() => !seen(widget, 'Starting the payment'), 'the refusal');
    await widget.updateComplete;
    const screen = readScreen(widget);
    const said = screen.texts.flatMap(sentencesIn);
    for (const { key } of [...said, ...said.flatMap(withinSentence)]) shown.add(key);
    const facts = factsOf(proxy, typeof refusal === 'object' ? refusal : undefined);
    expect(falseClaimsOn(screen, facts, DATA)).to.deep.equal([]);
  });
}

it('a false sentence is found', async () => {
  const widget = await mount(proxyOf(STATES.choose));
  const screen = readScreen(widget);
  const said = { ...screen, texts: [{ text: 'Payment received', place: 'panel' as const }] };
  const facts = factsOf(proxyOf(STATES.choose), undefined);
  expect(falseClaimsOn(said, facts, DATA)).to.deep.equal(['"Payment received" claims paid']);
});

it('each sentence that claims something is shown in a state', () => {
  const claiming = (Object.keys(SENTENCES) as MessageKey[]).filter((key) => SENTENCES[key].length > 0);
  const unseen = claiming.filter((key) => !shown.has(key) && !ELSEWHERE.has(key));
  expect(unseen).to.deep.equal([]);
});
