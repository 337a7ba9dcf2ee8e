/** Thanks the shopper. The shop ships by the webhook, never by this event. */
export function thankWhenPaid(widget, message) {
  widget.addEventListener('payment-success', ({ detail }) => {
    message.textContent = `Thank you for your order ${detail.orderId}.`;
  });
}
