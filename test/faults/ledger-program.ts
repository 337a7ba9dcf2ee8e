// The process that is killed in the middle of a commit: it opens the database, runs the script and prints each finished
// step. A printed step stands for an acknowledged request.
import { openScripted, STEPS } from './ledger-script.ts';

const { DATABASE_URL = '' } = process.env;
const scripted = await openScripted(DATABASE_URL);
process.stdout.write('opened\n');
for (const step of STEPS.keys()) {
  await scripted.run(step);
  process.stdout.write(`done ${step}\n`);
}
// Exits with the database open, as a killed process does.
process.exit(0);
