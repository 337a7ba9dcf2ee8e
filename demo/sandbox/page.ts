// The frame of all pages: document, headers, logo, static files. Sets the content security policy (only own files,
// nothing inline), and refuses a form that another site sent. Pages work without script; live.js only refreshes them.
// `html` escapes all values.
import { readFileSync } from 'node:fs';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { html } from 'hono/html';
import { Refusal } from './refusal.ts';

export type Markup = ReturnType<typeof html>;

const ASSETS = [
  ['sandbox.css', 'text/css; charset=utf-8'],
  ['live.js', 'text/javascript; charset=utf-8'],
  ['icon.svg', 'image/svg+xml'],
] as const;

export interface PageOptions {
  title: string;
  /** A class of the body. */
  layout: 'checkout' | 'wallet' | 'overview';
  body: Markup;
  /** The requested language; `textLang` is the language of the text, if it is another one. */
  lang?: string;
  textLang?: string;
  status?: 200 | 400 | 403 | 404 | 409 | 422 | 500;
  /** Other origins that a form may lead to; Chromium applies this to redirects too. */
  formTargets?: string[];
}

export function createAssets() {
  const assets = new Hono();
  for (const [name, type] of ASSETS) {
    const content = readFileSync(new URL(`./public/${name}`, import.meta.url), 'utf8');
    const headers = { 'content-type': type, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' };
    assets.get(`/${name}`, (c) => c.body(content, 200, headers));
  }
  return assets;
}

export function page(c: Context, { formTargets = [], ...options }: PageOptions) {
  c.header(
    'content-security-policy',
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
      `base-uri 'none'; frame-ancestors 'none'; form-action ${["'self'", ...formTargets].join(' ')}`,
  );
  c.header('x-content-type-options', 'nosniff');
  c.header('referrer-policy', 'same-origin');
  c.header('cache-control', 'no-store');
  return c.html(frame(options), options.status ?? 200);
}

function frame({ title, layout, body, lang = 'en', textLang = lang }: Omit<PageOptions, 'formTargets'>): Markup {
  return html`<!doctype html>
    <html lang="${lang}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · ${layout === 'overview' ? GATEWAY : WALLET}</title>
        <link rel="icon" href="/assets/icon.svg" />
        <link rel="stylesheet" href="/assets/sandbox.css" />
        <script type="module" src="/assets/live.js"></script>
      </head>
      <body class="${layout}" lang="${textLang}">
        ${body}
      </body>
    </html>`;
}

export const GATEWAY = 'Sandbox gateway';
const WALLET = 'Sandbox Wallet';

export const logo = (name = WALLET): Markup =>
  html`<span class="logo">
    <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
      <rect width="32" height="32" rx="9" fill="#16756c" />
      <path
        d="M7 12.5h13.5a4.5 4.5 0 0 1 0 9H12m3-3.5-3.5 3.5L15 25"
        fill="none"
        stroke="#fff"
        stroke-width="2.6"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
      <circle cx="9" cy="8.5" r="1.6" fill="#7fe0cf" />
    </svg>
    ${name}
  </span>`;

export const SANDBOX = 'Test: no money moves';
export const banner = (text: string | Markup = SANDBOX): Markup =>
  html`<aside id="banner" class="hint banner">${text}</aside>`;

/** Where the merchant's own pages are, if the sandbox runs beside them. */
export interface ShopPages {
  shopUrl?: string | undefined;
  deskUrl?: string | undefined;
  /** Of the merchant's payment proxy. */
  operatorUrl?: string | undefined;
}

/** Empty for a page whose address is not known. */
export const pageLink = (name: string, href: string | undefined): Markup | '' =>
  href === undefined ? '' : html`<a class="way" href="${href}">${name}</a>`;

/** A line of a `dl`. */
export const fact = (name: string, value: string | Markup, look = ''): Markup =>
  html`<div class="${look}">
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;

/** A line may end after a field, and not within an order id. */
export const json = (text: string): Markup =>
  html`<code class="fields">${text.split(/(?<=,)/).map((field) => html`<span>${field}</span>`)}</code>`;

/** A line ends after a sentence, if it can. */
export const sentences = (text: string): Markup =>
  html`${text.split(/(?<=\.) /).map((each) => html`<span class="sentence">${each}</span> `)}`;

/** Drawn as a phone on a wide screen, with `beside` beside it; on a phone it fills the screen. */
export const device = (screen: Markup, beside: Markup | '' = '', about?: Markup): Markup =>
  html`${banner(about)}
    <div class="stage">
      <div class="device"><main class="phone">${screen}</main></div>
      ${beside}
    </div>`;

/** The initials of a person or a merchant, in place of a picture. */
export const initials = (name: string, look = ''): Markup =>
  html`<span class="avatar ${look}" aria-hidden="true"
    >${name
      .split(' ')
      .slice(0, 2)
      .map((word) => word[0])}</span
  >`;

/** The merchant's logo, else its initials; people are round. */
export const pictureOf = (merchant: string, url: string | undefined): Markup =>
  url === undefined ? initials(merchant, 'square') : html`<img class="avatar square" src="${url}" alt="" />`;

export const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const MINUTE = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** UTC; with the date unless it is the day of `now`. */
export function time(at: number, now: number, digits = 19): Markup {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}"
    >${isSameDay(at, now) ? '' : `${DAY.format(at)}, `}${iso.slice(11, digits)}</time
  >`;
}

/** As the widget's receipt has it; live.js writes it in the time zone of its reader. */
export const localTime = (at: number): Markup =>
  html`<time datetime="${new Date(at).toISOString()}" data-local>${MINUTE.format(at)} UTC</time>`;

export const isSameDay = (one: number, other: number): boolean => DAY.format(one) === DAY.format(other);

/** Rows of a list, each day but today below its date. */
export const byDay = (rows: readonly { at: number; row: Markup }[], now: number): Markup[] =>
  rows.map(({ at, row }, index) => {
    const isNext = !isSameDay(at, rows[index - 1]?.at ?? now);
    return html`${isNext ? html`<li class="day"><h3>${DAY.format(at)}, UTC</h3></li>` : ''}${row}`;
  });

/** The first rows of a list, and the others behind a button, if they are more than one. */
export function folded(name: string, rows: readonly Markup[], most: number, total: number): Markup {
  const shown = rows.length === most + 1 ? rows.length : most;
  const more = html`<details id="more-${name}" class="more">
    <summary id="more-of-${name}">Show ${total > rows.length ? `${rows.length} of` : 'all'} ${total}</summary>
    <ol class="lines">
      ${rows.slice(shown)}
    </ol>
  </details>`;
  return html`<ol class="lines">
      ${rows.slice(0, shown)}
    </ol>
    ${rows.length > shown ? more : ''}`;
}

/** The same without seconds. */
export const clockTime = (at: number, now: number): Markup => time(at, now, 16);

/** As a person says it. */
export function ago(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  return minutes < 1440 ? `${Math.floor(minutes / 60)} h ago` : `${Math.floor(minutes / 1440)} d ago`;
}

/** Such as `1 day 2 hours 5 minutes`. */
export function duration(ms: number, language = 'en'): string {
  const minutes = Math.floor(ms / 60_000);
  const parts = [
    [Math.floor(minutes / 1440), 'day'],
    [Math.floor(minutes / 60) % 24, 'hour'],
    [minutes % 60, 'minute'],
  ] as const;
  const shown = parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => count.toLocaleString(language, { style: 'unit', unit, unitDisplay: 'long' }));
  return shown.join(' ') || `${ms / 1000} s`;
}

const MARKS = {
  good: 'M5 13l4.5 4.5L19 7',
  ended: 'M6 6l12 12M18 6L6 18',
  late: 'M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17m0 4V12l3 2',
};

export type Mark = keyof typeof MARKS;

/** A check mark, a cross or a clock. */
export function mark(look: Mark): Markup {
  return html`<svg class="mark ${look}" viewBox="0 0 24 24" aria-hidden="true"><path d="${MARKS[look]}" /></svg>`;
}

/** `m:ss`, counted down by live.js. */
export function countdown(leftMs: number): Markup {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  return html`<span class="countdown" data-countdown="${seconds}">${text}</span>`;
}

/** A checkout’s way is back to the shop, which a link without a payment does not name. */
const WAYS: Record<PageOptions['layout'], Markup> = {
  checkout: html`<p class="hint">Sandbox: <a href="/">gateway page</a></p>`,
  wallet: html`<a class="button main" href="/wallet">Back to the phone</a>`,
  overview: html`<a class="button main" href="/">Go to the gateway page</a>`,
};

export function errorPage(c: Context, layout: PageOptions['layout'], error: Refusal, title = 'This did not work') {
  const isPhone = layout === 'wallet';
  const status = ([400, 403, 404, 409] as const).find((code) => code === error.status) ?? 400;
  const text = html`${layout === 'overview' ? logo(GATEWAY) : logo()}
    <h1>${title}</h1>
    <p>${error.message}</p>
    ${WAYS[layout]}`;
  const body = isPhone
    ? device(html`<div class="stack">${text}</div>`)
    : html`${banner()}
        <main class="notice card stack">${text}</main>`;
  return page(c, { title, layout, body, status });
}

/** Refuses requests from pages of other origins. A program sends no Origin header and passes. */
export const ownFormsOnly: MiddlewareHandler = async (c, next) => {
  const origin = c.req.header('origin');
  if (c.req.method !== 'GET' && origin !== undefined) {
    const host = URL.canParse(origin) ? new URL(origin).host : null;
    if (host !== new URL(c.req.url).host) throw new Refusal(403, 'FOREIGN_ORIGIN', 'Sent from another site.');
  }
  await next();
};

export async function readForm(c: Context): Promise<Record<string, string>> {
  const entries = Object.entries(await c.req.parseBody());
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'string' ? value : '']));
}

/**
 * Answers live.js with the regions by id, or 204 if the page already shows this version. Without regions, 205: load the
 * page again.
 */
export async function liveAnswer(c: Context, version: string, regions?: () => Record<string, Markup>) {
  c.header('cache-control', 'no-store');
  if (c.req.query('since') === version) return c.body(null, 204);
  if (!regions) return c.body(null, 205);
  const drawn = await Promise.all(Object.entries(regions()).map(async ([id, markup]) => [id, await markup] as const));
  return c.json({ version, regions: Object.fromEntries(drawn) });
}
