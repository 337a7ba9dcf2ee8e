// The one stylesheet of the operator's page, light and dark by the browser's setting, from 320 px on; and its icon.

export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#1f4b99"/>' +
  '<path d="M4.5 8.5l2.5 2.5 4.5-6" fill="none" stroke="#fff" stroke-width="2"/></svg>';

export const STYLE = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f5f6f8, #14171c);
  --card: light-dark(#ffffff, #1c2027);
  --text: light-dark(#1a1f29, #e8eaee);
  --soft: light-dark(#566071, #a3adbb);
  --line: light-dark(#d9dde4, #333a45);
  --field: light-dark(#7d8796, #7d8796);
  --accent: light-dark(#1f4b99, #9dbcf5);
  --on-accent: light-dark(#ffffff, #10203d);
  --good: light-dark(#17683a, #7fd6a1);
  --good-back: light-dark(#e7f4ec, #16291e);
  --bad: light-dark(#a4221c, #ffa59c);
  --bad-back: light-dark(#fcebea, #331a19);
  --wait: light-dark(#7a4b00, #f2c26b);
  --wait-back: light-dark(#fdf3df, #2e2413);
  --calm: light-dark(#1f4b99, #9dbcf5);
}
* { box-sizing: border-box; }
html { font: 1rem/1.5 system-ui, sans-serif; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text); overflow-wrap: anywhere; text-wrap: pretty; }
a { color: var(--accent); text-underline-offset: 0.15em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
main:focus { outline: none; }
.lead + form { margin: 0 0 1.5rem; }
.skip, .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip:focus { position: fixed; inset: 0.5rem auto auto 0.5rem; z-index: 1; width: auto; height: auto; clip-path: none;
  padding: 0.5rem 0.75rem; background: var(--card); }

.top { display: flex; align-items: center; min-height: 3.75rem; gap: 0.25rem 1.5rem; padding: 0.5rem max(1rem, 50vw - 36rem);
  background: var(--card); border-bottom: 1px solid var(--line); }
.top .name { display: flex; align-items: center; gap: 0.6rem; min-width: 0; margin: 0; font-weight: 650; overflow-wrap: normal; }
.host { overflow: hidden; color: var(--soft); font-size: 0.875rem; font-weight: 400; text-overflow: ellipsis; white-space: nowrap; }
.pill { padding: 0.05rem 0.5rem; border-radius: 1rem; background: var(--wait-back); color: var(--wait); font-size: 0.8125rem; font-weight: 600; }
.top nav { flex: 1 0 auto; }
.top ul, .tabs ul { display: flex; flex-wrap: wrap; gap: 0 0.25rem; margin: 0; padding: 0; list-style: none; }
.top nav a, .tabs a { display: block; padding: 0.65rem 0.7rem; color: var(--soft); text-decoration: none;
  border-bottom: 2px solid transparent; }
.top nav a:hover, .tabs a:hover { color: var(--text); border-color: var(--line); }
.top nav a[aria-current], .tabs a[aria-current] { color: var(--text); font-weight: 600; border-color: var(--accent); }
main { max-width: 74rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; font-weight: 650; text-wrap: balance; }
h1:has(.status) { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1rem; margin-bottom: 0.25rem; font-size: 2rem; }
h2, .heading { margin: 2.25rem 0 0.75rem; }
h2 { font-size: 1.125rem; font-weight: 650; }
.heading { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.25rem 1rem; }
.heading h2 { margin: 0; }
.heading form { flex: 0 1 22rem; flex-flow: row; gap: 0.5rem; margin-left: auto; }
.lead { margin: 0 0 0.25rem; }
.lead + :not(.lead) { margin-top: 1.25rem; }
.hint, .facts, .reason, .none { color: var(--soft); }
.hint, .facts { font-size: 0.875rem; font-weight: 400; }
.asof { margin: 0 0 1rem; }
.asof :is(a, button) { padding-block: 0.75rem; }
.asof button { min-height: 0; margin-block: -0.75rem; padding-inline: 0; border: 0; background: none; color: var(--accent); font-weight: 400; text-decoration: underline; text-underline-offset: 0.15em; }
@media (scripting: none) { .scripted { display: none; } }
.empty { padding: 1.25rem; color: var(--soft); background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.amount, time, .wallet { font-variant-numeric: tabular-nums; }
.amount, .wallet { white-space: nowrap; }
.amount { font-weight: 600; }
/* Money that has not moved. */
:is(.unmoved, .totals > :nth-child(n + 3)) .amount { font-weight: 400; }
.unmoved { color: var(--soft); }

.status { display: inline-flex; align-items: baseline; gap: 0.45rem; margin-right: 0.6rem; font-size: 0.9375rem; font-weight: 500; }
/* A shape for each tone: filled where it has ended well, a circle where it waits, a half where a part went back, a bar where it ended, a diamond to act on. */
.status::before { content: ''; flex: none; width: 0.5rem; height: 0.5rem; border: 2px solid; border-radius: 50%; }
.status:is(.good, .done, .warn, .bad, .over)::before { background: currentColor; }
.status.done::before { color: var(--good); }
.status:is(.warn, .bad)::before { border-radius: 2px; scale: 0.85; rotate: 45deg; }
.status.part::before { background: linear-gradient(90deg, currentColor 50%, #0000 50%); }
.status.over::before { border-radius: 0; clip-path: inset(calc(50% - 1px) 0); }
:is(.good, .part) { color: var(--good); }
.bad { color: var(--bad); }
.wait { color: var(--calm); }
.warn { color: var(--wait); }
.over, .done { color: var(--soft); }
.reason { font-size: 0.875rem; }
small.reason { display: block; max-width: 34rem; white-space: normal; }

.verdict { margin: 0 0 1rem; padding: 1rem 1.25rem; border-radius: 10px; font-weight: 600; }
.verdict.good { background: var(--good-back); }
.verdict.bad { background: var(--bad-back); }
.verdict.warn { background: var(--wait-back); }
:is(.attention, .checks) { margin: 0; padding: 0; list-style: none; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.attention li { display: grid; grid-template-columns: minmax(0, 1fr) auto 9rem; align-items: center; gap: 0.15rem 1.25rem; padding: 0.85rem 1.25rem; }
:is(.attention, .checks) li + li { border-top: 1px solid var(--line); }
.attention p { grid-column: 1; margin: 0; }
.why { font-weight: 600; }
.attention .amount { grid-area: 1 / 2 / span 2; }
.attention li > :is(a, form) { grid-area: 1 / 3 / span 2; display: grid; }
.attention + .totals, .verdict + .totals { margin-top: 1.5rem; }
.totals { display: flex; flex-wrap: wrap; margin: 0; overflow: hidden; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
/* The first of a row has its line outside. */
.totals > div { flex: 1 0 8.25rem; padding: 0.85rem clamp(0.85rem, 2vw, 1.25rem); box-shadow: -1px -1px var(--line); }
.totals dt { color: var(--soft); font-size: 0.875rem; }
.totals dd { margin: 0; }
.totals .amount { font-size: 1.375rem; line-height: 1.4; }
.totals a { color: inherit; }
.checks li { display: grid; grid-template-columns: 1rem 9rem minmax(0, 1fr); gap: 0 0.75rem; padding: 0.75rem 1.25rem; }
.checks b { font-weight: 600; }
.sign { font-weight: 700; text-align: center; }
.checks + .hint { margin-top: 1rem; }

table { width: 100%; border-collapse: separate; border-spacing: 0; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
caption { padding-bottom: 0.5rem; color: var(--soft); font-size: 0.875rem; text-align: left; text-wrap: balance; }
/* What a list has found is said beside its filters, and on a phone what its head would say. */
@media (min-width: 51.01rem) { .cards:not(.filters ~ *) caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); } }
th, td { padding: 0.6rem 0.9rem; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
thead th { border: 0; color: var(--soft); font-size: 0.8125rem; font-weight: 600; white-space: nowrap; }
/* Only an id is broken. */
tbody th { min-width: 13.5rem; font-weight: 600; }
tbody th small { color: var(--soft); font-weight: 400; }
.panel tbody th { min-width: 11.25rem; }
/* Beside an id, its state and its history. */
.panel td .fine { display: none; }
td { overflow-wrap: break-word; }
td a { overflow-wrap: anywhere; }
/* The first link of a row is its whole width; another lies above it. */
.lines { overflow: hidden; }
.lines tr { position: relative; }
.lines th a::after { content: ''; position: absolute; inset: 0; }
@media (hover: hover) { .lines tbody tr:hover { background: var(--page); } }
.right { text-align: right; }
.action { padding-block: 0.3rem; text-align: right; white-space: nowrap; }
.lines .zone { display: none; }
.lines td :is(form, a) { position: relative; }
.lines :is(td:first-of-type, time), .top button { white-space: nowrap; }

.details { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
:is(.details + details, form + .details) { margin-top: 1.25rem; }
.details dt, .details dd { margin: 0; padding: 0.5rem 1rem; }
.details dt { color: var(--soft); }
.details dt:nth-of-type(n + 2), .details dd:nth-of-type(n + 2) { border-top: 1px solid var(--line); }
pre { margin: 0; padding: 1rem; overflow: auto; background: var(--card); border: 1px solid var(--line); border-radius: 10px; font-size: 0.875rem;
  white-space: pre-wrap; }

.history h3 { margin: 0 0 0.5rem; color: var(--soft); font-size: 0.875rem; font-weight: 600; }
.history ol { display: grid; gap: 0.5rem; margin: 0; padding: 0; list-style: none; }
.history ol + h3 { margin-top: 1rem; }
.history li { display: grid; grid-template-columns: 5rem minmax(0, 1fr); }
.history time { color: var(--soft); }

form { margin: 0; }
label, legend { font-weight: 600; }
input, select, button { font: inherit; color: inherit; }
input:not([type='radio'], [type='hidden']), select { width: 100%; min-height: 2.75rem; padding: 0.45rem 0.7rem; background: var(--card);
  border: 1px solid var(--field); border-radius: 8px; }
input[type='date'] { appearance: none; }
input[type='date'][value=''], ::placeholder { color: var(--soft); }
::-webkit-calendar-picker-indicator { margin-left: 0.2rem; opacity: 0.55; cursor: pointer; }
input[aria-invalid='true'] { border-color: var(--bad); }
input[type='radio'] { width: 1.25rem; height: 1.25rem; margin: 0; accent-color: var(--accent); flex: none; }
button, .button { flex: none; max-width: 100%; min-height: 2.75rem; padding: 0.45rem 1.1rem; border: 1px solid transparent; border-radius: 8px; background: var(--accent); color: var(--on-accent);
  font-weight: 600; cursor: pointer; }
.button { display: inline-block; text-align: center; text-decoration: none; line-height: 1.75rem; }
button:hover, .button:hover { filter: brightness(1.08); }
.danger { background: var(--bad); color: var(--card); }
.quiet { background: transparent; border-color: var(--line); color: var(--text); font-weight: 500; }
.quiet:hover { border-color: var(--field); filter: none; }
td button, .top button { min-height: 2.25rem; padding: 0.2rem 0.8rem; font-size: 0.875rem; }
fieldset { margin: 0; padding: 0; border: 0; }
legend { padding: 0; }
.choice { display: flex; align-items: start; gap: 0.6rem; padding: 0.6rem 0; font-weight: 400; cursor: pointer; }
.choice input { margin-top: 0.125rem; }
.field { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.25rem; align-content: start; }
.buttons { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1rem; }
/* Something is chosen since. */
fieldset:has(:checked) .problem { display: none; }
.problem { margin: 0; color: var(--bad); font-size: 0.875rem; }
/* Folded on a phone; where a browser cannot show it unfolded, it can be unfolded everywhere. */
summary:not(.button) { padding: 0.65rem 0; color: var(--accent); cursor: pointer; }
@supports selector(::details-content) {
  @media (min-width: 51.01rem) {
    .fold summary { display: none; }
    .fold::details-content { display: block; content-visibility: visible; }
    .filters .filters { flex-wrap: nowrap; margin: 0; }
  }
}
.filters { display: flex; flex-wrap: wrap; gap: 0.75rem 1rem; align-items: end; margin-bottom: 1.25rem; }
.filters .field { flex: 0 1 7rem; min-width: 0; }
.filters .order { flex: 1 1 9rem; }
.filters .field:has(#status) { flex-basis: 13rem; }
.filters .day { flex-basis: 9.25rem; }
.filters .buttons { flex: 0 0 auto; }
.filters .buttons { display: flex; }
.filters label { font-size: 0.875rem; color: var(--soft); }
.panel { margin: 0 0 1.5rem; padding: 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
/* What waits for a person. */
.urgent { border-inline-start: 4px solid var(--wait); }
.panel.urgent { padding-inline-start: calc(1.25rem - 3px); }
.panel h2 { margin: 0 0 0.5rem; }
.panel > :last-child { margin-bottom: 0; }
.panel > .details { margin: 0 -1.25rem -1.25rem; background: none; border: 0; border-top: 1px solid var(--line); border-radius: 0; }
.panel > .details > * { padding-inline: 1.25rem; }
/* What is known of it. */
.urgent > .details { grid-template-columns: max-content 1fr; gap: 0.25rem 1.25rem; margin: 0 0 1rem; border: 0; }
.urgent > .details > :is(dt, dd) { padding: 0; border: 0; font-size: inherit; }
.panel form { display: grid; gap: 1rem; max-width: 40rem; margin-top: 1rem; }
.panel form > button { justify-self: start; }
/* It heads its form. */
[open] > summary.button { min-height: 0; padding: 0; border: 0; font-weight: 600; }
main:has(.decision) { max-width: 37rem; }
.decision dl { margin: 0; }
.decision dl div:first-child { padding-top: 0; border-top: 0; }
.decision dl div { display: grid; grid-template-columns: 9rem minmax(0, 1fr); gap: 0 1rem; padding: 0.6rem 0; border-top: 1px solid var(--line); }
.decision dt { grid-row: 1 / span 3; color: var(--soft); }
.decision dd { grid-column: 2; margin: 0; }
.decision form { margin-top: 0.75rem; }
/* Not green: what was started may still fail. */
.message { margin: 0 0 1.25rem; padding: 0.75rem 1rem; border-radius: 10px; background: var(--card); box-shadow: inset 0 0 0 1px var(--line); }
.message.bad { box-shadow: none; color: var(--bad); background: var(--bad-back); }
.pager, .tabs { margin: 1rem 0; }
.pager { display: flex; gap: 1rem; }
.pager a { padding: 0.65rem 0; }
.login { max-width: 26rem; margin: 12vh auto 0; }
.login form { display: grid; gap: 0.6rem; padding: 1.5rem; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.login .hint, .panel .hint { margin: 0; }
/* To be hit by a finger, in a line that is no higher. */
:is(.lines td, .totals, .heading, .lead, .history, .checks, .details, .buttons) a:not(.button) { display: inline-block; margin-block: -0.75rem; padding-block: 0.75rem; }
.why span { display: inline-block; }

.columns + h2 { margin-top: 0.75rem; }
/* What to decide, beside what is known. */
@media (min-width: 64rem) {
  main > .cards td { white-space: nowrap; }
  main > .cards td :is(a, small, .status) { white-space: normal; }
  .columns { display: grid; grid-template-columns: minmax(0, 40rem) minmax(0, 1fr); column-gap: 1.5rem; }
}

@media (max-width: 51rem) {
  .top { flex-wrap: wrap; }
  :is(td, .top) button { min-height: 2.75rem; }
  .top nav { order: 3; flex: 1 1 100%; margin-inline: -0.25rem; }
  .top nav ul { gap: 0 1vw; }
  .top nav a { padding-inline: 0.25rem; font-size: clamp(0.8125rem, 3.6vw, 0.9375rem); }
  .top .name { flex: 1 1 0; }
  .cards, .cards :is(caption, thead, tbody, tr, th, td) { display: block; }
  .cards { background: none; border: 0; }
  .cards thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .lines caption .zone { display: inline; }
  .cards tbody tr { margin-bottom: 0.75rem; padding: 0.75rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
  .cards tbody th { padding: 0 0 0.35rem; border: 0; font-size: 1.0625rem; }
  .cards td { position: relative; padding: 0.2rem 0 0.2rem 6rem; border: 0; text-align: left; }
  .cards td::before { content: attr(data-label) / ''; position: absolute; left: 0; color: var(--soft); font-size: 0.875rem; line-height: 1.7; }
  .cards td.action { padding-top: 0.5rem; }
  .cards td.action::before { content: none; }
  .lines tr { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.1rem 0.6rem; }
  .lines tbody th { flex: 1 1 0; min-width: 0; padding: 0; }
  .lines td { position: static; order: 1; padding: 0; font-size: 0.875rem; }
  .lines td::before { content: none; }
  .lines :is(.right, .end) { order: 0; margin-left: auto; text-align: right; }
  .lines .right { font-size: 1rem; }
  .lines tr::after { content: ''; flex-basis: 100%; }
  .lines .status { order: 1; margin: 0; font-size: inherit; }
  /* It wraps, so that the time stays in its line. */
  .lines td:has(.status) { flex: 1 1 0; text-wrap: balance; }
  .lines td.action { order: 3; padding: 0.35rem 0 0; }
  .lines td.action:not(:has(form)) { display: none; }
  .lines td:last-child { margin-left: auto; color: var(--soft); }
  .lines td:has(.reason, .long), .lines tr:has(.given) td:has(.status) { display: contents; }
  .lines :is(.reason, .long), .lines tr:has(.given) .status { order: 2; flex-basis: 100%; max-width: none; }
  .panel .lines .long { order: 1; flex-basis: auto; }
  .heading a { margin-left: auto; }
  .heading form { flex-basis: 100%; margin-bottom: 0.5rem; }
  .filters { display: grid; grid-template-columns: 1fr auto; gap: 0.75rem; }
  .filters .filters { grid-template-columns: 1fr 1fr; margin-top: 0.25rem; }
  .filters .fold { grid-area: 2 / 1 / auto / -1; }
  .filters .buttons { display: contents; }
  .filters .buttons a:not(.button) { grid-area: 2 / 2; place-self: start end; margin: 0; padding-block: 0.65rem; }
  .filters input[type='date'] { padding-inline: 0.4rem; font-size: 0.875rem; }
  .decision dl div { grid-template-columns: 1fr; }
  .decision :is(dt, dd) { grid-area: auto; }
  .attention li { grid-template-columns: minmax(0, 1fr) auto; }
  .attention li > * { grid-area: auto; }
  .attention p { grid-column: 1 / -1; }
  .attention .facts { display: block; }
  .attention .amount, .attention li > :is(a, form) { grid-area: auto; margin-top: 0.6rem; }
  .attention li > :is(a, form) { grid-column: 2; min-width: 8rem; }
  .checks li { grid-template-columns: 1rem minmax(0, 1fr); }
  .checks li > :last-child { grid-column: 2; }
  .details { grid-template-columns: 1fr; }
  .details dt { padding-bottom: 0; font-size: 0.875rem; }
  .details dd { padding-top: 0; border-top: 0 !important; }
  .urgent > .details { grid-template-columns: 1fr; gap: 0; }
  .urgent > .details dt:not(:first-child) { margin-top: 0.4rem; }
}
@media (max-width: 75rem) { .filters .fold { order: 1; } }
@media (max-width: 60rem) { .lines .hint { display: none; } }
@media (max-width: 64rem) { th, td { padding-inline: 0.6rem; } :is(td, .totals) .fine { display: none; } }
@media (max-width: 24rem) { .host { display: none; } .tabs a { padding-inline: 0.5rem; } .attention small { display: block; }
  .lines tbody tr { column-gap: 0.4rem; padding-inline: 0.75rem; } .lines td { font-size: 0.8125rem; } .lines :not(.given) > .wallet { display: none; } }
@media print { :root { color-scheme: light; } nav, form, .button, .fold { display: none !important; } }
@media (prefers-reduced-motion: no-preference) { a, button { transition: border-color 0.12s, filter 0.12s; } }
@media (forced-colors: active) { :is(.top nav, .tabs) a:not([aria-current]) { border-color: Canvas; } :is(.verdict, .pill, .message, .problem) { border: 1px solid; } .status::before { forced-color-adjust: none; }
  :is(button, .button):not(.follow) { border-color: ButtonBorder; }
  :is(button, .button):not(.quiet, .follow) { forced-color-adjust: none; background: Highlight; color: HighlightText; border-color: Highlight; } }
`;
