// Checks what the shopper typed and makes the body of the start from it. The proxy decides about digits and bounds;
// this check says the same at once, beside the field.
import type { Method, StartPayment } from '../../backend-proxy/protocol/wire.ts';
import { asksWalletId } from '../shell/choice.ts';
import { asciiDigits } from '../shell/language.ts';
import type { FieldErrors, SessionState } from '../shell/state.ts';
import { amountBundle } from './provided.ts';

type CheckedForm = { body: StartPayment; errors?: undefined } | { body?: undefined; errors: FieldErrors };

/** Only once the typed amount can be read, if the order leaves it open. */
export function checkForm(state: SessionState, method: Method, language: string): CheckedForm {
  const { claims, form } = state;
  const errors: FieldErrors = {};
  const body: StartPayment = { method };
  if (claims?.amount === undefined) {
    const amount = formAmount(state, language);
    Object.assign(errors, amountBundle?.amountErrors(state, amount, language));
    if (amount) body.amount = amount;
  }
  if (asksWalletId(method, claims)) {
    const customer = readWalletId(form.customer);
    if (customer) body.customer = customer;
    else errors.customer = form.customer.trim() ? 'walletWrong' : 'walletEmpty';
  }
  return errors.amount || errors.customer ? { errors } : { body };
}

/**
 * The digits of a wallet id in any shape that people copy, such as "Wallet 1234-5678"; null if they are too few or too
 * many, or if letters follow, as in an e-mail address.
 */
function readWalletId(typed: string): string | null {
  const bare = asciiDigits(typed.normalize('NFKC')).replaceAll(/[^\p{L}\d@]/gu, '');
  return /^\p{L}*(\d{4,20})$/u.exec(bare)?.[1] ?? null;
}

/** A wallet id in groups of four, held together; other texts as they were typed. */
export const groupedWalletId = (typed: string): string =>
  readWalletId(typed)?.replaceAll(/\d{4}(?=\d)/g, '$&\u00a0') ?? typed;

/** The language of the gateway's own pages: ISO 639-1, two letters. */
export function gatewayLanguage(tag: string): Pick<StartPayment, 'language'> {
  const { language } = new Intl.Locale(tag || 'en');
  return language.length === 2 ? { language } : {};
}

/** The amount to pay as far as it is known: the order's, else the typed one; null if that cannot be read. */
export function formAmount({ claims, order, form }: SessionState, language: string): string | null {
  if (claims?.amount !== undefined || form.amount === null) return order.amount;
  return amountBundle?.readTypedAmount(form.amount, order.currency, language) ?? null;
}
