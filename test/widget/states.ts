// Every state that a shopper can see, as data: the token's claims, the proxy's view, and what the shopper did. The
// accessibility tests and the contact sheet use this table, so a state that is missing here is neither tested nor
// shown.
import type { Method, OrderView, PaymentView } from '../../backend-proxy/protocol/wire.ts';
import { CHECKOUT_URL, FakeProxy, paymentOf, problemOf, type ClaimsChange } from '../../widget/testing/fake-proxy.ts';

/** The part of the element that a state uses. */
export interface Subject {
  pay(): void;
  reset(): void;
  append(child: Node): void;
  readonly shadowRoot: ShadowRoot | null;
  readonly updateComplete: Promise<boolean>;
}

export interface State {
  claims?: ClaimsChange;
  payment?: PaymentView;
  view?: Partial<OrderView>;
  proxy?: (proxy: FakeProxy) => void;
  attributes?: Record<string, string>;
  /** What the shopper does once the first view has arrived. */
  act?: (widget: Subject, proxy: FakeProxy) => void | Promise<void>;
  /** The heading that is then shown. */
  heading: string;
}

const CHOICE = 'How would you like to pay?';
const logo =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 4 4'><path fill='%231d2b2d' d='M0 0h4v4H0z'/><circle cx='2' cy='2' r='1' fill='%23f0a37c'/></svg>".replaceAll(
    ' ',
    '%20',
  );
const who = { merchant: 'Stillwater Coffee', logo, description: 'Two packs of filters' };
/** A token that does not name who is paid, as few do. */
const nobody = { merchant: undefined, logo: undefined, description: undefined };
const appUrl = 'jetgo://pay?reference=4711';
const soon = (ms: number) => new Date(Date.now() + ms).toISOString();
/** Another payment that can still be confirmed. */
export const other = (method: Method, walletLast4: string | null = null): Partial<OrderView> => ({
  otherOpen: true,
  otherPayments: [{ method, walletLast4, createdAt: '2026-11-20T11:58:00.000Z' }],
});
/** A payment of 15 minutes that has `remainingMs` left. */
const limited = (remainingMs: number) => ({ createdAt: soon(remainingMs - 900_000), expiresAt: soon(remainingMs) });
const paid = { paid: true };
const twice = {
  surplus: true,
  surplusAmount: '10.10',
  received: [
    { amount: '10.10', method: 'QR', walletLast4: null, paidAt: '2026-11-20T11:58:30.000Z' },
    { amount: '10.10', method: 'DIRECT', walletLast4: '5678', paidAt: '2026-11-20T12:01:00.000Z' },
  ],
} satisfies Partial<OrderView>;
const SUCCEEDED = paymentOf('QR', { status: 'SUCCESS' });
const failed = (method: Method, reason: PaymentView['reason'], cause: PaymentView['cause'] = null) =>
  paymentOf(method, { status: 'FAILED', reason, cause });

const IMAGE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAACEAAAAhCAYAAABX5MJvAAAAAklEQVR4AewaftIAAAJkSURBVM3BUWrcUBAAwW6h+1+544EdeIhd2/lKquwL/9jFf+DmReWTCpWKoVKxVCpURoVKhconFePmUPGkMiqGSsVQqahQGRUqFaviSWVdPKioqDypVKiMChWViqFSoXJSUVF5uvgllVWhMiqGSsWq+K2Lv1AxVCpUnir+1s1DxScqo2KpVKgMlVWxKj65Oah8p0JlqFSoPFWoLJXv3LxU/ERlVYyKpVJxqvjJzYtKxVKpUFkVS2VVVKicVJ4qhkrFuDioDJVVcVI5VaioVKiMioonFZXTzUuFisqoUBkVQ2WojIqTSsU7FSeVdfFQUbEqhkrFSUWlomKoPFWoqAyV08WLSsVSqVAZFSqrYlSorAqVoVIxKipWxbo5qKyKUaFScVI5qayKpfKOSsW4eKlYFSoqKhUqo+KkMipOKhWrYlWcLg4VFSoVFRWjYqhUjIonlaUyKlQqKlRONy8qq2KojAqVCpWlMireqVgVp4p18YbKqhgVS6ViVKiojIpRMVRUVFSWyrIvfEOlYqhUqIyKoTIqVCpUKp5UKlQqhn3hQWVUDJWK76isiqFSoVKxVEbFuHlROVUMlYqlMipURsWqUFkqQ2VUVKism5eKdyqGSkXFUKlQURkVp4qlUvHOzYvKJxVLpWKorIp3VCqGyqg43RwqnlRGhcpQqVCpUBkqFaeKVfHOzYPKqlgqo+Kp4h2Vk0qFSsW6+aWKoTIqKlRWhcqp4qlCpWLc/AWVUaHypDIqVJ5U3rl5qPiJyqg4qQyVUaFSoTIqVE43B5VPVFbFUqlYFUNFpUJlVKyKZV/4xy7+A38AUeQjaOFdXAYAAAAASUVORK5CYII=';

/** As a status check finds a payment: without anything to pay with. */
const FOUND = {
  status: 'PROCESSING',
  checkoutUrl: null,
  qr: null,
  createdAt: soon(-9_000),
} as const;
const AWAITED = { ...FOUND, answer: 'AWAITED' } as const;
const LOST = { ...FOUND, answer: 'LOST' } as const;
const supportUrl = 'https://shop.example/help';
const tooMany = problemOf('too_many_payments', { status: 429, requestId: '01JD4Z8Q6M' });

/** Clicks the link to the app, on a device without the app. */
function openAppLink(widget: Subject): void {
  const link = widget.shadowRoot?.querySelector<HTMLElement>('[part=app-link]');
  link?.addEventListener('click', (event) => event.preventDefault(), { once: true });
  link?.click();
}

function goOffline(_: Subject, proxy: FakeProxy): void {
  proxy.isDown = true;
  proxy.breakStreams();
}

/** Presses the button after this was typed. */
const submit = (id: string, value: string) => (widget: Subject) => {
  type(widget, id, value);
  widget.pay();
};

/** From the panel of a payment to a request for another one. */
async function requestAnother(widget: Subject): Promise<void> {
  widget.reset();
  await widget.updateComplete;
  submit('wallet', '12345678')(widget);
}

const refuseToken = (code: string) => (proxy: FakeProxy) => {
  proxy.streamProblem = problemOf(code, { status: 401, requestId: '01JD4Z8Q6M' });
};

function type(widget: Subject, id: string, value: string): void {
  const input = widget.shadowRoot?.querySelector<HTMLInputElement>(`#${id}`);
  if (!input) throw new Error(`No field ${id}`);
  input.value = value;
  input.dispatchEvent(new Event('input', { bubbles: true }));
}

/** A box to tick, as a page puts it above the button. */
function terms(): HTMLElement {
  const label = document.createElement('label');
  Object.assign(label, { slot: 'terms', dir: 'auto' });
  const box = document.createElement('input');
  Object.assign(box, { type: 'checkbox', required: true });
  Object.assign(box.style, {
    font: 'inherit',
    inlineSize: '1.125em',
    blockSize: '1.125em',
    marginInlineEnd: '0.5em',
    verticalAlign: '-0.15em',
  });
  label.append(box, 'I accept the terms.');
  return label;
}

/** A start that the proxy refuses. `heading`: of a refusal after which it accepts no further start. */
function refused(code: string, { retryable = false, heading = CHOICE } = {}): State {
  return {
    attributes: { method: 'QR' },
    proxy: (proxy) => proxy.nextStarts.push(problemOf(code, { retryable, requestId: '01JD4Z8Q6M' })),
    act: (widget) => widget.pay(),
    heading,
  };
}

export const STATES = {
  choose: { heading: CHOICE },
  'choose, test': { view: { test: true }, heading: CHOICE },
  'choose, one method': { claims: { ...nobody, methods: ['QR'] }, heading: 'Scan a QR code' },
  'choose, one method with a field': { claims: { methods: ['DIRECT'] }, heading: 'Enter your wallet ID' },
  'choose, order': {
    claims: { methods: ['CHECKOUT', 'QR'], purpose: 'order' },
    act: (widget) => widget.append(terms()),
    heading: CHOICE,
  },
  'choose, amount open': {
    claims: {
      amount: undefined,
      minAmount: '5',
      maxAmount: '500',
      suggestedAmounts: ['10', '20', '50'],
      methods: ['CHECKOUT', 'QR'],
    },
    heading: CHOICE,
  },
  'choose, amount wrong': {
    claims: { ...nobody, amount: undefined, minAmount: '5', maxAmount: '500', methods: ['CHECKOUT', 'QR'] },
    act: submit('amount', '2.50'),
    heading: CHOICE,
  },
  'choose, wallet wrong': { attributes: { method: 'DIRECT' }, act: submit('wallet', 'me@mail'), heading: CHOICE },
  'choose, website': { attributes: { method: 'CHECKOUT' }, heading: CHOICE },
  'choose, wallet empty': { attributes: { method: 'DIRECT' }, act: (widget) => widget.pay(), heading: CHOICE },
  'choose, decimals wrong': {
    claims: { amount: undefined, minAmount: '5', methods: ['CHECKOUT', 'QR'] },
    act: submit('amount', '1.2345'),
    heading: CHOICE,
  },
  sending: {
    claims: nobody,
    attributes: { method: 'QR' },
    proxy: (proxy) => proxy.hold(),
    act: (widget) => widget.pay(),
    heading: CHOICE,
  },
  'refused: method unavailable': { ...refused('method_unavailable'), claims: who },
  'refused: invalid request': {
    ...refused('invalid_request'),
    payment: failed('QR', 'DECLINED'),
    attributes: { method: 'DIRECT' },
    act: requestAnother,
  },
  'refused: already paid': refused('already_paid', { heading: 'This order is already paid' }),
  'refused: order changed': refused('order_changed', { heading: 'The order has changed' }),
  'refused: too many payments': {
    ...refused('too_many_payments', { heading: 'Too many attempts for this order' }),
    claims: { supportUrl },
  },
  'refused: too many payments, one open': {
    payment: paymentOf('QR'),
    attributes: { method: 'DIRECT' },
    proxy: (proxy) => proxy.nextStarts.push(tooMany),
    act: requestAnother,
    heading: 'Too many attempts for this order',
  },
  'refused: too many requests': refused('too_many_requests', { retryable: true }),
  'refused: too many prompts': {
    ...refused('too_many_prompts', { retryable: true }),
    attributes: { method: 'DIRECT' },
    act: submit('wallet', '12345678'),
  },
  'refused: forbidden origin': refused('forbidden_origin', { heading: 'Payments do not work on this page' }),
  'refused: newer code, for now': refused('a_newer_code', { retryable: true }),
  'refused: newer code, for good': refused('a_newer_code', { heading: 'The payment was not started' }),
  'choose, payment open': { payment: paymentOf('QR'), act: (widget) => widget.reset(), heading: CHOICE },
  'newer status': {
    payment: paymentOf('DIRECT', { status: 'A_NEWER_ONE' as 'PROCESSING' }),
    heading: 'We are checking your payment',
  },
  checking: {
    claims: { supportUrl },
    payment: paymentOf('QR', { qr: null }),
    view: { checking: true },
    heading: 'We are checking your payment',
  },
  'fetching the code': { payment: paymentOf('QR', AWAITED), heading: 'Starting the payment…' },
  'fetching, request': { payment: paymentOf('DIRECT', AWAITED), heading: 'Starting the payment…' },
  'lost, code': { claims: nobody, payment: paymentOf('JETGO', LOST), heading: 'The payment was not started' },
  'lost, request': { payment: paymentOf('DIRECT', LOST), heading: 'Check your wallet app' },
  redirect: {
    payment: paymentOf('CHECKOUT', limited(572_000)),
    heading: 'Continue on the wallet’s website',
  },
  'redirect, asked the wallet': {
    payment: paymentOf('DIRECT', { method: 'CHECKOUT', checkoutUrl: CHECKOUT_URL, ...limited(572_000) }),
    heading: 'Continue on the wallet’s website',
  },
  'redirect, time up': { payment: paymentOf('CHECKOUT', limited(-1000)), heading: 'Time is up' },
  'redirect, unsafe': {
    payment: paymentOf('CHECKOUT', { checkoutUrl: 'http://checkout.example/' }),
    heading: 'The payment was not started',
  },
  scan: { payment: paymentOf('QR', { appUrl }), heading: 'Scan a QR code' },
  'scan, time left': { payment: paymentOf('QR', limited(299_000)), heading: 'Scan a QR code' },
  'scan, time up': { payment: paymentOf('QR', limited(-1000)), heading: 'Time is up' },
  'scan, app pressed': { payment: paymentOf('QR', { appUrl }), act: openAppLink, heading: 'Scan a QR code' },
  'scan, image': {
    claims: nobody,
    payment: paymentOf('JETGO', { qr: { image: IMAGE } }),
    heading: 'Scan a JetGo code',
  },
  'scan, app only': {
    payment: paymentOf('JETGO', { qr: null, appUrl, ...limited(299_000) }),
    heading: 'Pay in your wallet app',
  },
  'scan, app only, pressed': {
    payment: paymentOf('JETGO', { qr: null, appUrl }),
    act: openAppLink,
    heading: 'Pay in your wallet app',
  },
  'wallet, time left': {
    payment: paymentOf('DIRECT', { ...limited(299_000), appUrl }),
    heading: 'Confirm in your wallet app',
  },
  'wallet, another open': {
    payment: paymentOf('DIRECT', { ...limited(299_000), appUrl }),
    view: other('DIRECT', '1234'),
    heading: 'Confirm in your wallet app',
  },
  'wallet, time up': { payment: paymentOf('DIRECT', limited(-1000)), heading: 'Time is up' },
  wallet: { claims: nobody, payment: paymentOf('DIRECT'), heading: 'Confirm in your wallet app' },
  paid: { payment: SUCCEEDED, view: paid, heading: 'Payment received' },
  'paid, another open': {
    payment: SUCCEEDED,
    view: { ...paid, ...other('DIRECT', '5678') },
    heading: 'Payment received',
  },
  'paid, twice': {
    claims: { supportUrl },
    payment: paymentOf('CHECKOUT', { status: 'SUCCESS', late: true }),
    view: { ...paid, ...twice, owedAmount: '10.10' },
    heading: 'This order was paid more than once',
  },
  'paid, refunded in part': {
    payment: SUCCEEDED,
    view: {
      ...paid,
      refunds: [
        { amount: '4.00', status: 'SUCCESS' },
        { amount: '2.00', status: 'PROCESSING' },
      ],
    },
    heading: '€2.00 is on its way back',
  },
  'paid, refunded': {
    claims: { amount: '10.10' },
    payment: SUCCEEDED,
    view: { ...paid, refunds: [{ amount: '10.10', status: 'SUCCESS' }] },
    heading: '€10.10 was sent back',
  },
  'paid, refund in doubt': {
    payment: SUCCEEDED,
    view: { ...paid, refundInDoubtAmount: '10.10' },
    heading: 'Refund of €10.10 being checked',
  },
  'paid, refund failed': {
    claims: { supportUrl },
    payment: SUCCEEDED,
    view: { ...paid, refundFailedAmount: '10.10' },
    heading: 'The refund of €10.10 did not go through',
  },
  'paid, twice, refunded': {
    claims: nobody,
    payment: SUCCEEDED,
    view: { ...paid, ...twice, refunds: [{ amount: '10.10', status: 'PROCESSING' }] },
    heading: '€10.10 is on its way back',
  },
  'closed, paid after': {
    claims: { supportUrl },
    payment: SUCCEEDED,
    view: { closed: true, owedAmount: '10.10' },
    heading: 'The shop has closed this order',
  },
  'closed, refunded': {
    claims: { amount: '10.10', supportUrl },
    payment: SUCCEEDED,
    view: { closed: true, refunds: [{ amount: '10.10', status: 'PROCESSING' }] },
    heading: '€10.10 is on its way back',
  },
  declined: { claims: nobody, payment: failed('DIRECT', 'DECLINED'), heading: 'The payment was not completed' },
  'declined, canceled': {
    payment: failed('CHECKOUT', 'DECLINED', 'CANCELLED'),
    heading: 'The payment was canceled',
  },
  'declined, another open': {
    payment: failed('DIRECT', 'DECLINED'),
    view: other('CHECKOUT'),
    heading: 'The payment was not completed',
  },
  'canceled, the one before open': {
    payment: failed('CHECKOUT', 'DECLINED', 'CANCELLED'),
    view: { ...other('QR'), openPayment: paymentOf('QR') },
    heading: 'The payment was canceled',
  },
  'declined, low balance': {
    payment: failed('DIRECT', 'DECLINED', 'LOW_BALANCE'),
    heading: 'There was not enough money in the wallet',
  },
  'declined, with help': {
    claims: { supportUrl },
    payment: failed('DIRECT', 'DECLINED'),
    heading: 'The payment was not completed',
  },
  'expired, code': { payment: failed('QR', 'EXPIRED'), heading: 'Time is up' },
  'expired, request': { payment: failed('DIRECT', 'EXPIRED'), heading: 'Time is up' },
  resolved: {
    claims: { supportUrl },
    payment: failed('QR', 'RESOLVED'),
    heading: 'The shop could not confirm this payment',
  },
  closed: {
    claims: { supportUrl },
    payment: paymentOf('QR'),
    view: { closed: true },
    heading: 'The shop has closed this order',
  },
  expired: { payment: failed('CHECKOUT', 'EXPIRED', 'TOKEN_EXPIRED'), heading: 'Time is up' },
  rejected: {
    act: (widget, proxy) => {
      type(widget, 'wallet', '12345678');
      proxy.publish({ payment: failed('DIRECT', 'REJECTED') });
    },
    heading: 'The payment was not accepted',
  },
  'not created': { payment: failed('JETGO', 'NOT_CREATED'), heading: 'The payment was not started' },
  offline: { payment: paymentOf('QR', limited(299_000)), act: goOffline, heading: 'Scan a QR code' },
  'offline, another open': {
    payment: paymentOf('QR'),
    view: other('DIRECT', '5678'),
    act: goOffline,
    heading: 'Scan a QR code',
  },
  'token expired': { proxy: refuseToken('token_expired'), heading: 'This page has expired' },
  'token invalid': { proxy: refuseToken('invalid_token'), heading: 'This payment link does not work' },
} satisfies Record<string, State>;

/** The proxy of a state, prepared. */
export function proxyOf({ claims, payment, view, proxy: prepare }: State): FakeProxy {
  const proxy = new FakeProxy({ ...who, ...claims }, { ...view, ...(payment && { payment, version: 3 }) });
  prepare?.(proxy);
  return proxy;
}
