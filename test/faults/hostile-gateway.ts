// A gateway that answers every request with something hostile that is never quite a true report. It keeps one rule, so
// that a test can say what must not happen: a status answer that claims an end never fits the order that was asked
// about.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { junkJson, junkText, nested, mutatedBytes, mutatedMessage } from './fuzz-values.ts';
import type { Random } from './random.ts';

/** Part of every answer, in an extra field and in error texts. The proxy must not pass it on. */
const MARK = 'upstream-mark-2c9d';

interface Asked {
  orderId: string;
  type?: string;
}

export function createHostileGateway(random: Random) {
  let answers = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const asked = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Asked;
    answers += 1;
    const isStatus = request.url?.endsWith('/status') === true;
    const body = isStatus ? statusAnswer(asked, random) : payAnswer(asked, random);
    const status = random.chance(0.8)
      ? 200
      : random.pick([201, 202, 204, 206, 301, 307, 400, 404, 409, 429, 500, 503, 999]);
    if (random.chance(0.03)) response.destroy();
    else {
      response.writeHead(status, {
        'Content-Type': random.pick(['application/json', 'text/html', 'application/octet-stream']),
        ...(random.chance(0.1) && { Location: 'http://127.0.0.1:1/', 'Set-Cookie': 'a=b', 'X-Note': MARK }),
      });
      response.end(status === 204 ? undefined : body);
    }
  }

  return {
    answer: (request: IncomingMessage, response: ServerResponse) =>
      void answer(request, response).catch(() => response.destroy()),
    answers: () => answers,
    /** What must not be in an answer to a shopper. */
    untrusted(text: string): string[] {
      const found = text.includes(MARK) ? ['a text of the gateway was passed on'] : [];
      const view = JSON.parse(text) as {
        payment?: { checkoutUrl: string | null; appUrl: string | null; qr: { image?: string } | null } | null;
      };
      const { checkoutUrl = null, appUrl = null, qr = null } = view.payment ?? {};
      if (checkoutUrl !== null && !/^(https:\/\/|http:\/\/(127\.0\.0\.1|localhost)[:/])/.test(checkoutUrl))
        found.push(`checkout ${checkoutUrl}`);
      if (checkoutUrl !== null && /@/.test(new URL(checkoutUrl).host + new URL(checkoutUrl).username))
        found.push(`checkout ${checkoutUrl}`);
      if (appUrl !== null && /^(javascript|data|vbscript|blob|file|http):/i.test(appUrl))
        found.push(`app link ${appUrl}`);
      if (qr?.image !== undefined && !/^data:image\/(png|jpeg|gif|webp|svg\+xml);base64,/.test(qr.image))
        found.push('an image of another type');
      return found;
    },
  };
}

function payAnswer({ orderId }: Asked, random: Random): Buffer {
  const link = () =>
    random.pick([
      junkText(random),
      'https://pay.example/?token=1',
      'http://pay.example/',
      'javascript:alert(1)',
      'https://a:b@pay.example/',
      '//evil.example',
      'data:text/html,x',
      'jetgo://pay?reference=1',
    ]);
  const image = random.pick([
    '\x89PNG\r\n\x1a\n',
    '<svg onload=alert(1)>',
    'GIF89a',
    '<html>',
    'https://pay.example/scan',
    'MZ\x90',
    '\xff\xd8\xff',
  ]);
  const fields = {
    paymentId: random.pick<unknown>([111_328, 'b7d4', null, '9007199254740993']),
    orderId: random.chance(0.8) ? orderId : junkText(random),
    method: random.pick(['DIRECT', 'CHECKOUT', 'JETGO', 'QR', 'CASH']),
    checkout: link(),
    qr: random.chance(0.8)
      ? Buffer.from(image + 'x'.repeat(random.between(0, 90)), 'latin1').toString('base64')
      : junkText(random),
    appPaymentLink: link(),
    status: 'SUCCESS',
    message: MARK,
  };
  return spoiled(fields, random);
}

/** Either claims an end and differs from the order in a compared field, or claims no end. */
function statusAnswer({ orderId, type }: Asked, random: Random): Buffer {
  const difference = random.pick<Record<string, unknown>>([
    { orderId: `${orderId}-x` },
    { orderId: null },
    { type: type === 'PAY' ? 'PAYOUT' : 'PAY' },
    { type: 'pay' },
    { amount: 10.11 },
    { amount: '10.11e0' },
    { amount: -10.1 },
    { amount: 0 },
    { currency: 'USD' },
    { currency: 'eur' },
    { status: 'PROCESSING' },
    { status: 'success' },
    { status: { SUCCESS: true } },
    { status: ['SUCCESS'] },
    { status: 'constructor' },
    { status: '__proto__' },
  ]);
  const fields = {
    orderId,
    type,
    amount: 10.1,
    currency: 'EUR',
    status: random.pick(['SUCCESS', 'FAILED']),
    message: MARK,
    ...difference,
  };
  // Mutating it could remove the one difference, so it is sent unchanged, or cut, which makes it invalid JSON.
  const text = JSON.stringify(fields);
  return random.chance(0.1) ? Buffer.from(text.slice(0, random.between(0, text.length - 1))) : Buffer.from(text);
}

function spoiled(fields: Record<string, unknown>, random: Random): Buffer {
  const kind = random.between(0, 9);
  if (kind <= 4) return Buffer.from(JSON.stringify(fields));
  if (kind <= 6) return Buffer.from(mutatedMessage(fields, random));
  if (kind === 7) return mutatedBytes(JSON.stringify(fields), random);
  return Buffer.from(
    random.pick([
      junkJson(random),
      nested(5_000),
      ' '.repeat(300_000),
      `[${JSON.stringify(fields)}]`,
      `<h1>${MARK}</h1>`,
    ]),
  );
}
