// IPNs of the last 7 days whose transaction is not in the database.
import { html } from 'hono/html';
import type { UnmatchedIpn } from '../ledger/ledger.ts';
import { NOTHING, time, type Html } from './format.ts';

export function ipnsPage(ipns: readonly UnmatchedIpn[]): Html {
  if (ipns.length === 0) return html`<p class="empty">Every IPN of the last 7 days has its transaction.</p>`;
  return html`<p>
      The gateway reports transactions that this proxy has never started. They belong to another shop or a test on the
      same account, or the database has lost them: after a restore see the page on operations.
    </p>
    <table role="table" class="cards">
      <caption class="unseen">
        IPNs without a transaction, newest first
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader" scope="col">Id at the gateway</th>
          <th role="columnheader" scope="col">Type</th>
          <th role="columnheader" scope="col" class="right">Amount</th>
          <th role="columnheader" scope="col">Says</th>
          <th role="columnheader" scope="col">First</th>
          <th role="columnheader" scope="col" class="right">Times</th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${ipns.map(row)}
      </tbody>
    </table>`;
}

function row({ reading, seen, firstAt }: UnmatchedIpn): Html {
  const { transactionId, type, amount, currency, outcome } = reading;
  return html`<tr role="row">
    <th role="rowheader" scope="row">${transactionId}</th>
    <td role="cell" data-label="Type">${type}</td>
    <td role="cell" data-label="Amount" class="right">
      <span class="amount">${amount ?? NOTHING} ${currency ?? ''}</span>
    </td>
    <td role="cell" data-label="Says">${outcome ?? NOTHING}</td>
    <td role="cell" data-label="First">${time(firstAt)}</td>
    <td role="cell" data-label="Times" class="right">${seen}</td>
  </tr>`;
}
