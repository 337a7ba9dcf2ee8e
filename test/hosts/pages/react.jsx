// The checkout in a browser: takes over what the server rendered, where it did.
import { StrictMode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { Checkout } from './checkout.jsx';

const root = document.querySelector('main');
const page = (
  <StrictMode>
    <Checkout order={root.dataset.order} proxy={root.dataset.proxy} />
  </StrictMode>
);
if (root.hasChildNodes()) hydrateRoot(root, page);
else createRoot(root).render(page);
