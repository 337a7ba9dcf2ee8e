// Turns a proxy's error into a change of the state: it is shown beside a field, at the choice, in place of the choice
// if the proxy accepts no further payment, as a payment that is checked, or for good. Pure.
import type { Method } from '../../backend-proxy/protocol/wire.ts';
import { chosenMethod } from '../shell/choice.ts';
import type { ProxyError } from './proxy-client.ts';
import { amountBundle } from './provided.ts';
import { FOLLOWING, type FieldErrors, type SessionState, type Trouble } from '../shell/state.ts';

type Problem = ProxyError['problem'];

/** Refusals that the next view says too, and how. */
const SAID_BY_VIEW: Partial<Record<string, 'checking' | 'closed'>> = {
  payment_under_review: 'checking',
  order_closed: 'closed',
};

/** `method`: that of the refused start; undefined if nothing more can be done with this token. */
export function refusedState(
  problem: Problem,
  state: SessionState,
  language: string,
  method: Method | undefined,
): Partial<SessionState> {
  const trouble = troubleOf(problem);
  if (!method) return { activity: { at: 'stopped', trouble } };
  // Says what the next view will say, and ends with it.
  const said = SAID_BY_VIEW[problem.code];
  if (said) return { activity: FOLLOWING, order: { ...state.order, [said]: true } };
  const isUnavailable = problem.code === 'method_unavailable';
  const unavailable = isUnavailable ? [...state.unavailable, method] : state.unavailable;
  return {
    activity: { at: 'choosing', trouble, errors: fieldErrors(problem, state, language) },
    unavailable,
    ...(isFinal(problem, { ...state, unavailable }) && { blocked: trouble }),
  };
}

export function troubleOf({ code, retryable, requestId, detail }: Problem): Trouble {
  return { code, retryable, requestId, detail };
}

/** Whether no other try can help: not the same one, not a corrected field, not another method. */
function isFinal({ code, retryable }: Problem, state: SessionState): boolean {
  if (retryable || code === 'invalid_request') return false;
  return code !== 'method_unavailable' || !chosenMethod(state);
}

function fieldErrors({ errors = [] }: Problem, state: SessionState, language: string): FieldErrors {
  const isWrong = (name: string) => errors.some(({ field }) => field === name);
  return {
    ...(isWrong('amount') && { amount: 'amountWrong', example: amountBundle?.exampleAmount(state, language) ?? '' }),
    ...(isWrong('customer') && { customer: 'walletWrong' }),
  };
}
