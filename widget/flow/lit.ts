// Lit and the shell's drawing functions, as the second bundle imports them. These are live bindings that provide()
// sets once. Importing the shell itself would load Lit a second time if the page's URL of the script has a query.
import type { Drawing } from '../shell/field.ts';

export let html: Drawing['html'];
export let render: Drawing['render'];
export let heading: Drawing['heading'];
export let icon: Drawing['icon'];
export let field: Drawing['field'];

/** Must be called before any panel is drawn. */
export function provide(drawing: Drawing): void {
  ({ html, render, heading, icon, field } = drawing);
}
