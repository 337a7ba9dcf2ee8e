// A checkout in React 19, for the browser and for the server.
import { useEffect, useState } from 'react';
import 'payment-widget/react';

export function Checkout({ order, proxy }) {
  const [isOpen, setOpen] = useState(false);
  const [title, setTitle] = useState('Your turn');
  const [heard, setHeard] = useState([]);
  // Not in what the server renders: React gives a custom element that it hydrates neither listeners nor properties (react#35446).
  useEffect(() => setOpen(true), []);
  const hear = ({ type, target }) => setHeard((before) => [...before, type, target.value]);
  return (
    <>
      <button onClick={() => setOpen(!isOpen)}>Toggle</button>
      <button onClick={() => setTitle('Renamed')}>Rename</button>
      <output>{heard.join(' ')}</output>
      {isOpen && (
        <payment-widget
          order={order}
          proxy={proxy}
          methods="QR CHECKOUT"
          messages={{ choose: title }}
          checkout-target="_blank"
          onpayment-submit={hear}
          onpayment-success={hear}
        >
          <svg slot="icon-QR" />
          <p slot="success">On its way</p>
        </payment-widget>
      )}
    </>
  );
}
