// The styles of the first paint as Lit takes them. A file of its own, because the minifier of styles skips each file
// that has the name of this function.
import { unsafeCSS } from 'lit';
import { styles as text } from './shell.styles.ts';

export const styles = unsafeCSS(text);
