// The process that is killed in the middle of a commit: opens the books, runs the script, and says each step it has done. What
// it has said is what a client would have been answered.
import { openScripted, STEPS } from './ledger-script.ts';

const { DATABASE_URL = '' } = process.env;
const scripted = await openScripted(DATABASE_URL);
process.stdout.write('opened\n');
for (const step of STEPS.keys()) {
  await scripted.run(step);
  process.stdout.write(`done ${step}\n`);
}
// Ended by its parent, or by itself: the books stay open, as they are when a process is killed.
process.exit(0);
