// The checkout on a server, where there is no DOM: prints its HTML. Arguments: the order token, the proxy's URL.
import { StrictMode } from 'react';
import { renderToString } from 'react-dom/server';
import { Checkout } from './checkout.jsx';

const [order, proxy] = process.argv.slice(2);
const html = renderToString(
  <StrictMode>
    <Checkout order={order} proxy={proxy} />
  </StrictMode>,
);
process.stdout.write(html);
