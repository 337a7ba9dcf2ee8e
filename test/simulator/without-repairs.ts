// `node test/simulator/without-repairs.ts [words]`: takes each repair of edits.ts out of a copy of the project, and
// prints how many seconds of processor time the simulator needs from a cold start to find that; 60 at most.
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withoutGuard } from './apply-edit.ts';
import { copyProject } from '../project-copy.ts';
import { EDITS } from './edits.ts';

const words = process.argv.slice(2);
for (const [defect, edit] of Object.entries(EDITS)) {
  if (words.length > 0 && !words.some((word) => defect.includes(word))) continue;
  const folder = copyProject('simulator');
  try {
    for (const [path, text] of withoutGuard(edit, folder)) writeFileSync(join(folder, path), text);
    const { status, stdout } = spawnSync(process.execPath, ['test/simulator/main.ts', '--seconds', '60', '--brief'], {
      cwd: folder,
      encoding: 'utf8',
    });
    console.log(`${status === 1 ? 'found    ' : 'NOT FOUND'} ${defect}: ${stdout.trim()}`);
    if (status !== 1) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
