// Styles of the first paint; flow.styles.ts has the rest. Every color, radius, space and font is a custom property
// that the page can set (`--payment-…`), with a default for light and for dark; the rules use shorter names for them.
// Panels differ in markup rather than in classes. Logical properties serve right-to-left as well, and sizes depend on
// the element's width.

/** Called `css` so that formatter and minifier recognize it. Lit's own `css` can more than this needs. */
const css = String.raw;

export const styles = css`
  :host {
    --_text: var(--payment-color-text, light-dark(#14171f, #f1f3f7));
    --_muted: var(--payment-color-muted, light-dark(#596070, #a6adbb));
    --_surface: var(--payment-color-surface, light-dark(#fff, #16181e));
    --_line: var(--payment-color-line, light-dark(#d3d7e0, #525969));
    --_field: var(--payment-color-field, light-dark(#858c9b, #737b8b));
    --_fill: var(--payment-color-accent, light-dark(#2348d5, #3f63ee));
    /* In the dark, a line and a text have to be lighter than the button. */
    --_accent: var(--payment-color-accent, light-dark(#2348d5, #94abff));
    /* White or black: at this luminance of the accent both are 4.6 : 1 on it. */
    --_bright: calc((0.179 - y) * 9999);
    --_on-accent: var(
      --payment-color-on-accent,
      color(from var(--_fill) xyz var(--_bright) var(--_bright) var(--_bright))
    );
    --_radius: var(--payment-radius, 12px);
    --_space: var(--payment-space, max(16px, 0.5rem + 8px));
    --_tint: color-mix(in srgb, var(--_accent) 11%, transparent);
    display: block;
    container-type: inline-size;
    contain-intrinsic-inline-size: min(27rem, 100vw - 5rem);
    min-inline-size: 0;
    max-inline-size: var(--payment-max-width, 32rem);
    color: var(--_text);
    font: var(--payment-font, inherit);
    line-height: 1.5;
    text-align: start;
  }
  section:not(:has(p, b)),
  :host([hidden]) {
    display: none;
  }
  * {
    box-sizing: border-box;
    margin: 0;
    padding: 0;
    min-inline-size: 0;
    font: inherit;
  }
  .sheet,
  .panel,
  form,
  .field {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: var(--_space);
  }
  .sheet {
    padding: var(--payment-padding, min(var(--_space) * 1.5, 4px + 5cqi));
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) * 1.5);
    background: var(--_surface);
    overflow-wrap: anywhere;
  }
  section:has(b) {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px 12px;
    line-height: 1.375;
  }
  section > div {
    flex: 1 1 6em;
  }
  section img,
  ::slotted([slot='logo']) {
    flex: none;
    /* With a size of its own, a mark that cannot be loaded would be drawn as a broken image. */
    min-inline-size: 2.5em;
    max-inline-size: 2.5em;
    min-block-size: 2.5em;
    max-block-size: 2.5em;
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) * 0.75);
    background: #fff;
    object-fit: cover;
  }
  .total {
    font-size: min(2em, 11cqi);
    font-weight: 680;
    letter-spacing: -0.02em;
  }
  .long {
    font-size: min(2em, 7cqi);
  }
  section:has(b) .total:not(.long) {
    font-size: 1.5em;
  }
  small,
  b {
    display: block;
  }
  small,
  [lang] > p {
    color: var(--_muted);
    min-block-size: 1lh;
    font-size: 0.875em;
  }
  span > small {
    display: var(--_help, block);
  }
  h2,
  b,
  button,
  a {
    font-weight: 600;
  }
  h2 {
    font-size: 1.125em;
  }
  fieldset,
  .field {
    gap: calc(var(--_space) / 2);
  }
  legend {
    padding-block-end: calc(var(--_space) * 0.75);
  }
  .method {
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
  }
  .method > label,
  .only {
    display: flex;
    align-items: start;
    gap: 0.75em;
  }
  /* Inherited by what is below, because WebKit restyles the method alone when :checked changes. */
  .method:not(:has(:checked)) {
    --_fold: 0fr;
    --_fold-visibility: hidden;
    --_help: none;
  }
  .method > label {
    padding: var(--_space);
  }
  .method:has(:checked) {
    border-color: var(--_accent);
    background: var(--_tint);
    box-shadow: inset 0 0 0 1px var(--_accent);
  }
  .fold {
    display: grid;
    grid-template-rows: var(--_fold, 1fr);
    visibility: var(--_fold-visibility);
  }
  .fold > div {
    overflow: hidden;
  }
  .fold .field {
    padding: 0 var(--_space) var(--_space);
  }
  [type='radio'] {
    flex: none;
    inline-size: 1.25em;
    block-size: 1.25em;
    margin-block: 0.125em;
    border: 1px solid var(--_field);
    border-radius: 50%;
    appearance: none;
  }
  :checked {
    border: 0.375em solid var(--_accent);
  }
  .icon {
    flex: none;
    inline-size: 1.5em;
    fill: none;
    stroke: var(--_muted);
    stroke-width: 1.6;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  :checked ~ slot .icon,
  .only .icon {
    stroke: var(--_accent);
  }
  .field input,
  button,
  a {
    inline-size: 100%;
    min-block-size: 3em;
    padding-inline: var(--_space);
    border: 1px solid var(--_field);
    border-radius: var(--_radius);
    background: var(--_surface);
    color: inherit;
  }
  .field input {
    font-size: max(1em, 16px);
    direction: ltr;
  }
  input:dir(rtl) {
    text-align: right;
  }
  button,
  a {
    display: flex;
    align-items: center;
    justify-content: center;
    gap: 0.5em;
    padding-block: 0.6em;
  }
  /* In a grid, WebKit keeps the width of the legend when the page gets narrower. */
  fieldset {
    display: flex;
    flex-direction: column;
    border: 0;
  }
  .primary {
    min-block-size: 3.25em;
    border-color: transparent;
    background: var(--_fill);
    color: var(--_on-accent);
  }
  .live {
    position: absolute;
    clip-path: inset(50%);
  }
  @container (width < 20rem) {
    section:has(b) {
      align-items: start;
    }
    .method > label slot {
      display: none;
    }
  }
`;
