import { send } from '../../client/send.ts';

/** An upload session did not end in time, or its live channel broke. */
export class NotFollowed extends Error {}

const ENDS_WITHIN_MS = 180_000;
const TERMINAL = 'batch.terminal';

interface Followed {
  apiUrl: string;
  apiKey: string;
  sessionId: string;
  signal: AbortSignal;
}

/** Reads the event stream of a session until the session has ended. @throws NotFollowed */
export async function followByEvents({ apiUrl, apiKey, sessionId, signal }: Followed): Promise<void> {
  const response = await send({ url: apiUrl, key: apiKey }, 'GET', `/files/sessions/${sessionId}/events`, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(ENDS_WITHIN_MS)]),
  });
  // 204: it has ended already.
  if (response.status === 204) return;
  if (response.status !== 200 || !response.body) throw new NotFollowed(`events: ${response.status}`);
  let last = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    last = (last + chunk).slice(-TERMINAL.length - chunk.length);
    if (last.includes(`event: ${TERMINAL}`)) return;
  }
  throw new NotFollowed('the event stream ended before the session');
}

/** Subscribes to a session on a WebSocket until the session has ended. @throws NotFollowed */
export async function followBySocket({ apiUrl, apiKey, sessionId, signal }: Followed): Promise<void> {
  const headers = { Authorization: `Bearer ${apiKey}` };
  const socket = new WebSocket(`${apiUrl.replace(/^http/, 'ws')}/ws`, { headers });
  const ended = Promise.withResolvers<void>();
  const stop = AbortSignal.any([signal, AbortSignal.timeout(ENDS_WITHIN_MS)]);
  stop.addEventListener('abort', () => ended.reject(new NotFollowed('the session did not end in time')));
  socket.addEventListener('open', () =>
    socket.send(JSON.stringify({ action: 'subscribe', channel: `batch.${sessionId}` })),
  );
  socket.addEventListener('message', ({ data }) => {
    const frame = JSON.parse(String(data)) as { type: string; data?: { status?: string } };
    const over = !['pending', 'uploading', 'processing'].includes(frame.data?.status ?? 'pending');
    if (frame.type === TERMINAL || (frame.type === 'snapshot' && over)) ended.resolve();
  });
  socket.addEventListener('close', () => ended.reject(new NotFollowed('the WebSocket was closed')));
  socket.addEventListener('error', () => ended.reject(new NotFollowed('the WebSocket failed')));
  try {
    await ended.promise;
  } finally {
    socket.close();
  }
}
