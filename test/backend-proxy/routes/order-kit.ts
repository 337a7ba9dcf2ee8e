// Claims of order tokens, and the number of calls to the gateway.
import type { World } from '../world.ts';

export const OPEN = { amount: undefined, minAmount: '5', maxAmount: '50.00' };
export const DIRECT = { customerReferenceNo: 'C-1', customer: '12345678' };

export async function creates(world: World, ...ids: string[]): Promise<(number | undefined)[]> {
  return Promise.all(ids.map(async (id) => (await world.gatewayHas(id))?.createRequests));
}
