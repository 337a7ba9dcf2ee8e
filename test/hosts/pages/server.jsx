// Prints the HTML of the checkout, rendered on a server without a DOM. Arguments: the order token, the proxy's URL.
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
