// Fields of the operator's forms, each with what is wrong with it.
import { html } from 'hono/html';
import type { Html } from './format.ts';

/** Why a form was refused, by field. */
export type Problems = Readonly<Record<string, string>>;

interface Field {
  /** Several forms of a page have fields of one name. */
  form: string;
  name: string;
  label: string;
  value?: string | undefined;
  maxlength: number;
  problems?: Problems | undefined;
  isWide?: boolean;
  isOptional?: boolean;
  isDecimal?: boolean;
  autocomplete?: 'name' | 'off';
}

export function textField(field: Field): Html {
  const { form, name, label, value = '', maxlength, problems = {}, isWide, isOptional, isDecimal } = field;
  const isWrong = problems[name] !== undefined;
  const id = `${form}-${name}`;
  return html`<div class="field ${isWide ? 'wide' : ''}">
    <label for="${id}">${label}</label>
    <input
      id="${id}"
      name="${name}"
      value="${value}"
      maxlength="${maxlength}"
      ${isDecimal ? html`inputmode="decimal"` : ''}
      ${isOptional ? '' : 'required'}
      autocomplete="${field.autocomplete ?? 'off'}"
      ${isWrong ? html`aria-invalid="true" aria-describedby="${id}-problem"` : ''}
    />${isWrong ? problem(id, problems[name]) : ''}
  </div>`;
}

/** The person who decides, for the history. */
export const nameField = (form: string, value: string | undefined, problems: Problems | undefined): Html =>
  textField({ form, name: 'by', label: 'Your name', value, maxlength: 100, problems, autocomplete: 'name' });

export const problem = (id: string, text: string | undefined): Html =>
  html`<p class="problem" id="${id}-problem">${text}</p>`;

export function hidden(fields: Readonly<Record<string, string | number>>): Html {
  return html`${Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  )}`;
}
