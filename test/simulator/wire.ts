// The wires between the proxies, the gateway and the merchant, in place of sockets: an undici dispatcher for each
// process. A request that has left its process arrives even if that process dies; the answer then reaches nobody.
import { Dispatcher } from 'undici';

export interface Reply {
  status: number;
  body: string;
  headers: Record<string, string>;
}

/** No answer: the code of the error. */
export interface Lost {
  lost: string;
}

export interface Request {
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** `exchange` answers in virtual time. */
export class Wire extends Dispatcher {
  readonly #exchange: (request: Request) => Promise<Reply | Lost>;

  constructor(exchange: (request: Request) => Promise<Reply | Lost>) {
    super();
    this.#exchange = exchange;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { path, body, headers } = options;
    const controller = {
      abort: () => undefined,
      pause: () => undefined,
      resume: () => undefined,
    } as unknown as Dispatcher.DispatchController;
    handler.onRequestStart?.(controller, {});
    const request = { path, body: body as string, headers: headers as Record<string, string> };
    void this.#answer(request, controller, handler);
    return true;
  }

  async #answer(
    request: Request,
    controller: Dispatcher.DispatchController,
    handler: Dispatcher.DispatchHandler,
  ): Promise<void> {
    const answer = await this.#exchange(request);
    if ('lost' in answer) {
      handler.onResponseError?.(controller, Object.assign(new Error(answer.lost), { code: answer.lost }));
      return;
    }
    handler.onResponseStart?.(controller, answer.status, answer.headers, '');
    handler.onResponseData?.(controller, Buffer.from(answer.body));
    handler.onResponseEnd?.(controller, {});
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }
}

export function json(status: number, fields: object): Reply {
  return { status, body: JSON.stringify(fields), headers: { 'content-type': 'application/json' } };
}
