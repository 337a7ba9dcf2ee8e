// Whether an SVG is nothing but plain shapes. An <img> keeps it from running anything, but not from costing anything: ten <g> of
// ten <use> each are 1.8 KB and hang a page. So what may be in it is listed, elements and attributes, and all else is refused.
// It is read here as strictly as it has to be written: what another parser could read otherwise is refused as well.

/** Each level may be a clip of its own. A code needs three. */
const MAX_DEPTH = 16;
const ELEMENTS = new Set('svg g path rect circle ellipse line polyline polygon title desc defs'.split(' '));
/** Not `opacity`: each use of it is a layer, and what fits into 64 KB of them takes a browser half a minute. */
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
/** A comment, a tag, or text; no CDATA, no processing instruction, no DOCTYPE. */
const PIECE = new RegExp(
  String.raw`<!--(?:(?!--)[^])*-->|<(?<end>/?)(?<name>[A-Za-z][\w:.-]*)(?<attributes>(?:${ATTRIBUTE})*)\s*(?<alone>/?)>|[^<]+`,
  'y',
);
/** The five entities of XML itself: none of them can spell a word. */
const ENTITY = /&(?!(?:amp|lt|gt|quot|apos);)/;

/** How many elements there may be needs no limit of its own: none is shorter than four bytes, and the bytes are limited. */
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
      // A backslash is how CSS hides a word.
      if (/url\s*\(|\\/i.test(value)) return false;
      return name === 'style' ? value.split(';').every(isPlainStyle) : ATTRIBUTES.has(name);
    },
  );
}

function isPlainStyle(declaration: string): boolean {
  return declaration.trim() === '' || PAINTS.has(declaration.split(':', 1)[0]?.trim() ?? '');
}
