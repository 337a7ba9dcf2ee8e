// Which payments may have sent a prompt to a wallet.
import { PROMPT_METHODS } from '../../protocol/methods.ts';
import { STAGES } from '../../protocol/transaction.ts';

/** SQL: those in flight too; not those that were refused or never reached the gateway. */
export const MAY_HAVE_PROMPTED = `asked in (${PROMPT_METHODS.map((method) => `'${method}'`).join()})
  and rank not in (${STAGES.rejected.rank}, ${STAGES.not_created.rank}) and (answer is null or answer <> 'duplicate')`;
