// How the model classifies the gateway's answers: a second, short implementation of protocol and profile.
import type { AnswerKind, ModelTransaction } from './model-transaction.ts';

export type Fields = Record<string, unknown>;

/**
 * An answer as it reached the proxy: undefined if none did; `fields` is undefined if the body was not a JSON object.
 */
export type Delivered = { status: number; fields: Fields | undefined } | undefined;

const DOCUMENTED_REFUSALS = new Set([400, 401, 403, 404, 405, 406, 410, 411, 413, 414, 415, 422]);
const A_CODE = /^[A-Z][A-Z0-9_]+$/;
const KNOWN_ALREADY = /duplicate|already|exist|unique|used/i;

export function answerKind(one: ModelTransaction, answer: Delivered): AnswerKind {
  if (answer === undefined) return 'lost';
  const { status, fields } = answer;
  if (status === 200 || status === 202) {
    if (fields === undefined || !isDocumented(one, fields)) return 'lost';
    return isAbsent(fields['paymentId']) ? 'accepted' : 'identified';
  }
  const [code, message] = [textIn(fields?.['code']), textIn(fields?.['message'])];
  const is4xx = status >= 400 && status < 500 && status !== 429;
  if (status === 409 || (is4xx && KNOWN_ALREADY.test(`${code} ${message}`))) return 'duplicate';
  if (!DOCUMENTED_REFUSALS.has(status)) return 'lost';
  return A_CODE.test(code) ? 'refused' : 'foreign';
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isDocumented(one: ModelTransaction, fields: Fields): boolean {
  if (fields['orderId'] !== one.id) return false;
  if (one.type === 'PAYOUT' || fields['method'] === 'DIRECT') return true;
  if (fields['method'] === 'CHECKOUT') return String(fields['checkout']).startsWith('http://127.0.0.1');
  return (fields['method'] === 'QR' || fields['method'] === 'JETGO') && /^[A-Za-z0-9+/]+=*$/.test(String(fields['qr']));
}

/** What a status check's answer says about `one`: nothing, "unknown", or a report. */
export function readCheck(one: ModelTransaction, answer: Delivered): 'none' | 'unknown' | Fields {
  if (answer?.status === 404 && answer.fields) return 'unknown';
  const { fields } = answer ?? {};
  return answer?.status === 200 && fields?.['orderId'] === one.id && isType(fields['type']) ? fields : 'none';
}

export function isType(type: unknown): boolean {
  return type === 'PAY' || type === 'PAYOUT';
}

/** Only the order id and the type are guaranteed; a null counts as a missing field. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

export function outcomeOf(one: ModelTransaction, { status }: Fields): 'pending' | 'failed' | 'succeeded' {
  if (status === 'SUCCESS') return 'succeeded';
  return status === 'FAILED' || (status === 'ERROR' && one.type === 'PAY') ? 'failed' : 'pending';
}

export function isMismatch(one: ModelTransaction, fields: Fields): boolean {
  const { type, paymentId, currency, amount, customer, status } = fields;
  const isForAnother =
    one.type === 'PAYOUT' && status === 'SUCCESS' && !isAbsent(customer) && customer !== one.customer;
  return (
    type !== one.type ||
    (!isAbsent(paymentId) && one.paymentId !== null && String(paymentId) !== one.paymentId) ||
    (!isAbsent(currency) && currency !== one.currency) ||
    (!isAbsent(amount) && amount !== one.amount) ||
    isForAnother
  );
}

/**
 * A success without amount or currency, and without the payment id that our POST was answered with: it may be another
 * shop's.
 */
export function isIncomplete(one: ModelTransaction, fields: Fields): boolean {
  const { status, amount, currency, paymentId } = fields;
  const isOurs = !isAbsent(paymentId) && String(paymentId) === one.answeredId;
  return status === 'SUCCESS' && (isAbsent(amount) || isAbsent(currency)) && !isOurs;
}
