import { randomUUID } from 'node:crypto';
import { clientGone } from '../../http/client-gone.ts';
import { listPage } from '../../resources/fields.ts';
import { stateOf } from '../../http/state.ts';
import { jsonOrEvents } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import {
  answerList,
  answerListQuery,
  answerParams,
  askAnswer,
  askBody,
  askEvents,
  askHeaders,
  presentAnswer,
  presentListedAnswer,
  presentStarted,
  startedAnswer,
} from '../../resources/ask.ts';
import { ANSWER_FAILURES, answerFailure, answerWork } from '../../../services/ask/answer-work.ts';
import { listAnswers } from '../../../services/ask/list-answers.ts';
import { requestAnswer } from '../../../services/ask/request-answer.ts';
import { findPassages } from '../../../services/documents/find-passages.ts';
import { streamAnswer } from '../../live/stream-answer.ts';

const EVENTS = 'text/event-stream';

/** Questions about documents. */
export const askRoutes = [
  route({
    method: 'post',
    path: '/files/ask',
    operationId: 'askDocuments',
    summary: 'Ask documents a question, and get an answer with citations',
    description:
      'Searches for passages and lets the model of the account answer from them, or say that the answer is not in these ' +
      'documents. Every sentence names the quotes that it is taken from, each with its document, page and place; `supported` ' +
      'says whether they carry it. Without a model the answer is the sentences and rows of the passages that answer it (`answered_by`: ' +
      '`passages`), free of charge.\n\nWith `Accept: text/event-stream` the answer is streamed: `passages` at once, ' +
      '`sentence` for each checked sentence, and last `done` with the whole answer, `pending` if it takes longer, or `error` ' +
      'with a problem. An answer continues when its client disconnects, and can be read for a day.',
    accepted:
      'the answer takes longer. Poll `GET /answers/{answer_id}` until `status` is `completed` or `failed`.',
    cost: 'answer',
    tag: 'Documents',
    permit: 'files.read',
    idempotent: true,
    headers: askHeaders,
    body: askBody,
    answers: {
      200: jsonOrEvents('The answer, as JSON or as server-sent events', askAnswer, Object.values(askEvents)),
      202: startedAnswer,
    },
    errors: ['NOT_FOUND', 'SEARCH_TIMEOUT', 'QUOTA_EXHAUSTED', 'TOO_MANY_CONNECTIONS', ...ANSWER_FAILURES],
    async handle(call) {
      const { ctx, em, deps, principal, body, log, resourceId = randomUUID() } = call;
      const { engine } = deps;
      const began = Date.now();
      const timeoutMs = body.timeout * 1000;
      const gone = clientGone(ctx.res);
      const { tenantId } = principal;
      const asEvents = ctx.accepts('json', EVENTS) === EVENTS;
      if (asEvents) {
        const release = deps.liveConnectionLimit.acquire(tenantId);
        gone.addEventListener('abort', release, { once: true });
        if (gone.aborted) release();
      }
      const onDegraded = (error: unknown) => log.warn({ err: error }, 'the search is by words alone');
      const findHits = async () => {
        const search = () =>
          findPassages({ em, ...deps, onDegraded }, tenantId, {
            query: body.question,
            limit: body.limit,
            threshold: 0,
            rerank: true,
            documentIds: body.document_ids,
            folderId: body.folder_id,
          });
        return (await deps.searches.run(tenantId, gone, search)).hits;
      };
      const answer = await requestAnswer({ em, engine }, principal, {
        id: resourceId,
        question: body.question,
        level: body.analysis_level,
        findHits,
        timeoutMs,
      });
      const wait = () =>
        answerWork.wait({ em, engine }, answer, {
          milliseconds: timeoutMs - (Date.now() - began),
          signal: gone,
        });
      if (asEvents) {
        stateOf(ctx).ending = streamAnswer(call, answer, wait);
        return undefined;
      }
      await wait();
      if (answer.status === 'failed') throw answerFailure(answer);
      if (answer.status === 'completed') return void (ctx.body = presentAnswer(answer));
      ctx.status = 202;
      return presentStarted(answer);
    },
  }),

  route({
    method: 'get',
    path: '/answers',
    operationId: 'listAnswers',
    summary: 'List the answers of the last day to your own questions, newest first',
    description: 'The questions that this person has asked, or this API key.',
    tag: 'Documents',
    permit: 'files.read',
    query: answerListQuery,
    answers: { 200: answerList },
    handle: ({ em, principal, query }) => listAnswers(em, principal, query),
    present: ({ answers, totalCount }, { query }) =>
      listPage(answers.map(presentListedAnswer), totalCount, query),
  }),

  route({
    method: 'get',
    path: '/answers/:answer_id',
    operationId: 'getAnswer',
    summary: 'An answer, with its sentences if completed',
    description: 'Poll it until `status` is `completed` or `failed`. An answer is kept for a day.',
    tag: 'Documents',
    permit: 'files.read',
    params: answerParams,
    answers: { 200: askAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ em, deps: { engine }, principal, params }) =>
      answerWork.find({ em, engine }, principal.tenantId, params.answer_id),
    present: presentAnswer,
  }),
];
