// The frame of all pages: head, header and footer. Scripts and styles are files, because the content security policy
// allows nothing inline. `html` escapes all values.
import { html } from 'hono/html';
import { logo } from './artwork.ts';

export type Markup = ReturnType<typeof html>;

export interface PageFrame {
  title: string;
  /** Marks the current link of the menu; also a class of the body. */
  place: string;
  /** Style sheets besides the shop's. */
  styles?: string[];
  /** Module scripts in the order in which they run. */
  scripts?: string[];
  site?: Site;
}

/** The settings that all pages share. */
export interface Site {
  /** The URL of the demo's wallet phone, if this shop runs in the demo. */
  walletUrl?: string | undefined;
  /** Whether this shop serves its desk (desk-auth.ts). */
  hasDesk?: boolean;
}

export function page({ title, place, styles = [], scripts = [], site = {} }: PageFrame, body: Markup): Markup {
  const { walletUrl, hasDesk = false } = site;
  const current = (here: string) => (place === here ? html` aria-current="page"` : '');
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Stillwater Coffee</title>
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        ${['/assets/shop.css', ...styles].map((style) => html`<link rel="stylesheet" href="${style}" />`)}
        ${scripts.map((script) => html`<script type="module" src="${script}"></script>`)}
      </head>
      <body class="${place}">
        <a class="skip" href="#main">Skip to the content</a>
        ${walletUrl === undefined ? '' : demoBar(walletUrl)}
        <header class="top">
          <a class="brand" href="/">${logo}<span>Stillwater</span></a>
          <nav aria-label="Shop">
            <a href="/" ${current('shop')}>Coffee</a>
            <a href="/account" ${current('account')}>Account</a>
          </nav>
        </header>
        <main id="main">${body}</main>
        <footer class="bottom">
          <p>Stillwater Coffee Roasters. Roasted on Tuesdays, sent on Wednesdays.</p>
          ${hasDesk ? html`<p><a href="/desk" ${current('desk')}>For staff: the desk</a></p>` : ''}
        </footer>
      </body>
    </html>`;
}

function demoBar(walletUrl: string): Markup {
  const phone = html`<a href="${walletUrl}" target="_blank" rel="noopener">Wallet&nbsp;phone</a>`;
  return html`<aside class="demo" aria-label="Demo">
    This is a demo: no real money moves. ${phone}&nbsp;·&nbsp;<a href="/themes">Theme&nbsp;editor</a>
  </aside>`;
}

/** A page with one message. */
export function notice(title: string, text: string): Markup {
  return page(
    { title, place: 'order' },
    html`<section class="stack">
      <h1>${title}</h1>
      <p>${text}</p>
      <p><a class="button" href="/">Back to the coffee</a></p>
    </section>`,
  );
}
