import type { Api, Body, Data } from './api.ts';
import { ApiError, ConnectionError } from './errors.ts';
import { readEvents } from './events.ts';
import type { components } from './openapi.ts';
import type { Transport } from './transport.ts';
import { waitUntil } from './wait.ts';

/** An answer with its sentences, their citations and the passages. */
export type Answer = components['schemas']['Answer'];
type Request = Body<'/files/ask'>;
type Stored = Data<'/answers/{answer_id}', 'get'>;

export interface AskOptions extends Omit<Request, 'question'> {
  /** Ends the wait; its reason is thrown. */
  signal?: AbortSignal;
}

/** A part of an answer, in the order in which they arrive: the passages, each sentence, the whole answer. */
export type AskEvent =
  | { type: 'passages'; data: components['schemas']['AnswerPassages'] }
  | { type: 'sentence'; data: components['schemas']['AnswerSentence'] }
  | { type: 'done'; data: Answer };

/** Seconds for which one request waits; longer answers are polled. */
const REQUEST_SECONDS = 60;
/** For the search before, and the network. */
const MORE_MS = 30_000;
/** An answer that takes longer is not polled any more; it can still be read by its id. */
const LONGEST_MS = 15 * 60_000;

interface Parts {
  api: Api;
  transport: Transport;
}

/**
 * Asks documents a question and waits for the answer.
 *
 * @throws ApiError, ConnectionError, the reason of the signal; a TimeoutError after a quarter of an hour
 */
export async function ask(
  { api, transport }: Parts,
  question: string,
  { signal, timeout = REQUEST_SECONDS, ...options }: AskOptions = {},
): Promise<Answer> {
  const { data: started } = await api.POST('/files/ask', {
    body: { question, timeout, ...options },
    timeoutMs: Math.max(transport.timeoutMs, (timeout ?? REQUEST_SECONDS) * 1000 + MORE_MS),
    ...(signal && { signal }),
  });
  return 'sentences' in started ? started : finished({ api, transport }, started.answer_id, signal);
}

/**
 * Asks documents a question and yields the parts of the answer as they arrive. A connection that breaks is not repeated:
 * the answer goes on, and its id is in the passages.
 *
 * @throws ApiError, ConnectionError, the reason of the signal; a TimeoutError after a quarter of an hour
 */
export async function* askStreaming(
  { api, transport }: Parts,
  question: string,
  { signal, ...options }: AskOptions = {},
): AsyncGenerator<AskEvent, void, undefined> {
  const send = () =>
    transport.request('POST', '/files/ask', {
      headers: {
        Accept: 'text/event-stream',
        'Content-Type': 'application/json',
        'Idempotency-Key': crypto.randomUUID(),
      },
      body: JSON.stringify({ question, ...options }),
    });
  for await (const { type, data } of readEvents(transport, send, signal)) {
    if (type === 'error') {
      const { code, detail } = data as { code: string; detail: string };
      throw new ApiError(code, detail, { status: 200 });
    }
    if (type === 'pending') {
      const { answer_id: id } = data as { answer_id: string };
      return yield { type: 'done', data: await finished({ api, transport }, id, signal) };
    }
    yield { type, data } as AskEvent;
    if (type === 'done') return;
  }
  throw new ConnectionError('CONNECTION_LOST', 'the event stream ended early');
}

async function finished({ api, transport }: Parts, id: string, signal?: AbortSignal): Promise<Stored> {
  const path = { answer_id: id };
  const tooLong = AbortSignal.timeout(LONGEST_MS);
  const ended = signal ? AbortSignal.any([signal, tooLong]) : tooLong;
  const stored = await waitUntil(
    transport,
    {
      read: async () => (await api.GET('/answers/{answer_id}', { params: { path }, signal: ended })).data,
      ended: ({ status }) => status !== 'processing',
    },
    { signal: ended },
  );
  if (stored.status === 'completed') return stored;
  const { error } = stored as { error?: { code: string; message: string } | null };
  throw new ApiError(error?.code ?? 'ANSWER_FAILED', error?.message ?? 'there is no answer', { status: 200 });
}
