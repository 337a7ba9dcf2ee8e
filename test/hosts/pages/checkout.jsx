// A checkout in React 19, for the browser and for the server.
import { useEffect, useState } from 'react';
import 'payment-widget/react';

export function Checkout({ order, proxy }) {
  const [isOpen, setOpen] = useState(false);
  const [title, setTitle] = useState('Your turn');
  const [events, setEvents] = useState([]);
  // The server renders no widget, because React sets neither listeners nor properties on a custom element that it
  // hydrates (react#35446).
  useEffect(() => setOpen(true), []);
  const record = ({ type, target }) => setEvents((before) => [...before, type, target.value]);
  return (
    <>
      <button onClick={() => setOpen(!isOpen)}>Toggle</button>
      <button onClick={() => setTitle('Renamed')}>Rename</button>
      <output>{events.join(' ')}</output>
      {isOpen && (
        <payment-widget
          order={order}
          proxy={proxy}
          methods="QR CHECKOUT"
          messages={{ choose: title }}
          checkout-target="_blank"
          onpayment-submit={record}
          onpayment-success={record}
        >
          <svg slot="icon-QR" />
          <p slot="success">On its way</p>
        </payment-widget>
      )}
    </>
  );
}
