// Changes a documented file for a test. A text that is to be replaced has to be in it, so the test and the document
// cannot come apart.
import { readFileSync } from 'node:fs';

export function readDocumented(file: string, replaced: readonly (readonly [find: string, put: string])[]): string {
  return replaced.reduce(
    (text, [find, put]) => {
      if (!text.includes(find)) throw new Error(`${file} has no longer: ${find}`);
      return text.replaceAll(find, put);
    },
    readFileSync(file, 'utf8'),
  );
}
