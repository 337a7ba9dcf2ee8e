// What every ledger promises, over whatever it stands: one suite that each adapter's test calls. It speaks only the port,
// and looks behind it only where a promise is about what is stored. Its parts are by subject; what they share is in ledger-kit.ts.
import { booksContract } from './contract-books.ts';
import { checksContract } from './contract-checks.ts';
import { factsContract } from './contract-facts.ts';
import { openingContract } from './contract-opening.ts';
import { ringsContract } from './contract-rings.ts';
import { webhooksContract } from './contract-webhooks.ts';
import { unknownContract } from './contract-unknown.ts';
import { markedContract } from './contract-marked.ts';
import { reviewContract } from './contract-review.ts';
import { timeContract } from './contract-time.ts';
import { limitsContract } from './contract-limits.ts';
import { whoseContract } from './contract-whose.ts';
import { openRoom, type Adapter, type Suite } from './ledger-kit.ts';

export function ledgerContract({ name, runs, bench }: Adapter): void {
  const suite: Suite = { name, runs, room: async (t, opening = {}) => openRoom(await bench(t), opening) };
  openingContract(suite);
  factsContract(suite);
  checksContract(suite);
  ringsContract(suite);
  webhooksContract(suite);
  unknownContract(suite);
  markedContract(suite);
  reviewContract(suite);
  timeContract(suite);
  limitsContract(suite);
  whoseContract(suite);
  booksContract(suite);
}
