import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { DocumentAnswer } from '../../db/entities/ask/document-answer.ts';
import { answerFailure } from '../../services/ask/answer-work.ts';
import { renderError } from '../http/problem.ts';
import { endIfStalled } from '../http/client-gone.ts';
import type { Call } from '../http/route.ts';
import { stateOf } from '../http/state.ts';
import {
  presentAnswer,
  presentPassage,
  presentSentence,
  presentStarted,
  type AskEvents,
} from '../resources/ask.ts';

/**
 * Streams an answer as server-sent events: the passages at once, each checked sentence when the answer has ended, and last
 * the whole answer, or why there is none. A client that leaves ends the stream, not the answer.
 *
 * @param wait resolves when the answer has ended or the time is up; refreshes the answer
 * @returns when the stream has ended, false if the answer has failed
 */
export function streamAnswer(
  { ctx, deps, log }: Pick<Call<unknown, unknown, unknown>, 'ctx' | 'deps' | 'log'>,
  answer: DocumentAnswer,
  wait: () => Promise<void>,
): Promise<boolean> {
  const body = new PassThrough();
  endIfStalled(ctx.res);
  ctx.set({ 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
  ctx.body = body;
  // Proxies close idle connections.
  const beat = setInterval(() => body.write(': ping\n\n'), deps.liveSockets.pingMs);
  const left = once(ctx.res, 'close');
  const write = async <Name extends keyof AskEvents>(name: Name, data: AskEvents[Name]): Promise<void> => {
    if (!body.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)) {
      await Promise.race([once(body, 'drain'), left]);
    }
  };
  const deliver = async (): Promise<void> => {
    await write('passages', { answer_id: answer.id, passages: answer.passages.map(presentPassage) });
    await wait();
    if (answer.status === 'processing') return write('pending', presentStarted(answer));
    if (answer.status === 'failed') throw answerFailure(answer);
    for (const sentence of answer.sentences ?? []) await write('sentence', presentSentence(sentence));
    await write('done', presentAnswer(answer));
  };
  return deliver()
    .then(() => true)
    .catch(async (error: unknown) => {
      const { status, body: problem } = renderError(error, stateOf(ctx).requestId);
      if (status === 500 && problem.code === 'INTERNAL')
        log.error({ err: error }, 'an answer was not streamed');
      await write('error', problem);
      return answer.status !== 'failed';
    })
    .finally(() => {
      clearInterval(beat);
      body.end();
    });
}
