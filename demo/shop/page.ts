// The frame of all pages: head, header and footer. Scripts and styles are files, because the content security policy
// allows nothing inline. `html` escapes all values.
import { html } from 'hono/html';
import { logo, shore } from './artwork.ts';

export type Markup = ReturnType<typeof html>;

export interface PageFrame {
  title: string;
  /** Marks the current link of the shop's menu; also a class of the body. */
  place: string;
  /** In place of the shop's menu and footer. */
  menu?: Menu;
  /** Style sheets besides the shop's. */
  styles?: string[];
  /** Module scripts in the order in which they run. */
  scripts?: string[];
  site?: Site;
  /** Of an order's page, for the demo's steps. */
  order?: { id: string; refund: 'due' | 'started' | 'arrived' };
}

export interface Menu {
  label: string;
  /** Where the brand leads. */
  home: string;
  /** Beside the brand. */
  tag: string;
  links: { href: string; text: string; isCurrent: boolean }[];
  footer: string;
}

/** The settings that all pages share. */
export interface Site {
  /** The URL of the demo's wallet phone, if this shop runs in the demo. */
  walletUrl?: string | undefined;
  operatorUrl?: string | undefined;
  /** Whether this shop serves its desk (desk.ts). */
  hasDesk?: boolean;
}

export function page(frame: PageFrame, body: Markup): Markup {
  const { title, place, styles = [], scripts = [], site = {} } = frame;
  const { home, tag, label, links, footer } = frame.menu ?? shopMenu(place);
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
        ${site.walletUrl === undefined ? '' : demoBar(site.walletUrl, frame)}
        <header class="top">
          <a class="brand" href="${home}">${logo}<span>Stillwater</span>${tag && html` <small>${tag}</small>`}</a>
          <nav aria-label="${label}">
            ${links.map(
              ({ href, text, isCurrent }) =>
                html`<a href="${href}" ${isCurrent ? html`aria-current="page"` : ''}>${text}</a> `,
            )}
          </nav>
        </header>
        <main id="main">${body}</main>
        <footer class="bottom">
          <p>${footer}</p>
          ${frame.menu === undefined ? ways(site) : ''}
        </footer>
      </body>
    </html>`;
}

const ways = ({ hasDesk, walletUrl }: Site): Markup => {
  const desk = html` · <a href="/desk">For staff: the desk</a>`;
  const themes = html` · <a href="/themes">Themes</a>`;
  return html`<p><a href="/contact">Contact us</a>${hasDesk ? desk : ''}${walletUrl ? themes : ''}</p>`;
};

function shopMenu(place: string): Menu {
  return {
    label: 'Shop',
    home: '/',
    tag: '',
    links: [
      { href: '/', text: 'Coffee', isCurrent: place === 'shop' },
      { href: '/account', text: 'Account', isCurrent: place === 'account' },
    ],
    footer: 'Stillwater Coffee Roasters. Roasted on Tuesdays, sent on Wednesdays.',
  };
}

/** The wallet that a visitor of the demo pays with: one of the sandbox's customers. */
export const DEMO_WALLET = { id: '12345678', shown: '1234\u00a05678', name: 'Ada' };
/** In its place once it has had as many requests as the proxy allows in an hour. */
export const NEXT_WALLET = { id: '23456789', shown: '2345\u00a06789', name: 'Bruno' };

export function walletPhone(walletUrl: string): Markup {
  const href = `${walletUrl}?as=${DEMO_WALLET.id}`;
  return html`<a href="${href}" target="_blank" rel="noopener">wallet phone</a>`;
}

/** Says what is demonstrated, and leads to a refunded order: shop.css ticks the steps by what the page shows. */
function demoBar(walletUrl: string, { place, order, site }: PageFrame): Markup {
  const steps = html`<ol aria-label="Steps of the demo">
    <li>Add a coffee</li>
    <li>Check out</li>
    <li>
      <span class="due">Pay <span>(${walletPhone(walletUrl)})</span></span>
      <span class="paid">Paid</span>
    </li>
    ${order && site?.hasDesk ? lastSteps(walletUrl, order) : ''}
  </ol>`;
  return html`<aside class="demo" aria-label="Demo">
    <p>
      <b>Demo<span> of payment-widget</span></b> · no real money. <a href="/themes">Theme&nbsp;editor</a>
    </p>
    ${['shop', 'order'].includes(place) ? steps : html`<p>The customer’s ${walletPhone(walletUrl)}</p>`}
  </aside>`;
}

function lastSteps(walletUrl: string, { id, refund }: NonNullable<PageFrame['order']>): Markup {
  if (refund === 'due') {
    const desk = html`<a href="/desk?find=${id}" target="_blank" rel="noopener">the desk</a>`;
    return html`<li class="paid"><span>Refund it at ${desk}</span></li>`;
  }
  const gateway = new URL('/?controls#controls', walletUrl);
  return html`<li class="done">${refund === 'arrived' ? 'Refunded' : 'Refund started'}</li>
    <li>
      <span
        ><a href="${gateway.href}" target="_blank" rel="noopener">Try a fault<span> at the gateway</span></a></span
      >
    </li>`;
}

/** A page with one message. */
export function notice(title: string, text: string | Markup, site: Site): Markup {
  return page(
    { title, place: 'notice', site },
    html`<section class="hero">
        ${shore}
        <h1>${title}</h1>
        <p>${text}</p>
      </section>
      <p><a class="button" href="/">Back to the coffee</a></p>`,
  );
}
