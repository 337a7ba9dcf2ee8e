// The states of the widget to look at, without a proxy: each is an order of its own, whose requests this file answers
// in the page. A payment that is started there shows what follows; nothing is sent.

const PROXY = 'https://preview.invalid/';
const MINUTE_MS = 60_000;

const ORDER = {
  amount: '52.50',
  currency: 'EUR',
  description: 'Two coffees',
  supportUrl: null,
  methods: ['DIRECT', 'QR'],
  paid: false,
  checking: false,
  surplus: false,
  closed: false,
  test: false,
  otherOpen: false,
  refunds: [],
  payment: null,
};

const PAYMENT = {
  status: 'PROCESSING',
  reason: null,
  cause: null,
  answer: 'ARRIVED',
  checkoutUrl: null,
  qr: null,
  appUrl: null,
  walletLast4: null,
  expiresAt: null,
  paidAt: null,
  late: false,
};

/** The code of `https://wallet.example/pay?reference=4711`. */
const CODE = {
  text: 'https://wallet.example/pay?reference=4711',
  size: 29,
  modules:
    '_pFr_BEmkG6U2rt1k0XbqVguwXNdB_qqr-AcGQCLjk_OzW0f3Z5wwol8xbinVUF4vuP9u30tog1t0-auaBehrh7AlmoKMgHKPyNt_IBFzEf6vGuwTqsRusRf1dGd4G6b-x8E8PW_7iTZAA',
};

/** `view`: what the order's view has other than ORDER. */
export const STATES = {
  choose: { label: 'Choose', view: () => ({}) },
  wait: {
    label: 'Wait',
    view: (now) => ({
      payment: payment('DIRECT', now, { walletLast4: '5678', expiresAt: at(now + 14.5 * MINUTE_MS) }),
    }),
  },
  code: {
    label: 'Code',
    view: (now) => ({ payment: payment('QR', now, { qr: CODE, appUrl: 'jetgo://pay?reference=4711' }) }),
  },
  paid: {
    label: 'Paid',
    view: (now) => ({ paid: true, payment: payment('QR', now, { status: 'SUCCESS', paidAt: at(now) }) }),
  },
  failed: {
    label: 'Failed',
    view: (now) => ({ payment: payment('DIRECT', now, { status: 'FAILED', reason: 'DECLINED' }) }),
  },
};

/** What a started payment shows. */
const STARTED = { DIRECT: 'wait', QR: 'code' };

/** A widget that shows the state, not yet in the page. `brand`: the claims that name shop and wallet. */
export function previewOf(state, brand, now = Date.now()) {
  const widget = document.createElement('payment-widget');
  // Without a valid signature: the widget only reads tokens.
  widget.setAttribute('order', [{ alg: 'HS256' }, claimsOf(state, brand, now), {}].map(encode).join('.'));
  widget.setAttribute('proxy', `${PROXY}${state}/`);
  return widget;
}

/** What the order token of a state says. */
export function claimsOf(state, brand, now = Date.now()) {
  const { amount, currency, description } = ORDER;
  const exp = Math.floor((now + 60 * MINUTE_MS) / 1000);
  return {
    orderId: orderIdOf(state),
    amount,
    currency,
    description,
    ...brand,
    returnUrl: PROXY,
    customerReferenceNo: state,
    exp,
  };
}

/** From here on, `fetch` answers what the previews ask. */
export function answerPreviews(realFetch = globalThis.fetch) {
  globalThis.fetch = (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    return url.startsWith(PROXY) ? Promise.resolve(answerTo(new URL(url), init)) : realFetch(input, init);
  };
}

/** The proxy's answer: a stream that stays open, the order, or a started payment. */
export function answerTo({ pathname }, { method = 'GET', body, signal } = {}, now = Date.now()) {
  const [, state] = pathname.split('/');
  if (method === 'POST') {
    return Response.json(viewOf(state, STARTED[JSON.parse(body).method], now, 2), { status: 201 });
  }
  const view = viewOf(state, state, now, 1);
  return pathname.endsWith('/events') ? streamOf(view, signal) : Response.json(view);
}

/** Each state has an order of its own, because the widget remembers what was started for an order. */
function orderIdOf(state) {
  return `TH-${1041 + Object.keys(STATES).indexOf(state)}`;
}

function viewOf(order, state, now, version) {
  return { orderId: orderIdOf(order), ...ORDER, ...STATES[state].view(now), version, serverTime: at(now) };
}

function streamOf(view, signal) {
  const event = new TextEncoder().encode(`event: order\nid: ${view.version}\ndata: ${JSON.stringify(view)}\n\n`);
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(event);
      signal?.addEventListener('abort', () => controller.error(signal.reason));
    },
  });
  return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
}

function payment(method, now, change) {
  return { method, asked: method, ...PAYMENT, createdAt: at(now), ...change };
}

function at(ms) {
  return new Date(ms).toISOString();
}

function encode(part) {
  const text = btoa(JSON.stringify(part));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
