// A person's resolution of a review, as the merchant's server or the operator's page sends it.
import { z } from '@hono/zod-openapi';

export const resolutionSchema = z
  .strictObject({
    status: z.enum(['SUCCESS', 'FAILED'], { error: 'SUCCESS or FAILED' }),
    by: personText(100).openapi({ description: 'The person who resolves it' }),
    note: personText(500).openapi({ description: 'How the person verified the outcome' }),
    gatewayReports: z
      .enum(['SUCCESS', 'FAILED'])
      .optional()
      .openapi({ description: 'What the gateway reports, to decide against it knowingly' }),
    version: z.int().optional().openapi({ description: 'Of the transaction: refuse if it has changed since' }),
  })
  .openapi('Resolution');

function personText(most: number) {
  const allowed = { error: `1 to ${most} characters, no control characters` };
  return z
    .string(allowed)
    .min(1, allowed)
    .max(most, allowed)
    .regex(/^\P{Cc}*$/u, allowed);
}
