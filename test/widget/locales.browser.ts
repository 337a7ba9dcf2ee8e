// Every text in its place, at the narrowest width there is: 240 px, each language, each state of states.ts.
// The other dictionaries are judged by their words in locales.test.ts; here only a browser can: fonts, line breaks, boxes.
// One widget a state, and its language changed: that is what makes it fast, and a language changed in the open a part of the test.
import { expect, fixtureCleanup } from '@open-wc/testing';
import type { PaymentWidget } from '../../widget/payment-widget.ts';
import { LOADERS, loadLanguage } from '../../widget/shell/language.ts';
import { heading, mount, part, textOf, until } from './mount.ts';
import { proxyOf, STATES, type State } from './states.ts';

const WIDTH_PX = 240;
const TAGS = ['en', ...Object.keys(LOADERS)];
/** One for all engines, for each has its own default; as wide as those of phones. The third is in the bundled Chromium. */
const FONT = "Arial, 'Liberation Sans', 'Open Sans', sans-serif";
/** Long, as amounts go. */
const DEAR = { amount: '12345.67', currency: 'EUR' };

const NAMES = Object.keys(STATES) as (keyof typeof STATES)[];

async function reach(name: keyof typeof STATES): Promise<PaymentWidget> {
  const state: State = STATES[name];
  const proxy = proxyOf(
    state.claims && 'amount' in state.claims ? state : { ...state, claims: { ...state.claims, ...DEAR } },
  );
  const widget = await mount(proxy, { style: `width: ${WIDTH_PX}px`, ...state.attributes });
  await state.act?.(widget, proxy);
  if (proxy.isDown) await until(() => part(widget, 'retry'), 'the word that the line is lost');
  await heading(widget, state.heading);
  return widget;
}

/** Its dictionary was loaded before, so it is there in a few turns: too soon to poll for. */
async function speak(widget: PaymentWidget, tag: string): Promise<void> {
  widget.lang = tag;
  for (let turn = 0; widget.shadowRoot?.querySelector('.sheet')?.getAttribute('lang') !== tag; turn++) {
    if (turn > 100) throw new Error(`${tag} did not come: ${textOf(widget)}`);
    await loadLanguage(tag);
    await widget.updateComplete;
  }
}

/** Texts that leave their box, boxes that leave the sheet, lines that are torn within a word. */
function misfits(widget: PaymentWidget): string[] {
  const sheet = widget.shadowRoot?.querySelector('.sheet');
  if (!sheet) return ['no sheet'];
  const bounds = sheet.getBoundingClientRect();
  const found: string[] = [];
  for (const element of sheet.querySelectorAll<HTMLElement>('h2, p, b, small, span, button, a, dt, dd, label, div')) {
    if (element.closest('.live') || !element.checkVisibility()) continue;
    const says = `${element.localName}: ${element.textContent?.trim().replaceAll(/\s+/g, ' ')}`;
    const { left, right } = element.getBoundingClientRect();
    if (left < bounds.left || right > bounds.right) found.push(`beyond the sheet: ${says}`);
    if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0) found.push(`too wide: ${says}`);
    if (element.scrollHeight > element.clientHeight + 1 && getComputedStyle(element).overflowY !== 'visible')
      found.push(`cut: ${says}`);
  }
  return [...found, ...tornWords(sheet)];
}

/** Words that stand on two lines without a hyphen or another place to break: `overflow-wrap` saved them, and nobody likes to read them. */
function tornWords(sheet: Element): string[] {
  const walker = document.createTreeWalker(sheet, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const found: string[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.parentElement?.closest('.live, dd, .wrong small')) continue;
    for (const match of (node.textContent ?? '').matchAll(/[\p{L}\p{M}\p{N}’]+/gu)) {
      const [word] = match;
      // Written without spaces: these break between signs.
      if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u.test(word))
        continue;
      range.setStart(node, match.index);
      range.setEnd(node, match.index + word.length);
      // WebKit has an empty box for the place where the line before was broken.
      const boxes = [...range.getClientRects()].filter(({ width }) => width > 0);
      const lines = new Set(boxes.map(({ top }) => Math.round(top)));
      if (lines.size > 1) found.push(`torn: ${word}`);
    }
  }
  return found;
}

describe('each language, at 240 px', function () {
  this.timeout(120_000);
  before(async () => {
    document.body.style.fontFamily = FONT;
    await Promise.all(TAGS.map(async (tag) => loadLanguage(tag)));
  });
  afterEach(() => fixtureCleanup());
  after(() => document.body.removeAttribute('style'));

  it('would be seen to overflow, to be cut and to be torn', async () => {
    const widget = await reach('paid');
    const says = async (style: Partial<CSSStyleDeclaration>, text: string) => {
      const h2 = part(widget, 'heading') as HTMLElement;
      const before = { text: h2.textContent, style: h2.getAttribute('style') ?? '' };
      Object.assign(h2.style, style);
      h2.textContent = text;
      const found = misfits(widget).join();
      h2.textContent = before.text;
      h2.setAttribute('style', before.style);
      return found;
    };
    expect(misfits(widget)).to.deep.equal([]);
    expect(await says({ whiteSpace: 'nowrap' }, 'word '.repeat(20))).to.contain('too wide');
    expect(await says({ width: '300px' }, 'word')).to.contain('beyond the sheet');
    expect(await says({ height: '1em', overflow: 'hidden' }, 'word '.repeat(20))).to.contain('cut');
    expect(await says({}, 'word'.repeat(20))).to.contain('torn');
  });

  for (const name of NAMES) {
    it(`has room for all that is said: ${name}`, async () => {
      const widget = await reach(name);
      const texts = new Set<string>();
      const found: string[] = [];
      for (const tag of TAGS) {
        await speak(widget, tag);
        texts.add(textOf(widget));
        found.push(...misfits(widget).map((each) => `${tag}: ${each}`));
      }
      expect(texts.size, 'different texts').to.equal(TAGS.length);
      expect(found.join('\n')).to.equal('');
    });
  }
});
