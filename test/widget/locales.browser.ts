// Checks that every text fits at 240 px, in each language and each state of states.ts: fonts, line breaks, boxes. The
// words themselves are tested in locales.test.ts. One widget serves all languages of a state, which is fast and also
// tests the change of the language.
import { expect, fixtureCleanup } from '@open-wc/testing';
import type { PaymentWidget } from '../../widget/payment-widget.ts';
import { LOADERS, loadLanguage } from '../../widget/shell/language.ts';
import { endAnimations, heading, mount, part, textOf, until } from './mount.ts';
import { proxyOf, STATES, type State } from './states.ts';

const WIDTH_PX = 240;
const TAGS = ['en', ...Object.keys(LOADERS)];
/** The same in every engine, and as wide as phones' fonts. The bundled Chromium has the third. */
const FONT = "Arial, 'Liberation Sans', 'Open Sans', sans-serif";
/** A long amount. */
const LONG_AMOUNT = { amount: '12345.67', currency: 'EUR' };

const NAMES = Object.keys(STATES) as (keyof typeof STATES)[];

async function reach(name: keyof typeof STATES): Promise<PaymentWidget> {
  const state: State = STATES[name];
  const proxy = proxyOf(
    state.claims && 'amount' in state.claims ? state : { ...state, claims: { ...state.claims, ...LONG_AMOUNT } },
  );
  const widget = await mount(proxy, { style: `width: ${WIDTH_PX}px`, ...state.attributes });
  await state.act?.(widget, proxy);
  if (proxy.isDown) await until(() => part(widget, 'retry'), 'the lost connection');
  await heading(widget, state.heading);
  return widget;
}

/** The dictionary is loaded already, so the change takes only a few microtasks; polling for it would be slower. */
async function setLanguage(widget: PaymentWidget, tag: string): Promise<void> {
  widget.lang = tag;
  for (let turn = 0; widget.shadowRoot?.querySelector('.sheet')?.getAttribute('lang') !== tag; turn++) {
    if (turn > 100) throw new Error(`${tag} was not loaded: ${textOf(widget)}`);
    await loadLanguage(tag);
    await widget.updateComplete;
  }
  endAnimations(widget);
}

/** Texts that overflow their box, boxes outside the sheet, words broken across lines, spaces that a script has not. */
function misfits(widget: PaymentWidget): string[] {
  const sheet = widget.shadowRoot?.querySelector<HTMLElement>('.sheet');
  if (!sheet) return ['no sheet'];
  const bounds = sheet.getBoundingClientRect();
  const found: string[] = [];
  for (const element of sheet.querySelectorAll<HTMLElement>('h2, p, b, small, span, button, a, dt, dd, label, div')) {
    if (element.closest('.live') || !element.checkVisibility({ visibilityProperty: true })) continue;
    const description = `${element.localName}: ${element.textContent?.trim().replaceAll(/\s+/g, ' ')}`;
    const { left, right } = element.getBoundingClientRect();
    if (left < bounds.left || right > bounds.right) found.push(`outside the sheet: ${description}`);
    if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
      found.push(`too wide: ${description}`);
    if (element.scrollHeight > element.clientHeight + 1 && getComputedStyle(element).overflowY !== 'visible')
      found.push(`cut: ${description}`);
  }
  for (const { innerText } of sheet.querySelectorAll<HTMLElement>('.panel p'))
    if (/[。！？] /.test(innerText)) found.push(`a space between sentences: ${innerText}`);
  return [...found, ...brokenWords(sheet)];
}

/** Words that `overflow-wrap` broke across two lines without a hyphen or another place to break. */
function brokenWords(sheet: Element): string[] {
  const walker = document.createTreeWalker(sheet, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const found: string[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.parentElement?.closest('.live, dd, .wrong small')) continue;
    for (const match of (node.textContent ?? '').matchAll(/[\p{L}\p{M}\p{N}’]+/gu)) {
      const [word] = match;
      // These scripts have no spaces and break between characters.
      if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u.test(word))
        continue;
      range.setStart(node, match.index);
      range.setEnd(node, match.index + word.length);
      // WebKit adds an empty box at the end of the broken line.
      const boxes = [...range.getClientRects()].filter(({ width }) => width > 0);
      const lines = new Set(boxes.map(({ top }) => Math.round(top)));
      if (lines.size > 1) found.push(`broken: ${word}`);
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

  it('a text that overflows, is cut or breaks a word is found', async () => {
    const widget = await reach('paid');
    const misfitsWith = async (style: Partial<CSSStyleDeclaration>, text: string) => {
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
    expect(await misfitsWith({ whiteSpace: 'nowrap' }, 'word '.repeat(20))).to.contain('too wide');
    expect(await misfitsWith({ width: '300px' }, 'word')).to.contain('outside the sheet');
    expect(await misfitsWith({ height: '1em', overflow: 'hidden' }, 'word '.repeat(20))).to.contain('cut');
    expect(await misfitsWith({}, 'word'.repeat(20))).to.contain('broken');
  });

  for (const name of NAMES) {
    it(`every language fits into the state "${name}" at 240 px`, async () => {
      const widget = await reach(name);
      const texts = new Set<string>();
      const found: string[] = [];
      for (const tag of TAGS) {
        await setLanguage(widget, tag);
        texts.add(textOf(widget));
        found.push(...misfits(widget).map((each) => `${tag}: ${each}`));
      }
      // Both kinds of Spanish call a refused token the same, and no amount stands beside it.
      expect(texts.size, 'different texts').to.equal(TAGS.length - (name === 'token invalid' ? 1 : 0));
      expect(found.join('\n')).to.equal('');
    });
  }
});
