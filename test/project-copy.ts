// A copy of the project, for a test that changes files or lets a command write some. Its packages are those of the
// project, and it is built as the project is.
import { cpSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const LEFT_OUT = /(^|[\\/])node_modules$|^(\.git|shots|coverage)$/;

/** The caller deletes the folder. */
export function copyProject(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  cpSync('.', folder, { recursive: true, filter: (path) => !LEFT_OUT.test(path) });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
  return folder;
}
