// Where an event stream sends its messages: to the socket of node:http, or into a web stream where there is none, in a
// merchant's own server. A web stream doubles the memory of each open stream.
import type { ServerResponse } from 'node:http';
import type { Sink, Stream, Streams } from './events.ts';

/** The head of the answer has been written. */
export function sendToSocket(streams: Streams, stream: Stream, outgoing: ServerResponse): void {
  outgoing.on('close', () => streams.leave(stream));
  streams.connect(stream, outgoing);
}

export function toWebStream(streams: Streams, stream: Stream): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let onPull: (() => void) | undefined;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const sink: Sink = {
          write(text, onTaken) {
            onPull = onTaken;
            controller.enqueue(encoder.encode(text));
          },
          end: () => controller.close(),
          destroy: () => controller.close(),
        };
        onPull = () => streams.connect(stream, sink);
      },
      pull() {
        const pulled = onPull;
        onPull = undefined;
        pulled?.();
      },
      cancel: () => streams.leave(stream),
    },
    { highWaterMark: 0 },
  );
}
