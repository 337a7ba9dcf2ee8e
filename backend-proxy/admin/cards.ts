// A table for the operator's page; on a narrow screen each row is a card. The roles are explicit, because a table that
// is laid out as cards would lose its own.
import { html } from 'hono/html';
import type { Html } from './format.ts';

/** A name; or a name and how its cells are shown. `action`: buttons, whose column has no visible name. */
type Column = string | readonly [name: string, kind: 'right' | 'action'];

type Cell = Html | string | number;

/** Each row has a cell for each column; the first names the row. */
export function cards(caption: string, columns: readonly Column[], rows: readonly (readonly Cell[])[]): Html {
  return html`<table role="table" class="cards">
    <caption class="unseen">
      ${caption}
    </caption>
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map(head)}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map(
        ([first = '', ...cells]) =>
          html`<tr role="row">
            <th role="rowheader" scope="row">${first}</th>
            ${columns.slice(1).map((column, at) => cell(column, cells[at] ?? ''))}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function head(column: Column): Html {
  const { name, kind } = partsOf(column);
  if (kind === 'action') return html`<th role="columnheader" scope="col"><span class="unseen">${name}</span></th>`;
  return html`<th role="columnheader" scope="col" ${kind && html`class="${kind}"`}>${name}</th>`;
}

function cell(column: Column, content: Cell): Html {
  const { name, kind } = partsOf(column);
  const label = kind === 'action' ? '' : html`data-label="${name}"`;
  return html`<td role="cell" ${label} ${kind && html`class="${kind}"`}>${content}</td>`;
}

function partsOf(column: Column) {
  const [name, kind] = typeof column === 'string' ? [column] : column;
  return { name, kind: kind ?? '' };
}
