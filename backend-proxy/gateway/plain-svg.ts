// Accepts an SVG only if it consists of plain shapes. An <img> stops scripts, but not expensive content: ten <g> of
// ten <use> each take 1.8 KB and hang a page. So elements and attributes are allowlisted. The parser is strict: it
// rejects what another parser could read differently.

/** Each level may clip, which costs time. A QR code needs three levels. */
const MAX_DEPTH = 16;
const ELEMENTS = new Set('svg g path rect circle ellipse line polyline polygon title desc defs'.split(' '));
/** No `opacity`: each use creates a layer, and as many as fit in 64 KB take a browser half a minute. */
const PAINT = 'fill fill-opacity fill-rule stroke stroke-opacity stroke-width stroke-linecap stroke-linejoin color shape-rendering'; // prettier-ignore
const PAINTS = new Set(PAINT.split(' '));
const ATTRIBUTES = new Set([
  ...PAINTS,
  ...'xmlns xmlns:xlink xmlns:svg xml:space version baseProfile width height viewBox preserveAspectRatio'.split(' '),
  ...'id class role aria-label transform d points x y x1 y1 x2 y2 cx cy r rx ry'.split(' '),
]);

const DECLARATION =
  /^\s*<\?xml\s+version=["']1\.[01]["'](?:\s+encoding=["']utf-8["'])?(?:\s+standalone=["'](?:yes|no)["'])?\s*\?>/i;
const ATTRIBUTE = String.raw`\s+[A-Za-z][\w:.-]*\s*=\s*(?:"[^"<]*"|'[^'<]*')`;
/** A comment, a tag, or text; no CDATA, processing instruction or DOCTYPE. */
const PIECE = new RegExp(
  String.raw`<!--(?:(?!--)[^])*-->|<(?<end>/?)(?<name>[A-Za-z][\w:.-]*)(?<attributes>(?:${ATTRIBUTE})*)\s*(?<alone>/?)>|[^<]+`,
  'y',
);
/** The five entities of XML: none of them can hide a word. */
const ENTITY = /&(?!(?:amp|lt|gt|quot|apos);)/;

/** Needs no limit on the number of elements: the size is limited, and an element takes at least four bytes. */
export function isPlainSvg(text: string): boolean {
  const source = text.replace(/^\uFEFF/, '').replace(DECLARATION, '');
  if (ENTITY.test(source)) return false;
  let depth = 0;
  PIECE.lastIndex = 0;
  while (PIECE.lastIndex < source.length) {
    const tag = PIECE.exec(source)?.groups;
    if (tag === undefined) return false;
    const { name, end, alone, attributes = '' } = tag;
    if (name === undefined) continue;
    if (!ELEMENTS.has(name) || !areAllPlain(attributes)) return false;
    if (end) depth -= 1;
    else if (!alone) depth += 1;
    if (depth > MAX_DEPTH) return false;
  }
  return true;
}

function areAllPlain(attributes: string): boolean {
  return [...attributes.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].every(
    ([, name = '', double, single]) => {
      const value = double ?? single ?? '';
      // A backslash escapes characters in CSS and can hide a word.
      if (/url\s*\(|\\/i.test(value)) return false;
      return name === 'style' ? value.split(';').every(isPlainStyle) : ATTRIBUTES.has(name);
    },
  );
}

function isPlainStyle(declaration: string): boolean {
  return declaration.trim() === '' || PAINTS.has(declaration.split(':', 1)[0]?.trim() ?? '');
}
