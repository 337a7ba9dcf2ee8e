// Styles of everything after the first paint: interaction, notes, waiting, results. Uses the short names of
// shell.styles.ts and adds three.

/** Called `css` so that formatter and minifier recognise it. Lit's own `css` would be loaded a second time. */
const css = String.raw;

export const flowStyles = css`
  :host {
    --_success: var(--payment-color-success, light-dark(#0a7540, #56cc8d));
    --_danger: var(--payment-color-danger, light-dark(#b3231b, #ff978e));
    --_code-size: 15rem;
  }
  :host(:disabled) {
    opacity: 0.5;
  }
  .method,
  button,
  a {
    touch-action: manipulation;
    cursor: pointer;
  }
  a {
    text-align: center;
    text-decoration: none;
  }
  h2:focus {
    outline: none;
  }
  section:not(:has(p)) {
    display: none;
  }
  .panel > h2 {
    font-size: 1.1875em;
    line-height: 1.3;
    text-wrap: balance;
  }
  .panel > h2 + p:not(.note) {
    margin-block-start: calc(var(--_space) / -2);
  }
  .field [aria-invalid='true'] {
    border: 2px solid var(--_danger);
  }
  .wrong {
    color: var(--_danger);
  }
  .note {
    padding: calc(var(--_space) * 0.75) var(--_space);
    border-radius: var(--_radius);
    background: color-mix(in srgb, currentColor 8%, transparent);
    color: var(--_text);
  }
  .note.wrong {
    color: var(--_danger);
  }
  .note.warning {
    border-inline-start: 3px solid var(--_danger);
  }
  .note small {
    margin-block-start: 4px;
  }
  .note b {
    color: var(--_text);
  }
  .quiet {
    min-block-size: 44px;
    border-color: transparent;
    color: var(--_accent);
  }
  @media (hover: hover) {
    .method:hover:not(:has(:checked)) {
      border-color: var(--_field);
    }
    .primary:hover {
      background: color-mix(in srgb, var(--_accent) 88%, var(--_text));
    }
    .second:hover,
    .quiet:hover {
      background: var(--_tint);
    }
    .note button:hover {
      background: none;
      text-decoration: underline;
    }
  }
  .primary:active {
    background: color-mix(in srgb, var(--_accent) 76%, var(--_text));
  }
  :focus-visible,
  .method:has(:focus-visible) {
    outline: 3px solid color-mix(in srgb, var(--_accent) 75%, transparent);
    outline-offset: 2px;
  }
  .method :focus-visible {
    outline: none;
  }
  [aria-disabled='true'] {
    cursor: progress;
  }
  i {
    flex: none;
    inline-size: 1.1em;
    block-size: 1.1em;
    border: 2px solid;
    border-inline-start-color: transparent;
    border-radius: 50%;
    animation: turn 1.1s linear infinite;
  }
  .status {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.3em 0.7em;
  }
  .status span {
    flex: 1 1 6em;
  }
  .status .countdown {
    flex: none;
    font-variant-numeric: tabular-nums;
  }
  .note button {
    justify-content: start;
    inline-size: auto;
    margin: 4px -8px 0;
    padding: 0 8px;
  }
  .panel > .icon {
    box-sizing: content-box;
    padding: 13px;
    border-radius: 50%;
    background: var(--_tint);
    stroke: var(--_accent);
  }
  .panel > .paid {
    background: color-mix(in srgb, var(--_success) 14%, transparent);
    stroke: var(--_success);
    stroke-width: 2.2;
  }
  .panel > .expired {
    background: color-mix(in srgb, var(--_muted) 14%, transparent);
    stroke: var(--_text);
    stroke-width: 2.2;
  }
  .panel > .failed {
    background: color-mix(in srgb, var(--_danger) 12%, transparent);
    stroke: var(--_danger);
    stroke-width: 2.4;
  }
  .pair,
  .beside,
  .row {
    display: grid;
    gap: var(--_space);
  }
  .row {
    display: flex;
    flex-wrap: wrap;
    gap: calc(var(--_space) / 2);
  }
  .row > * {
    flex: 1 1 min(100%, 8.5rem);
    inline-size: auto;
  }
  .print-only {
    display: none;
  }
  .code {
    inline-size: min(100%, var(--_code-size));
    justify-self: center;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    overflow: hidden;
    background: #fff;
    forced-color-adjust: none;
  }
  .code > * {
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
  dl {
    display: grid;
    grid-template-columns: auto 1fr;
    gap: calc(var(--_space) / 2) var(--_space);
    padding-block-start: var(--_space);
    border-block-start: 1px solid var(--_line);
  }
  dt {
    color: var(--_muted);
  }
  dd {
    text-align: end;
    font-weight: 600;
  }
  .CHECKOUT:dir(rtl) {
    scale: -1 1;
  }
  @keyframes turn {
    to {
      rotate: 1turn;
    }
  }
  @container (width < 16rem) {
    dl {
      grid-template-columns: minmax(0, 1fr);
      row-gap: 0;
    }
    dd {
      margin-block-end: calc(var(--_space) / 2);
      text-align: start;
    }
  }
  @container (width >= 34rem) {
    .pair:has(.code) {
      grid-template-columns: var(--_code-size) 1fr;
      align-items: center;
      gap: calc(var(--_space) * 2);
    }
  }
  @media (pointer: coarse) {
    a.second {
      border-color: transparent;
      background: var(--_accent);
      color: var(--_on-accent);
    }
    @container (width < 34rem) {
      .pair:has(a) .beside {
        display: contents;
      }
      .pair:has(a) :is(p, a) {
        order: -1;
      }
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
    .print-only {
      display: block;
    }
    .code {
      justify-self: start;
    }
    .sheet:has(.code) :is(a, button, small, .note, .status, .beside, .live, slot, h2) {
      display: none;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    i {
      animation: none;
      border-style: dotted;
    }
  }
  @media (prefers-contrast: more) {
    :host {
      --_line: var(--_field);
      --_muted: var(--_text);
    }
  }
  @media (forced-colors: active) {
    .primary {
      border-color: Highlight;
      background: Highlight;
      color: HighlightText;
      forced-color-adjust: none;
    }
    .quiet {
      text-decoration: underline;
    }
    .method:has(:checked) {
      outline: 2px solid Highlight;
    }
    .method slot .icon {
      stroke: CanvasText;
    }
    .note {
      border: 1px solid;
    }
    i {
      border-style: dotted;
    }
    .panel > .icon {
      stroke: CanvasText;
    }
  }
`;
