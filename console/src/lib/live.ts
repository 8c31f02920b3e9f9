import { useEffect, useEffectEvent } from 'react';
import type { LiveEvent } from 'darkroom-client';
import { client } from './client.ts';

/**
 * Follows a live channel of the API while a component is shown, for example `/files/sessions/{id}`. The client reconnects
 * by itself; if it gives up, `onEnd` gets the error, and polling has to do.
 *
 * @param path null to follow nothing
 */
export function useLive(
  path: string | null,
  { onEvent, onEnd }: { onEvent: (event: LiveEvent) => void; onEnd?: (error?: unknown) => void },
): void {
  const handle = useEffectEvent(onEvent);
  const end = useEffectEvent((error?: unknown) => onEnd?.(error));
  useEffect(() => {
    if (path === null) return;
    const stop = new AbortController();
    const follow = async () => {
      try {
        for await (const event of client.events(path, { signal: stop.signal })) handle(event);
        end();
      } catch (error) {
        if (!stop.signal.aborted) end(error);
      }
    };
    void follow();
    return () => stop.abort();
  }, [path]);
}
