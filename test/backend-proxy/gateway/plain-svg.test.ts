// The SVG filter: what QR code generators write passes; anything that loads, moves, runs or is expensive is refused.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import QRCode from 'qrcode';
import { isPlainSvg } from '../../../backend-proxy/gateway/plain-svg.ts';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">';
const around = (inner: string) => `${SVG}${inner}</svg>`;

it('isPlainSvg() accepts what QR code generators write', async () => {
  const own = await QRCode.toString('https://wallet.example/q', { type: 'svg' });
  for (const text of [
    own,
    `<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<!-- Created with a library -->\n${around('<g transform="scale(4.878)"><g transform="translate(0,0)"><path fill-rule="evenodd" d="M0 0L0 7L7 7Z" fill="#000000"/></g></g>')}`,
    `\uFEFF<?xml version='1.0' encoding='utf-8'?>${around(`<path d='M0,0h9v9z' style='fill: #fff; stroke:none;shape-rendering : crispEdges'/>`)}\n`,
    `<svg width="29mm" height="29mm" version="1.1" class="qr"><defs/><title>Pay A &amp; B</title><desc>&lt;q></desc><rect x="0" y="0" width="100%" height="100%" fill="rgb(255,255,255)"/><circle cx="1" cy="1" r="1"/><ellipse/><line x1="0" y1="0" x2="1" y2="1"/><polyline points="0,0 1,1"/><polygon points="0,0 1,1"></polygon></svg>`,
  ]) {
    assert.ok(isPlainSvg(text), text.slice(0, 200));
  }
});

it('isPlainSvg() refuses any element but shapes', () => {
  for (const name of [
    'use', 'image', 'filter', 'pattern', 'foreignObject', 'style', 'script', 'animate', 'animateTransform', 'set', 'mask',
    'clipPath', 'marker', 'symbol', 'text', 'a', 'switch', 'linearGradient', 'feFlood', 'iframe', 'SVG', 'svg:use', 'x:image',
    'USE', 'Path',
  ]) {
    assert.equal(isPlainSvg(around(`<${name}/>`)), false, name);
    assert.equal(isPlainSvg(around(`<g><${name} x="1"></${name}></g>`)), false, name);
  } // prettier-ignore
});

it('isPlainSvg() refuses attributes that load, run, filter or repeat', () => {
  for (const attribute of [
    'onload="alert(1)"',
    "onclick='x'",
    'href="#a"',
    'xlink:href="data:image/png;base64,AA"',
    'fill="url(#a)"',
    'fill="URL (#a)"',
    'fill="u\\72l(#a)"',
    'fill="u&#114;l(#a)"',
    'style="fill:url(https://evil.example/)"',
    'style="filter:blur(999px)"',
    'style="background:red"',
    'style="fill:#000;--x:1"',
    'filter="blur(999px)"',
    'mask="x"',
    'clip-path="x"',
    'opacity=".5"',
    'style="opacity:.5"',
    'stroke-dasharray="0.00001"',
    'marker-end="x"',
    'xml:base="https://evil.example/"',
  ]) {
    assert.equal(isPlainSvg(around(`<path d="M0 0" ${attribute}/>`)), false, attribute);
  }
});

it('isPlainSvg() refuses entities, DOCTYPE, CDATA, processing instructions and other encodings', () => {
  for (const text of [
    `<!DOCTYPE svg [<!ENTITY a "aaaa">]>${around('')}`,
    `<!doctype svg>${around('')}`,
    around('<title>&a;</title>'),
    around('<title>&#60;</title>'),
    around('<title>&amp</title>'),
    around('<![CDATA[<use/>]]>'),
    `<?xml-stylesheet href="https://evil.example/"?>${around('')}`,
    `<?xml version="1.0" encoding="UTF-7"?>${around('')}`,
    `<?xml version="1.0" encoding="utf-16"?>${around('')}`,
    around('<?php x ?>'),
  ]) {
    assert.equal(isPlainSvg(text), false, text);
  }
});

it('isPlainSvg() refuses invalid XML, which browsers could read differently', () => {
  for (const inner of [
    '<path d=M0/>',
    '<path d="M0"fill="#000"/>',
    '<path d="<use/>"/>',
    '<path d/>',
    '<path <use/>',
    '< use/>',
    '<',
    '<!-- a -- <use/> -->',
    '<!-- open <use/>',
    '<path d="M0',
    '<use\n/>',
    '<g\u00a0><use/></g>',
  ]) {
    assert.equal(isPlainSvg(around(inner)), false, inner);
  }
  assert.ok(isPlainSvg(around('<!-- <use/> --><path\n\td = "M0"\r\n/>')));
});

it('isPlainSvg() refuses more than 16 levels, because each may clip', () => {
  const nested = (depth: number) => `${'<g fill-opacity=".5">'.repeat(depth)}${'</g>'.repeat(depth)}`;
  assert.ok(isPlainSvg(around(nested(15))));
  assert.equal(isPlainSvg(around(nested(16))), false);
  assert.ok(isPlainSvg(around('<g></g><g/>'.repeat(1_000))), 'beside each other there may be many');
});

it('isPlainSvg() takes time linear in the length of a hostile text', () => {
  for (const text of [
    `${SVG}<path ${' '.repeat(65_000)}`,
    `${SVG}<path ${'a="" '.repeat(13_000)}`,
    `${SVG}${'<!--'.repeat(16_000)}`,
    `${SVG}${'<g/>'.repeat(16_000)}<use/>`,
    `<?xml ${' version'.repeat(8_000)}`,
    `${SVG}<path d="${'&amp;'.repeat(13_000)}`,
  ]) {
    const from = performance.now();
    assert.equal(isPlainSvg(text), false);
    assert.ok(performance.now() - from < 1_000, `${text.slice(60, 80)}: ${performance.now() - from} ms`);
  }
});
