// Decides what the choice shows and which methods it offers: a function of the state and of the device. Separate from
// view.ts because the first paint needs it.
import { PAYS_BY, WALLET_ID, type Method } from '../../backend-proxy/protocol/wire.ts';
import type { FieldErrors, SessionState, Trouble } from './state.ts';

export interface Choice {
  panel: 'choose';
  methods: Method[];
  chosen: Method | null;
  /** Of these methods: cannot be chosen, because the gateway has just refused them. */
  unavailable: readonly Method[];
  askAmount: boolean;
  busy: false | 'sending' | 'slow';
  trouble: Trouble | undefined;
  errors: FieldErrors;
}

export function showChoice(state: SessionState): Choice {
  const { activity, claims } = state;
  const choosing = activity.at === 'choosing' ? activity : null;
  return {
    panel: 'choose',
    methods: offeredMethods(state),
    chosen: chosenMethod(state),
    unavailable: state.unavailable,
    askAmount: claims?.amount === undefined,
    busy: activity.at === 'sending' && (activity.isSlow ? 'slow' : 'sending'),
    trouble: choosing?.trouble,
    errors: choosing?.errors ?? {},
  };
}

/** Whether the shopper must type the wallet id: the method needs one and the order's token has none. */
export function asksWalletId(method: Method, claims: SessionState['claims']): boolean {
  return WALLET_ID[method] === 'required' && !claims?.customer;
}

export const isCode = (method: Method | null | undefined): boolean => PAYS_BY[method as Method] === 'code';

/** A phone cannot scan its own screen: there each code opens the app. */
export const opensApp = (method: Method | undefined): boolean =>
  isCode(method) && matchMedia('(pointer: coarse)').matches;

/** The same method, or on a phone another code: one row stands for all of them. */
export const sharesRow = (method: Method, other: Method | undefined): boolean =>
  method === other || (opensApp(method) && opensApp(other));

/**
 * The order's methods that the page asks for, in its order; all of them if it asks for none or only for others. Unless
 * the merchant has given them an order, the one that needs no typing comes first on a phone.
 */
export function offeredMethods({ claims, order, preferences }: SessionState): Method[] {
  const { methods } = order;
  const preferred = preferences.methods?.flatMap((name) => methods.find((method) => method === name) ?? []);
  if (preferred?.length) return preferred;
  return claims?.methods ? methods : methods.toSorted((a, b) => Number(opensApp(b)) - Number(opensApp(a)));
}

/** The shopper's choice, else the page's, else the first method, so that paying takes one click. */
export function chosenMethod(state: SessionState): Method | null {
  const methods = offeredMethods(state).filter((method) => !state.unavailable.includes(method));
  const offered = (name: string | null) => methods.find((method) => method === name);
  return offered(state.form.method) ?? offered(state.preferences.method) ?? methods[0] ?? null;
}
