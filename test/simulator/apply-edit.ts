// Applies an edit of edits.ts to the sources: returns the changed text of each file, and writes nothing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One place in one file: a text that the file contains exactly once, and what is put there instead. */
export type Change = readonly [file: string, find: string, put: string];

/** One change, or several that only together remove a rule. */
export type Edit = Change | readonly Change[];

export function changesOf(edit: Edit): readonly Change[] {
  return isChange(edit) ? [edit] : edit;
}

function isChange(edit: Edit): edit is Change {
  return typeof edit[0] === 'string';
}

/** The files after the edit. @throws if a text to find is not in its file exactly once */
export function withoutGuard(edit: Edit, folder = '.'): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [file, find, put] of changesOf(edit)) {
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
