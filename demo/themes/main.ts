// `npm run themes`: builds the widget if it is out of date, and serves the theme editor by itself on port 8081, or on a
// free one if that is taken. PORT sets another. Ctrl-C ends it.
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { findPorts } from '../ports.ts';
import { buildWidgetIfStale } from '../widget-build.ts';
import { createThemesAlone } from './alone.ts';

const HOST = '127.0.0.1';
const PORT = 8081;

await buildWidgetIfStale();
const [port = 0] = await findPorts([Number(process.env['PORT'] || PORT)], HOST);
const answer = getRequestListener(createThemesAlone(new URL('../../dist/widget/', import.meta.url)).fetch);
const server = createServer((request, response) => void answer(request, response));
server.listen(port, HOST, () => console.log(`Themes    http://${HOST}:${port}`));

const stop = () => {
  server.close();
  server.closeAllConnections();
};
process.once('SIGTERM', stop).once('SIGINT', stop);
