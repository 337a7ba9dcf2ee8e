// What the choice shows, and which methods there are to choose from. Pure, and apart from view.ts because the first paint needs
// it before anything else is there.
import { WALLET_ID } from '../../backend-proxy/protocol/methods.ts';
import type { Method } from '../../backend-proxy/protocol/wire.ts';
import type { FieldErrors, SessionState, Trouble } from './state.ts';

export interface Choice {
  panel: 'choose';
  methods: Method[];
  chosen: Method | null;
  askAmount: boolean;
  askWallet: boolean;
  busy: false | 'sending' | 'slow';
  trouble: Trouble | null;
  errors: FieldErrors;
}

export function showChoice(state: SessionState): Choice {
  const { stage, claims } = state;
  const chosen = chosenMethod(state);
  const choosing = stage.at === 'choosing' ? stage : null;
  return {
    panel: 'choose',
    methods: offeredMethods(state),
    chosen,
    askAmount: claims?.amount === undefined,
    askWallet: !!chosen && asksWalletId(chosen, claims),
    busy: stage.at === 'sending' && (stage.slow ? 'slow' : 'sending'),
    trouble: choosing?.trouble ?? null,
    errors: choosing?.errors ?? {},
  };
}

/** Whether the shopper has to type the wallet id: the method needs one, and the order's token has none. */
export function asksWalletId(method: Method, claims: SessionState['claims']): boolean {
  return WALLET_ID[method] === 'required' && !claims?.customer;
}

/** The order's methods as the page wishes to show them; all of them where it wishes none that there is. */
export function offeredMethods({ order, wishes }: SessionState): Method[] {
  const { methods } = order;
  const wished = wishes.methods?.flatMap((wish) => methods.find((method) => method === wish) ?? []);
  return wished?.length ? wished : methods;
}

/** The shopper's choice, else the page's, else the first one: paying takes one click. */
export function chosenMethod(state: SessionState): Method | null {
  const methods = offeredMethods(state);
  const among = (wish: string | null) => methods.find((method) => method === wish);
  return among(state.draft.method) ?? among(state.wishes.method) ?? methods[0] ?? null;
}
