// The frame of each operator page: head, navigation, and the message about what was just done.
import { html } from 'hono/html';
import type { Html } from './format.ts';

const PAGES = { '': 'Overview', transactions: 'Transactions', webhooks: 'Webhooks', ipns: 'IPNs', health: 'Health' };
export type Section = keyof typeof PAGES;

/** The message about what was just done, by the word in the address. */
const DONE = {
  resolved: 'Recorded. The history below has your name and note.',
  closed: 'The order is closed.',
  refunded: 'The refund was asked for: its status is below.',
  redelivered: 'The webhook is being sent again now. Reload in a moment to see the answer.',
};
export type Done = keyof typeof DONE;

interface Page {
  title: string;
  section: Section;
  body: Html;
  /** Of the session, for the button that ends it. */
  form: string;
  /** A word of DONE that this session was sent here with. */
  done?: string;
}

export function page({ title, section, body, form, done = '' }: Page): Html {
  const links = Object.entries(PAGES).map(
    ([path, name]) =>
      html`<li>
        <a href="/admin${path && `/${path}`}" ${path === section ? html` aria-current="page"` : ''}>${name}</a>
      </li>`,
  );
  const message = Object.hasOwn(DONE, done) ? DONE[done as Done] : undefined;
  return document(
    title,
    html`<a class="skip" href="#content">Skip to the content</a>
      <header class="top">
        <p class="name">Payments</p>
        <nav aria-label="Pages">
          <ul>
            ${links}
          </ul>
        </nav>
        <form method="post" action="/admin/logout">
          <input type="hidden" name="form" value="${form}" /><button class="quiet">Sign out</button>
        </form>
      </header>
      <main id="content" tabindex="-1">
        ${message === undefined ? '' : html`<p class="message" role="status">${message}</p>`}
        <h1>${title}</h1>
        ${body}
      </main>`,
  );
}

export function document(title: string, body: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Payments</title>
        <link rel="icon" href="/admin/icon.svg" />
        <link rel="stylesheet" href="/admin/style.css" />
      </head>
      <body>
        ${body}
      </body>
    </html>`;
}

export function loginPage(refused: string | undefined, isLoopback: boolean): Html {
  return document(
    'Sign in',
    html`<main class="login">
      <h1>Payments</h1>
      ${refused === undefined ? '' : html`<p class="message bad" role="alert" id="refused">${refused}</p>`}
      <form method="post" action="/admin/login">
        <input name="username" value="operator" autocomplete="username" hidden />
        <label for="token">Operator’s token</label>
        <input
          id="token"
          name="token"
          type="password"
          autocomplete="current-password"
          required
          autofocus
          ${refused === undefined ? '' : html`aria-describedby="refused" aria-invalid="true"`}
        />
        <p class="hint">The value of ADMIN_TOKEN. The session ends after 30 minutes without a click.</p>
        <button>Sign in</button>
        ${isLoopback ? '' : html`<p class="hint">Outside this machine this page needs https.</p>`}
      </form>
    </main>`,
  );
}

export function refusalPage(title: string, text: string): Html {
  return document(
    title,
    html`<main class="login">
      <h1>${title}</h1>
      <p>${text}</p>
      <p><a href="/admin">Back to the overview</a></p>
    </main>`,
  );
}
