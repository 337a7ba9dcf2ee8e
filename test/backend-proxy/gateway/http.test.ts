// The HTTP adapter keeps the contract of the port, under the built-in profile and under one that changes every name.
import { DEFAULT_PROFILE, profileSchema } from '../../../backend-proxy/gateway/profile.ts';
import { gatewayContract } from './contract.ts';
import { openHttp } from './scripted-gateway.ts';

gatewayContract({ name: 'HTTP', open: openHttp(DEFAULT_PROFILE) });

gatewayContract({
  name: 'HTTP with another profile',
  open: openHttp(
    profileSchema.parse({
      paths: { pay: '/v9/collect', payout: '/v9/send', status: '/v9/ask' },
      request: { orderId: 'ref', amount: 'sum', currency: 'coin', method: 'via', customer: 'wallet', type: 'kind' },
      answer: { orderId: 'ref', paymentId: 'id', method: 'via', checkoutUrl: 'goto', qr: 'code', appUrl: 'app' },
      report: {
        orderId: 'ref',
        paymentId: 'id',
        type: 'kind',
        customer: 'wallet',
        amount: 'sum',
        currency: 'coin',
        status: 'state',
      },
      refusal: { code: 'reason', message: 'text' },
      duplicate: ['twice'],
      types: { PAY: 'IN', PAYOUT: 'OUT' },
      statuses: { DONE: 'succeeded', OPEN: 'pending', NO: 'failed' },
    }),
  ),
});
