// Compares the element's manifest with everything else that makes the same promises: docs/element.md and
// docs/theming.md, the class, its templates, styles and types.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { METHODS } from '../../backend-proxy/protocol/wire.ts';
import { elementOf, readManifest } from '../../widget/build/manifest.ts';
import { ATTRIBUTES } from '../../widget/testing/stub-element.ts';
import { PaymentWidget } from '../../widget/payment-widget.ts';

const element = elementOf(readManifest('.', 'index.js'));
const fields = element.members.filter(({ kind }) => kind === 'field');
const methods = element.members.filter(({ kind }) => kind === 'method');
const names = (all: readonly { name: string }[]) => all.map(({ name }) => name).toSorted();

describe('the manifest and the pages in docs/', () => {
  const pages = ['element', 'theming'].map((name) => readFileSync(`docs/${name}.md`, 'utf8')).join('\n');
  /** The items of the list under a heading, each as one line. */
  const items = (heading: string) => {
    const [, section = ''] = new RegExp(`^## ${heading}$(.*?)^#`, 'ms').exec(`${pages}\n#`) ?? [];
    const list = section.split(/^- /m).slice(1);
    return list.map((item) => (item.split('\n\n')[0] ?? '').replaceAll(/\s+/g, ' ').trim());
  };
  /** What is in backquotes before the colon of each item. */
  const listed = (heading: string) =>
    items(heading)
      .flatMap((item) => [...(item.split(': ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
      .toSorted();

  it('the manifest and docs/element.md name the same attributes, events and slots', () => {
    assert.deepEqual(names(element.attributes), listed('Attributes'));
    assert.deepEqual(names(element.events), listed('Events'));
    assert.deepEqual(names(element.slots), listed('Slots'));
  });

  it('the manifest and docs/element.md name the same methods, and the same properties that are not attributes', () => {
    const calls = names(methods).map((name) => `${name}()`);
    assert.deepEqual(calls, listed('Functions'));
    const attributes = new Set(element.attributes.map(({ fieldName }) => fieldName));
    assert.deepEqual(names(fields.filter(({ name }) => !attributes.has(name))), listed('More properties'));
  });

  it('docs/theming.md lists the custom properties, parts and states of the manifest, in the same words', () => {
    const lines = (all: readonly { name: string; description?: string }[]) =>
      all.map(({ name, description }) => `\`${name}\`: ${description}`);
    assert.deepEqual(items('Custom properties'), lines(element.cssProperties));
    assert.deepEqual(items('Parts'), lines(element.cssParts));
    const states = element.cssStates.map(({ name, ...rest }) => ({ ...rest, name: `:state(${name})` }));
    assert.deepEqual(items('States'), lines(states));
  });

  it('the manifest describes everything that it names', () => {
    const { attributes, events, slots, cssParts, cssProperties, cssStates, members } = element;
    const all = [...attributes, ...events, ...slots, ...cssParts, ...cssProperties, ...cssStates, ...members];
    assert.deepEqual(names(all.filter(({ description }) => !description)), []);
  });
});

describe('the manifest and the element', () => {
  const SOURCES = globSync('widget/**/*.ts', { exclude: ['widget/build/**', 'widget/locales/**'] })
    .map((file) => readFileSync(file, 'utf8').replaceAll(/^ \*.*$/gm, ''))
    .join('\n');
  const found = (pattern: RegExp) => new Set([...SOURCES.matchAll(pattern)].map(([, name = '']) => name));

  /** Parts that pages may rely on. More may be added, none may be removed. */
  const PARTS = 'methods method amount wallet pay code app-link copy countdown status error again other'.split(' ');

  it('the manifest and the class have the same attributes, properties and methods', () => {
    const { observedAttributes, elementProperties, prototype } = PaymentWidget;
    // The browser defines `name` for every form-associated element.
    const attributes = names(element.attributes).filter((name) => name !== 'name');
    assert.deepEqual(attributes, observedAttributes.toSorted());
    const settable = names(fields.filter(({ readonly }) => !readonly));
    assert.deepEqual(settable, [...elementProperties.keys()].map(String).toSorted());
    for (const { name } of element.members) assert.ok(name in prototype, name);
  });

  it('the stand-in for tests mirrors the attributes of the manifest, with their usual values', () => {
    const documented = element.attributes.filter(({ name }) => name !== 'name');
    const mirrored = Object.entries(ATTRIBUTES).map(([name, [property]]) => `${name} ${property}`);
    assert.deepEqual(mirrored.toSorted(), documented.map(({ name, fieldName }) => `${name} ${fieldName}`).toSorted());
  });

  it('the manifest names the values of method and checkout-target', () => {
    const types = new Map(element.attributes.map(({ name, type }) => [name, type?.text]));
    assert.equal(types.get('method'), METHODS.map((method) => `'${method}'`).join(' | '));
    assert.equal(types.get('checkout-target'), `'_self' | '_blank' | '_top'`);
  });

  it('the manifest and the templates have the same parts, and all that were promised', () => {
    const documented = names(element.cssParts);
    const missing = PARTS.filter((part) => !documented.includes(part));
    assert.deepEqual(missing, []);
    const drawn = [...found(/\bpart="([\w -]+)"/g)].flatMap((parts) => parts.split(' '));
    assert.ok(drawn.length >= 15, drawn.join());
    const undocumented = drawn.filter((part) => !documented.includes(part));
    assert.deepEqual(undocumented, []);
    const undrawn = documented.filter((part) => !drawn.includes(part) && !SOURCES.includes(`'${part}'`));
    assert.deepEqual(undrawn, []);
  });

  it('the manifest and the sources have the same custom properties and slots', () => {
    assert.deepEqual(names(element.cssProperties), [...found(/var\(\s*(--payment-[\w-]+)/g)].toSorted());
    const slots = [...found(/<slot name="([^"]+)"/g)];
    const each = slots.flatMap((slot) =>
      slot === 'icon-${method}' ? METHODS.map((method) => `icon-${method}`) : slot,
    );
    assert.deepEqual(names(element.slots), each.toSorted());
  });

  it('the manifest and the event types have the same events', () => {
    const [, map = ''] =
      /interface PaymentEventDetails \{(.*?)^\}/ms.exec(readFileSync('widget/flow/events.ts', 'utf8')) ?? [];
    const typed = [...map.matchAll(/^ {2}'([\w-]+)':/gm)].map(([, name = '']) => name);
    assert.deepEqual(names(element.events), typed.toSorted());
  });
});
