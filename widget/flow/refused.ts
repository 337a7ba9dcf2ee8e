// What a refusal makes of the state: it is said beside a field, at the choice, in the choice's place where no new payment will be
// taken, or for good. Pure.
import { offeredMethods } from '../shell/choice.ts';
import { exampleAmount } from './start-form.ts';
import type { Refusal } from './proxy-client.ts';
import type { FieldErrors, SessionState, Trouble } from '../shell/state.ts';

type Problem = Refusal['problem'];

/** `stopped`: this token hears nothing any more. */
export function refusedState(
  problem: Problem,
  state: SessionState,
  language: string,
  stopped: boolean,
): Partial<SessionState> {
  const trouble = troubleOf(problem);
  if (stopped) return { stage: { at: 'stopped', trouble } };
  return {
    stage: { at: 'choosing', trouble, errors: fieldErrors(problem, state, language) },
    ...(isForGood(problem, state) && { closed: trouble }),
  };
}

export function troubleOf({ code, retryable, requestId, detail }: Problem): Trouble {
  return { code, retryable, requestId, detail };
}

/** But for what the shopper can mend at the choice, what is refused once will not be taken by asking again. */
function isForGood({ code, retryable }: Problem, state: SessionState): boolean {
  if (retryable || code === 'invalid_request') return false;
  return code !== 'method_unavailable' || offeredMethods(state).length < 2;
}

function fieldErrors({ errors = [] }: Problem, state: SessionState, language: string): FieldErrors {
  const isWrong = (name: string) => errors.some(({ field }) => field === name);
  return {
    ...(isWrong('amount') && { amount: 'amountWrong', example: exampleAmount(state, language) }),
    ...(isWrong('customer') && { customer: 'walletWrong' }),
  };
}
