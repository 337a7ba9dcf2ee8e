// How each guard of docs/threats.md is removed, by the attack's name: one file for each heading.
// To add an edit, write [a file of the row's guards, a text that it contains exactly once, a replacement that still
// runs] (types are stripped, not checked). Then `npm run test:guards -- 'words of the attack'` has to print "red".
// The edits in a list are tried one by one. A list inside it is one edit in several places, for guards that repeat
// each other.
import type { Edits } from './apply.ts';
import { admin } from './edits/admin.ts';
import { amounts } from './edits/amounts.ts';
import { building } from './edits/building.ts';
import { commands } from './edits/commands.ts';
import { database } from './edits/database.ts';
import { demoShop } from './edits/demo-shop.ts';
import { doubles } from './edits/doubles.ts';
import { files } from './edits/files.ts';
import { gatewayConnections } from './edits/gateway-connections.ts';
import { ipns } from './edits/ipns.ts';
import { limits } from './edits/limits.ts';
import { links } from './edits/links.ts';
import { logs } from './edits/logs.ts';
import { memory } from './edits/memory.ts';
import { orderTokens } from './edits/order-tokens.ts';
import { origins } from './edits/origins.ts';
import { personalData } from './edits/personal-data.ts';
import { resolving } from './edits/resolving.ts';
import { statusChecks } from './edits/status-checks.ts';
import { webhooks } from './edits/webhooks.ts';

export const EDITS: Edits = {
  ...amounts,
  ...orderTokens,
  ...origins,
  ...ipns,
  ...statusChecks,
  ...resolving,
  ...doubles,
  ...limits,
  ...links,
  ...gatewayConnections,
  ...webhooks,
  ...logs,
  ...memory,
  ...files,
  ...database,
  ...commands,
  ...personalData,
  ...building,
  ...admin,
  ...demoShop,
};
