// The look, in one place. Every colour, radius, space and font is a custom property of the page (`--payment-…`) with a default
// in light and dark; rules below use the short names only. Owns no state: panels differ by their markup, not by classes of mood.
// Logical properties throughout, so right-to-left is no second style; sizes follow the element's own width, not the window's.
import { css } from 'lit';

export const styles = css`
  :host {
    --text: var(--payment-color-text, light-dark(#14171f, #f1f3f7));
    --muted: var(--payment-color-muted, light-dark(#596070, #a6adbb));
    --surface: var(--payment-color-surface, light-dark(#fff, #16181e));
    --line: var(--payment-color-line, light-dark(#dfe2e9, #343945));
    --field: var(--payment-color-field, light-dark(#8a91a0, #737b8b));
    --accent: var(--payment-color-accent, light-dark(#2348d5, #94abff));
    --on-accent: var(--payment-color-on-accent, light-dark(#fff, #0c1230));
    --success: var(--payment-color-success, light-dark(#0a7540, #56cc8d));
    --danger: var(--payment-color-danger, light-dark(#b3231b, #ff978e));
    --radius: var(--payment-radius, 12px);
    --space: var(--payment-space, 16px);
    --tint: color-mix(in srgb, var(--accent) 7%, transparent);
    display: block;
    container-type: inline-size;
    contain-intrinsic-inline-size: 27rem;
    max-inline-size: var(--payment-max-width, 40rem);
    color: var(--text);
    font: var(--payment-font, inherit);
    line-height: 1.45;
    text-align: start;
  }
  :host([hidden]) {
    display: none;
  }
  * {
    box-sizing: border-box;
  }
  p,
  h2,
  dl,
  dd,
  fieldset,
  legend {
    margin: 0;
    padding: 0;
    border: 0;
    min-inline-size: 0;
  }
  h2 {
    font-size: 1.1875em;
    font-weight: 650;
    line-height: 1.3;
    text-wrap: balance;
  }
  small {
    display: block;
    color: var(--muted);
    font-size: 0.875em;
  }
  .sheet,
  form,
  .panel,
  .beside {
    display: grid;
    gap: var(--space);
    grid-template-columns: minmax(0, 1fr);
  }
  .sheet {
    gap: calc(var(--space) * 1.25);
    padding: var(--payment-padding, calc(var(--space) * 1.5));
    border: 1px solid var(--line);
    border-radius: calc(var(--radius) * 1.5);
    background: var(--surface);
    overflow-wrap: anywhere;
  }
  .total {
    font-size: 2em;
    font-weight: 680;
    line-height: 1.15;
    letter-spacing: -0.02em;
    font-variant-numeric: tabular-nums;
  }
  .muted,
  .panel > p {
    color: var(--muted);
  }

  /* Choice */
  fieldset {
    display: grid;
    gap: calc(var(--space) / 2);
  }
  legend {
    margin-block-end: calc(var(--space) * 0.75);
  }
  legend h2 {
    font-size: 1em;
  }
  .method {
    display: grid;
    grid-template-columns: auto 1fr auto;
    align-items: center;
    gap: calc(var(--space) * 0.75);
    min-block-size: 60px;
    padding: calc(var(--space) * 0.5) var(--space);
    border: 1px solid var(--line);
    border-radius: var(--radius);
    cursor: pointer;
  }
  .method span {
    order: -1;
  }
  .method input {
    order: -2;
    inline-size: 20px;
    block-size: 20px;
    margin: 0;
    accent-color: var(--accent);
  }
  .method:hover {
    border-color: var(--field);
  }
  .method:has(:checked) {
    border-color: var(--accent);
    box-shadow: inset 0 0 0 1px var(--accent);
    background: var(--tint);
  }
  b {
    display: block;
    font-weight: 600;
  }
  .icon {
    inline-size: 26px;
    block-size: 26px;
    fill: none;
    stroke: currentColor;
    stroke-width: 1.6;
    stroke-linecap: round;
    stroke-linejoin: round;
    color: var(--muted);
  }
  :checked + .icon {
    color: var(--accent);
  }

  /* Fields */
  .field {
    font-weight: 600;
    margin-block-end: calc(var(--space) * -0.625);
  }
  input:not([type]) {
    inline-size: 100%;
    min-block-size: 48px;
    padding: 0 var(--space);
    border: 1px solid var(--field);
    border-radius: var(--radius);
    background: transparent;
    color: inherit;
    font: inherit;
    font-size: max(1em, 16px);
    text-align: start;
  }
  input + small {
    margin-block-start: calc(var(--space) * -0.625);
  }
  [aria-invalid='true'] {
    border-color: var(--danger) !important;
  }
  .wrong {
    color: var(--danger);
  }
  .note {
    padding: calc(var(--space) * 0.75) var(--space);
    border-radius: var(--radius);
    border-inline-start: 3px solid;
    background: color-mix(in srgb, currentColor 7%, transparent);
  }
  .note small {
    margin-block-start: 4px;
  }

  /* Buttons and links */
  button,
  a {
    display: flex;
    align-items: center;
    justify-content: center;
    gap: 0.6em;
    min-block-size: 48px;
    padding: 0.5em var(--space);
    border: 1px solid transparent;
    border-radius: var(--radius);
    font: inherit;
    font-weight: 600;
    text-align: center;
    text-decoration: none;
    color: var(--text);
    background: none;
    cursor: pointer;
  }
  .primary {
    min-block-size: 52px;
    background: var(--accent);
    color: var(--on-accent);
    font-variant-numeric: tabular-nums;
  }
  .primary:hover {
    background: color-mix(in srgb, var(--accent) 88%, var(--text));
  }
  .second {
    border-color: var(--field);
  }
  .quiet {
    min-block-size: 44px;
    color: var(--accent);
  }
  .second:hover,
  .quiet:hover {
    background: var(--tint);
  }
  [aria-disabled='true'] {
    cursor: progress;
  }
  :focus-visible {
    outline: 3px solid color-mix(in srgb, var(--accent) 75%, transparent);
    outline-offset: 2px;
  }
  h2:focus {
    outline: none;
  }

  /* Waiting */
  .status {
    display: flex;
    align-items: center;
    gap: 0.7em;
    color: var(--muted);
  }
  .spinner {
    flex: none;
    inline-size: 1.1em;
    block-size: 1.1em;
    border: 2px solid;
    border-inline-start-color: transparent;
    border-radius: 50%;
    animation: spin 1.1s linear infinite;
  }
  .countdown {
    font-variant-numeric: tabular-nums;
  }
  .code {
    inline-size: min(100%, 16rem);
    justify-self: center;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    overflow: hidden;
    background: #fff;
    forced-color-adjust: none;
  }
  .code > * {
    display: block;
    inline-size: 100%;
    aspect-ratio: 1;
    object-fit: contain;
    shape-rendering: crispEdges;
  }
  .scan {
    display: grid;
    gap: var(--space);
  }

  /* Settled */
  .picture .icon {
    box-sizing: content-box;
    padding: 12px;
    border-radius: 50%;
    background: color-mix(in srgb, currentColor 12%, transparent);
  }
  .paid {
    color: var(--success);
  }
  .failed {
    color: var(--danger);
  }
  .picture .icon:is(.paid, .failed) {
    stroke-width: 2.2;
  }
  dl {
    display: grid;
    grid-template-columns: auto 1fr;
    gap: 0.4em var(--space);
    padding-block-start: var(--space);
    border-block-start: 1px solid var(--line);
  }
  dt {
    color: var(--muted);
  }
  dd {
    text-align: end;
    font-weight: 600;
  }
  .live {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    overflow: hidden;
    clip-path: inset(50%);
  }

  @keyframes spin {
    to {
      rotate: 1turn;
    }
  }
  @container (width < 20rem) {
    .sheet {
      padding: var(--payment-padding, var(--space));
    }
    .method {
      padding-inline: calc(var(--space) * 0.75);
    }
    .method .icon {
      display: none;
    }
  }
  @container (width >= 34rem) {
    .scan {
      grid-template-columns: 16rem 1fr;
      align-items: center;
      gap: calc(var(--space) * 2);
    }
  }
  @media (pointer: coarse) {
    a[part='app-link'] {
      background: var(--accent);
      border-color: transparent;
      color: var(--on-accent);
    }
    .scan:has(a) .beside {
      order: -1;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    .spinner {
      animation: none;
      border-style: dotted;
    }
  }
  @media (forced-colors: active) {
    .primary,
    .method,
    .note {
      border: 1px solid;
    }
    .method:has(:checked) {
      border-color: Highlight;
      outline: 2px solid Highlight;
    }
  }
`;
