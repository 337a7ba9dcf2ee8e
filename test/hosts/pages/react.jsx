// The checkout in a browser. Hydrates the page if a server has rendered it.
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
