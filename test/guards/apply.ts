// What a guard's removal makes of the sources: the texts of the files it changes. Writes nothing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One place of one file. */
export interface Change {
  file: string;
  /** Stands in the file exactly once. */
  find: string;
  put: string;
}

/** One change, or those that only together take a guard away. */
export type Edit = Change | readonly Change[];

/** By the attack's name in SECURITY.md. */
export type Edits = Readonly<Record<string, readonly Edit[]>>;

export function changesOf(edit: Edit): readonly Change[] {
  return 'file' in edit ? [edit] : edit;
}

/** The files as they are without the guard; throws where a text to find is not there exactly once. */
export function withoutGuard(edit: Edit, folder = '.'): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { file, find, put } of changesOf(edit)) {
    const text = texts.get(file) ?? readFileSync(join(folder, file), 'utf8');
    const found = text.split(find).length - 1;
    if (found !== 1) throw new Error(`${file} has ${found} of: ${find}`);
    texts.set(
      file,
      text.replace(find, () => put),
    );
  }
  return texts;
}
