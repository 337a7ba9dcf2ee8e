// The overview's markup for tests by hand: what is active now, a button for each common fault, and the clock. The
// buttons of the faults are a region of their own, so that live.js keeps the choice around them.
import { html } from 'hono/html';
import type { ControlOptions } from './controls.ts';
import { isOn, PRESETS } from './fault-presets.ts';
import type { Faults, Target } from './faults.ts';
import { DAY, duration, type Markup } from './page.ts';

export const STEPS_MS = [
  ['1 min', 60_000],
  ['5 min', 300_000],
  ['15 min', 900_000],
  ['1 h', 3_600_000],
  ['1 day', 86_400_000],
] as const;

/** How often a fault applies, as the form sends it; empty means until it is ended. */
export const TIMES = [
  ['', 'Until I stop it'],
  ['1', 'Once'],
  ['3', '3 times'],
] as const;

const NAMES: Record<Target, string> = {
  pay: 'Payment requests',
  payout: 'Payout requests',
  status: 'Status checks',
  ipn: 'IPNs',
};

/** What differs from a gateway that works, on top of the page. */
export function state({ clock, faults, ipns }: ControlOptions): Markup {
  const active = faults.active();
  const isCalm = active.length === 0;
  const facts = html`<dl class="row">
    <div>
      <dt>Notifications (IPNs) go to</dt>
      <dd><code>${ipns.url ? withoutSecret(ipns.url) : 'no address yet'}</code></dd>
    </div>
    <div>
      <dt>Clock</dt>
      <dd>
        ${clock.aheadMs === 0 ? '' : DAY.format(clock.now())}
        <time data-clock="${clock.now()}">${new Date(clock.now()).toISOString().slice(11, 19)}</time> UTC
        ${clock.aheadMs === 0 ? '' : html`<span class="chip">${duration(clock.aheadMs)} ahead</span>`}
      </dd>
    </div>
  </dl>`;
  const end = html`<form method="post" action="/overview/end-faults">
    <button id="end-faults" class="main">End all faults</button>
  </form>`;
  return html`<section class="${isCalm ? '' : 'odd'} card">
    ${isCalm ? html`<h2 class="calm">No fault is active</h2>` : activeFaults(active)} ${facts} ${isCalm ? '' : end}
  </section>`;
}

function activeFaults(active: ReturnType<Faults['active']>): Markup {
  return html`<h2 class="unseen">The gateway misbehaves</h2>
    <ul class="row">
      ${active.map(
        ({ target, fault, left }) =>
          html`<li class="alarm chip bad">
            ${wordsFor(target, fault) || NAMES[target]} ${otherParts(target, fault)}
            ${left === null ? '' : html`<small>${left} more ${left === 1 ? 'time' : 'times'}</small>`}
          </li>`,
      )}
    </ul>`;
}

const presetsOn = (target: Target, fault: object) =>
  PRESETS.filter((preset) => preset.target === target && isOn(preset, fault));

/** Empty for a fault that has no button. */
const wordsFor = (target: Target, fault: object) =>
  presetsOn(target, fault)
    .map((preset) => preset.words)
    .join(' · ');

/** What no button says, as JSON. */
function otherParts(target: Target, fault: object): Markup | '' {
  const said = presetsOn(target, fault).flatMap((preset) => Object.keys(preset.fault));
  const others = Object.entries(fault).filter(([part]) => !said.includes(part));
  return others.length === 0 ? '' : html`<code>${JSON.stringify(Object.fromEntries(others))}</code>`;
}

/** Hides the last segment of an IPN URL, which is the IPN secret. */
function withoutSecret(url: string): string {
  const { origin, pathname } = new URL(url);
  const segments = pathname.split('/');
  const last = segments.pop();
  return `${origin}${segments.join('/')}/${last ? '…' : ''}`;
}

export function faultButtons(faults: Faults): Markup {
  const on = faults.active().flatMap(({ target, fault }) => presetsOn(target, fault));
  return html`<div role="group" aria-label="Common faults">
    ${PRESETS.map(
      (preset) =>
        html`<button name="fault" value="${preset.id}" id="${preset.id}" aria-pressed="${String(on.includes(preset))}">
          <span>${preset.words} <small>${preset.effect}</small></span>
        </button>`,
    )}
  </div>`;
}

/** In the fold, whose switches are not in sight. */
export const aboutControls = (faults: Faults): Markup =>
  html`${faults.active().length === 0 ? 'faults and clock' : 'a fault is on'}`;

/** Folded on a phone unless it was just used; open where it has a column of its own. */
export function testControls({ faults }: ControlOptions, chosenTimes: string, isOpen: boolean): Markup {
  return html`<section id="controls" class="controls" aria-labelledby="controls-title">
    <h2 id="controls-title" class="title">Test controls</h2>
    <details ${isOpen ? 'open' : ''}>
      <summary class="card">
        <strong>Test controls</strong> <small id="about-controls">${aboutControls(faults)}</small>
      </summary>
      <form method="post" action="/overview/fault" class="card stack">
        <h3>Faults</h3>
        <small>Make the gateway misbehave. <code>POST&nbsp;/_sandbox/faults</code> has more.</small>
        <button hidden>Enter in the choice below presses this and no fault</button>
        <fieldset class="times">
          <legend>How often</legend>
          <div class="row">
            ${TIMES.map(
              ([value, name]) =>
                html`<label>
                  <input type="radio" name="times" value="${value}" ${chosenTimes === value ? 'checked' : ''} />
                  ${name}
                </label>`,
            )}
          </div>
        </fieldset>
        <div id="faults">${faultButtons(faults)}</div>
      </form>
      <form method="post" action="/overview/clock" class="card stack">
        <h3>Clock</h3>
        <small>
          Moves only the gateway’s time, until it restarts.<br />
          Only payments on the wallet website expire here, after 15 minutes.
        </small>
        <div class="row" role="group" aria-label="Advance the clock by">
          ${STEPS_MS.map(([name, ms]) => html`<button name="ms" value="${ms}" id="clock-${ms}">+${name}</button>`)}
        </div>
      </form>
    </details>
  </section>`;
}
