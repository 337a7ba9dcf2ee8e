// Starts the process of the load and calls its work.
import { LOAD_CPU, launch } from './launch.ts';
import type { Call, Result, Work } from './load.ts';

type Name = keyof Work;
type Value<N extends Name> = Awaited<ReturnType<Work[N]>>;

export interface Load {
  /** Rejects with the error of the load: a wrong answer, a closed connection. */
  call<N extends Name>(name: N, ...parameters: Parameters<Work[N]>): Promise<Value<N>>;
  cpuSeconds(): number;
  end(): Promise<void>;
}

export function startLoad(output: string): Load {
  const process = launch({ file: new URL('load.ts', import.meta.url), cpu: LOAD_CPU, output });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let calls = 0;
  process.child.on('message', (result: Result) => {
    const call = waiting.get(result.id);
    waiting.delete(result.id);
    if ('error' in result) call?.reject(new Error(result.error));
    else call?.resolve(result.value);
  });
  process.child.once('exit', () => {
    for (const call of waiting.values()) call.reject(new Error(`The load ended by itself: see ${output}`));
  });
  return {
    call<N extends Name>(name: N, ...parameters: Parameters<Work[N]>) {
      const call = Promise.withResolvers<unknown>();
      const id = ++calls;
      waiting.set(id, call);
      process.child.send({ id, name, parameters } satisfies Call);
      return call.promise as Promise<Value<N>>;
    },
    cpuSeconds: () => process.cpuSeconds(),
    end: () => process.end(),
  };
}
