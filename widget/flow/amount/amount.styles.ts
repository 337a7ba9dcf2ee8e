// Styles of the field of an open amount: one large figure with its currency, and the suggested amounts.

/** Called `css` so that formatter and minifier recognize it. */
const css = String.raw;

export const amountStyles = css`
  .field.amount {
    display: flex;
    flex-wrap: wrap;
    gap: calc(var(--_space) / 2) 0;
  }
  .amount > * {
    flex: 1 0 100%;
  }
  .amount > .unit,
  .amount > [name] {
    flex: none;
    min-block-size: 0;
    padding: 0;
    border: 0;
    border-block-end: 2px solid var(--_field);
    border-radius: 0;
    background: none;
    font-size: 2em;
    font-variant-numeric: tabular-nums;
    font-weight: 680;
    letter-spacing: -0.02em;
  }
  .amount > [name] {
    flex: 1 1 3ch;
  }
  .amount > .row {
    justify-content: start;
    gap: 8px;
    margin: 0;
  }
  [aria-pressed='true'] {
    border-color: var(--_accent);
    background: var(--_tint);
  }
  .amount:has([aria-invalid='true']) > :is(.unit, [name]) {
    border-color: var(--_danger);
  }
`;
