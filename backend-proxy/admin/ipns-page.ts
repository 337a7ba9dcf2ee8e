// IPNs of the last 7 days whose transaction is not in the database.
import { html } from 'hono/html';
import type { UnmatchedIpn } from '../ledger/ledger.ts';
import { cards } from './cards.ts';
import { NOTHING, time, type Html } from './format.ts';
import { TYPE_NAMES } from './words.ts';

export function ipnsPage(ipns: readonly UnmatchedIpn[]): Html {
  if (ipns.length === 0) return html`<p class="empty">Every IPN of the last 7 days has its transaction.</p>`;
  return html`<p>
      The gateway reports transactions that this proxy has never started. They belong to another shop or a test on the
      same account, or the database has lost them: after a restore see the page on operations.
    </p>
    ${cards('IPNs without a transaction, newest first', COLUMNS, ipns.map(cellsOf))}`;
}

const COLUMNS = ['Gateway ID', 'Type', ['Amount', 'right'], 'Reported', 'First', ['Times', 'right']] as const;

function cellsOf({ reading, seen, firstAt }: UnmatchedIpn) {
  const { transactionId, type, amount, currency, outcome } = reading;
  const money = html`<span class="amount">${amount ?? NOTHING} ${currency ?? ''}</span>`;
  return [transactionId, TYPE_NAMES[type], money, outcome ?? NOTHING, time(firstAt), seen];
}
