// Styles of everything after the first paint: interaction, notes, waiting, results. Uses the short names of
// shell.styles.ts and adds five. Choosing and reading is aligned to the start; one thing to do or to know is centered.

/** Called `css` so that formatter and minifier recognize it. Lit's own `css` would be loaded a second time. */
const css = String.raw;

export const flowStyles = css`
  :host {
    --_success: var(--payment-color-success, light-dark(#0a7540, #43b97b));
    --_danger: var(--payment-color-danger, light-dark(#b3231b, #ff978e));
    --_warning: var(--payment-color-warning, light-dark(#7a4b00, #ffc04d));
    --_press: color(from var(--_on-accent) srgb clamp(0, 1 - r, 1) clamp(0, 1 - g, 1) clamp(0, 1 - b, 1));
    --_code-size: 17rem;
    scroll-margin: 1em;
  }
  :host(:disabled) {
    opacity: 0.5;
  }
  /* On the sheet's edge, so that it moves nothing when it comes with the first view. */
  strong {
    position: absolute;
    inset: 0 0 auto;
    inline-size: fit-content;
    margin: auto;
    padding: 0 0.75em;
    border: 1px solid;
    border-radius: 1em;
    font-size: 0.75em;
    translate: 0 -50%;
  }
  .method > label,
  button,
  summary {
    cursor: pointer;
  }
  a {
    text-decoration: none;
    text-align: center;
  }
  .sheet {
    position: relative;
    text-wrap: pretty;
  }
  .sheet:not(:has(form)) :is(.panel, .total) {
    text-align: center;
    text-wrap: balance;
  }
  .panel > :is(.icon, h2),
  :is(.panel, .pair) > p:not(.note) {
    justify-self: center;
  }
  :is(.panel, .pair) > p:not(.note) {
    max-inline-size: 34ch;
  }
  .panel > h2 {
    scroll-margin: 12em;
    border-radius: 4px;
    font-size: 1.25em;
    font-weight: 650;
  }
  .panel > h2 + :is(p:not(.note, .status), .pair) {
    margin-block-start: calc(var(--_space) * -0.625);
  }
  :disabled {
    border-color: var(--_line);
  }
  :disabled ~ span b {
    color: var(--_muted);
    text-decoration: line-through;
  }
  :disabled ~ span small {
    display: block;
  }
  ::placeholder {
    color: var(--_text);
    opacity: 0.6;
  }
  .wallet [aria-invalid='true'] {
    border: 2px solid var(--_danger);
  }
  .wrong,
  .wrong::before {
    color: var(--_danger);
  }
  svg.warning,
  .warning::before,
  strong {
    color: var(--_warning);
  }
  :is(small, .note):is(.wrong, .warning) {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr);
    gap: 4px 0.6em;
  }
  :is(small, .note):is(.wrong, .warning)::before {
    content: '!' / '';
    inline-size: 1.2858em;
    block-size: 1.2858em;
    margin-block: 0.1em;
    border-radius: 50%;
    background: currentColor;
    box-shadow: inset 0 0 0 1px;
    font-weight: 700;
    line-height: 1.25;
    text-align: center;
    -webkit-text-fill-color: var(--_surface);
  }
  .note {
    padding: calc(var(--_space) * 0.75) var(--_space);
    border-radius: var(--_radius);
    background: color-mix(in srgb, currentColor 8%, transparent);
    color: var(--_text);
    text-align: start;
    text-wrap: pretty;
  }
  .note.wrong {
    background: color-mix(in srgb, var(--payment-color-danger, light-dark(#d92d20, #ff3b30)) 16%, transparent);
  }
  .note.warning,
  strong {
    background: color-mix(in srgb, var(--payment-color-warning, light-dark(#f2b134, #ffb000)) 16%, var(--_surface));
  }
  .quiet {
    padding-inline: calc(var(--_space) / 2);
    border-color: transparent;
    background: none;
    color: var(--_accent);
  }
  .quiet,
  details,
  .row {
    margin-block: calc(var(--_space) / -2);
  }
  .row .quiet {
    min-block-size: 44px;
    inline-size: auto;
    margin: 0;
    padding-inline: 12px;
    color: var(--_muted);
    font-size: 0.875em;
  }
  details .row {
    margin-block: var(--_space) 0;
  }
  details .row .quiet {
    border-color: var(--_field);
    color: inherit;
    flex: 1 1 9.5em;
    min-inline-size: fit-content;
  }
  .row a.quiet {
    flex-basis: 100%;
  }
  button .icon {
    inline-size: 1.25em;
    stroke: currentColor;
  }
  form > small,
  .row small {
    text-align: center;
    text-wrap: balance;
  }
  @media (hover: hover) {
    .primary:hover {
      background: color-mix(in srgb, var(--_fill) 88%, var(--_press));
    }
    :is(.second, .quiet):hover {
      background: var(--_tint);
    }
    .method:hover {
      --_line: var(--_field);
    }
  }
  :is(a, button):active {
    opacity: 0.8;
  }
  :focus-visible,
  .method:has(:focus-visible) {
    outline: 3px solid color-mix(in srgb, var(--_accent) 75%, transparent);
    outline-offset: 2px;
  }
  .method:has([name='wallet']:focus-visible),
  .method [type='radio']:focus-visible {
    outline: none;
  }
  i {
    display: inline-block;
    flex: none;
    inline-size: 1.1em;
    block-size: 1.1em;
    border: 2px solid;
    border-inline-start-color: transparent;
    border-radius: 50%;
  }
  .status {
    font-variant-numeric: tabular-nums;
  }
  .status i {
    margin-inline-end: 0.4em;
    color: var(--_accent);
    vertical-align: -0.15em;
  }
  .countdown {
    text-wrap: nowrap;
  }
  .countdown::before {
    content: '· ';
  }
  .bar {
    inline-size: min(100%, var(--_code-size));
    block-size: 4px;
    margin-block-start: calc(var(--_space) / -2);
    border-radius: 4px;
    justify-self: center;
    background: var(--_line);
    fill: var(--_accent);
  }
  .note button {
    justify-content: start;
    padding: 0;
  }
  .panel > .icon {
    box-sizing: content-box;
    inline-size: 1.75em;
    margin-block: calc(var(--_space) / 2) calc(var(--_space) / -4);
    padding: 0.75em;
    border-radius: 50%;
    background: var(--_tint);
    stroke: var(--_accent);
  }
  .panel > svg:is(.clock, .ended, .wrong, .warning) {
    background: color-mix(in srgb, currentColor 16%, transparent);
    stroke: currentColor;
    stroke-width: 2.5;
  }
  .panel > .paid {
    inline-size: 2.75em;
    background: var(--_success);
    print-color-adjust: exact;
    stroke: var(--_surface);
    stroke-width: 2.2;
  }
  .phone {
    inline-size: 132px;
    justify-self: center;
    fill: none;
    stroke: var(--_accent);
    stroke-width: 2.5;
    stroke-linecap: round;
  }
  .phone rect {
    stroke: var(--_text);
  }
  .phone :first-child {
    fill: var(--_tint);
    stroke: var(--_line);
    stroke-width: 1;
  }
  .phone .ring {
    stroke-width: 4;
  }
  .pair {
    display: grid;
    gap: var(--_space);
  }
  .row {
    display: flex;
    flex-wrap: wrap;
    justify-content: center;
    align-items: center;
    gap: 8px;
  }
  summary {
    padding-block: 0.9em;
    border-radius: var(--_radius);
    color: var(--_muted);
    font-weight: 600;
  }
  .print-only {
    display: none;
  }
  .code {
    position: relative;
    inline-size: min(100%, var(--_code-size));
    justify-self: center;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    overflow: hidden;
    background: #fff;
    forced-color-adjust: none;
  }
  .code > :not(slot) {
    display: block;
    inline-size: 100%;
    aspect-ratio: 1;
    object-fit: contain;
    image-rendering: pixelated;
    shape-rendering: crispEdges;
  }
  .code img {
    padding: 6%;
  }
  ::slotted([slot='mark']) {
    position: absolute;
    inset: 41%;
    box-sizing: border-box;
    inline-size: 18%;
    block-size: 18%;
    /* Also on a page that resets every padding. */
    padding: 1.5% !important;
    border-radius: 20%;
    background: #fff;
    object-fit: contain;
  }
  dl {
    display: grid;
    gap: calc(var(--_space) / 2);
    padding-block-start: var(--_space);
    border-block-start: 1px solid var(--_line);
  }
  dl div {
    display: flex;
    flex-wrap: wrap;
    gap: 0 var(--_space);
  }
  dt {
    color: var(--_muted);
    text-align: start;
  }
  dd {
    margin-inline-start: auto;
    text-align: end;
    font-weight: 600;
  }
  .sum {
    margin-block-end: calc(var(--_space) / 2);
    padding-block: calc(var(--_space) / 2);
    border-block: 1px solid var(--_line);
  }
  .sum dt {
    color: inherit;
    font-weight: 600;
  }
  :is(.bar, .phone, .CHECKOUT):dir(rtl) {
    scale: -1 1;
  }
  :lang(ko) {
    word-break: keep-all;
  }
  :lang(ja) {
    word-break: auto-phrase;
  }
  .note:lang(ja) {
    line-break: strict;
    word-break: normal;
  }
  @keyframes turn {
    to {
      rotate: 1turn;
    }
  }
  @container (width < 20rem) {
    .countdown {
      display: block;
    }
    .countdown::before {
      display: none;
    }
  }
  @container (width < 16rem) {
    dl div {
      display: block;
    }
    dd {
      text-align: start;
    }
    .status i {
      display: block;
      margin: 0 auto 0.4em;
    }
    .method b,
    .only h2 {
      font-size: 0.9em;
    }
  }
  /* The page sets the accent alone: as a line or as text it is as light as this surface needs. */
  @container not style(--payment-color-surface) {
    .sheet {
      --_accent: light-dark(oklch(from var(--_fill) min(l, 0.5) c h), oklch(from var(--_fill) max(l, 0.7) c h));
    }
  }
  @media print {
    :host {
      --_text: #000;
      --_muted: #000;
      --_surface: #fff;
      --_line: #999;
      color-scheme: light;
    }
    :focus-visible {
      outline: none;
    }
    .print-only {
      display: block;
    }
    .sheet:has(.pair)
      :is(p:not(.total, .print-only, section p), small, h2, summary, slot:not([name='mark'], section slot)),
    :is(a, button, .row, .status, .live, .note:has(b)) {
      display: none;
    }
  }
  @media (prefers-reduced-motion: no-preference) {
    .fold {
      transition:
        grid-template-rows 0.15s,
        visibility 0.15s;
    }
    i {
      animation: turn 1.1s linear infinite;
    }
  }
  @media (prefers-contrast: more) {
    .sheet {
      --_muted: var(--_text);
      --_field: var(--_text);
      --_line: var(--_text);
      --_accent: var(--_text);
      --_fill: var(--_text);
      --_on-accent: var(--_surface);
      --_warning: var(--_text);
      --_tint: none;
    }
    ::placeholder {
      opacity: 0.75;
    }
    .bar,
    .note,
    .panel > svg.icon {
      border: 1px solid;
    }
    .bar {
      background: none;
    }
    :not(.row) > .quiet {
      text-decoration: underline;
    }
  }
  @media (forced-colors: active) {
    ::placeholder,
    .second,
    details .row .quiet {
      color: CanvasText;
    }
    .primary {
      border-color: Highlight;
      background: Highlight;
      color: HighlightText;
      outline-color: CanvasText;
      forced-color-adjust: none;
    }
    details,
    .row {
      margin-block: 0;
    }
    summary,
    :not(.row) > .quiet,
    small ~ .quiet {
      border: 0;
      color: LinkText;
      text-decoration: underline;
    }
    .method:has(:checked):not(:has([type='radio']:focus-visible)) {
      outline: 2px solid;
      outline-offset: 0;
    }
    .method slot .icon,
    .only .icon {
      stroke: currentColor;
    }
    .wrong::before,
    .warning::before,
    .note {
      border: 1px solid;
    }
    [aria-invalid='true'],
    .note.wrong {
      border-style: dashed !important;
    }
    .bar {
      block-size: 6px;
      border: 1px solid;
      fill: Highlight;
    }
    :disabled,
    :disabled ~ * {
      --_muted: GrayText;
      --_line: GrayText;
      color: GrayText;
    }
    .status i {
      color: CanvasText;
      forced-color-adjust: none;
    }
    .phone,
    .phone rect,
    .panel > svg.icon {
      --_tint: none;
      color: CanvasText;
      stroke: currentColor;
    }
    .panel > svg.icon {
      border: 1px solid;
      background: Canvas;
    }
    .phone :first-child {
      stroke: currentColor;
    }
    .phone .ring {
      stroke: Highlight;
    }
    .panel > svg.paid {
      background: CanvasText;
      stroke: Canvas;
      forced-color-adjust: none;
    }
  }
`;
