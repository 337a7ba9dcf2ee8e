import { expect } from '@open-wc/testing';
import { endAnimations, heading, mount, part, thePart, until } from './mount.ts';
import { proxyOf, STATES, type State } from './states.ts';

/** The parts of axe's result that are used here. */
interface Axe {
  run(node: Element, options: object): Promise<{ passes: { id: string; nodes: unknown[] }[] }>;
}

async function reach(state: State, attributes: Record<string, string> = {}) {
  const proxy = proxyOf(state);
  const widget = await mount(proxy, { ...attributes, ...state.attributes });
  await state.act?.(widget, proxy);
  if (proxy.isDown) await until(() => part(widget, 'retry'), 'the lost connection');
  await heading(widget, state.heading);
  await widget.updateComplete;
  endAnimations(widget);
  return widget;
}

it('axe measures the contrast of text that has a size', async () => {
  const widget = await reach(STATES.choose);
  const { width } = thePart(widget, 'total').getBoundingClientRect();
  const range = document.createRange();
  range.selectNodeContents(thePart(widget, 'heading'));
  expect(width).to.be.above(0);
  expect(range.getBoundingClientRect().width).to.be.above(50);
  await expect(widget).to.be.accessible();
  const axe = (globalThis as unknown as { axe: Axe }).axe;
  const { passes } = await axe.run(widget, { runOnly: ['color-contrast'] });
  expect(passes.find(({ id }) => id === 'color-contrast')?.nodes.length ?? 0).to.be.above(5);
});

it('axe fails if the contrast is too low', async () => {
  const widget = await reach(STATES.choose);
  widget.style.setProperty('--payment-color-muted', '#ccc');
  widget.style.setProperty('--payment-color-surface', '#fff');
  let found = '';
  try {
    await expect(widget).to.be.accessible();
  } catch (error) {
    found = String(error);
  }
  expect(found).to.contain('contrast');
});

for (const scheme of ['light', 'dark']) {
  describe(`states in ${scheme} colors`, () => {
    before(() => {
      document.documentElement.style.colorScheme = scheme;
      document.body.style.backgroundColor = 'Canvas';
    });
    after(() => {
      document.documentElement.removeAttribute('style');
      document.body.removeAttribute('style');
    });

    for (const [name, state] of Object.entries(STATES)) {
      it(`the state "${name}" is accessible in ${scheme} colors`, async () => {
        await expect(await reach(state)).to.be.accessible();
      });
    }
  });
}

for (const lang of ['en', 'de', 'ar']) {
  it(`every state fits 240 px in ${lang}, with controls of at least 44 px`, async () => {
    for (const [name, state] of Object.entries<State>(STATES)) {
      if (state.act) continue;
      const widget = await mount(proxyOf(state), { lang });
      widget.style.width = '240px';
      await new Promise(requestAnimationFrame);
      endAnimations(widget);
      const sheet = thePart(widget, 'sheet');
      expect(sheet.scrollWidth, name).to.be.at.most(240);
      for (const control of widget.shadowRoot?.querySelectorAll<HTMLElement>('button, a, .method') ?? []) {
        expect(control.scrollWidth, `${name}: ${control.textContent}`).to.be.at.most(control.clientWidth + 1);
        expect(control.getBoundingClientRect().height, `${name}: ${control.textContent}`).to.be.at.least(44);
      }
    }
  });
}
