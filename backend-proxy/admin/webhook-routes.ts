// The webhooks on the operator's page: lists by state, one with its body, and sending one again.
import type { Hono } from 'hono';
import { Refusal } from '../errors.ts';
import { WEBHOOK_CURSOR } from '../ledger/queries/webhooks.ts';
import type { AdminParts, Frame } from './frame.ts';
import { isState, webhookPage, webhooksPage } from './webhooks-page.ts';

const PAGE_SIZE = 50;

export function webhookRoutes(app: Hono, { ledger, onDue, log = () => undefined }: AdminParts, frame: Frame): void {
  app.get('/admin/webhooks', async (c) => {
    const { state: asked, cursor } = c.req.query();
    const state = isState(asked) ? asked : 'dead';
    const isPage = cursor !== undefined && WEBHOOK_CURSOR.test(cursor);
    const page = await ledger.webhooks(state, PAGE_SIZE, isPage ? { cursor } : {});
    return frame.show(c, 'webhooks', 'Webhooks', webhooksPage({ ...page, state, form: frame.formToken(c) }));
  });
  app.get('/admin/webhooks/:id', async (c) => {
    const webhook = await ledger.webhook(c.req.param('id'));
    if (webhook === undefined) throw new Refusal('not_found', 'There is no such webhook.');
    return frame.show(c, 'webhooks', webhook.type, webhookPage(webhook, frame.formToken(c)));
  });
  app.post('/admin/webhooks/:id/redeliver', async (c) => {
    const webhook = await ledger.redeliver(c.req.param('id'));
    if (webhook === undefined) throw new Refusal('not_found', 'There is no such webhook.');
    onDue();
    log('info', 'operator redelivered', { webhook: webhook.id });
    return frame.done(c, `/admin/webhooks/${webhook.id}`, 'redelivered');
  });
}
