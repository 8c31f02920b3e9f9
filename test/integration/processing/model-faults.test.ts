import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, test } from 'node:test';
import {
  createAnswerActivities,
  createAnswerModelActivities,
} from '../../../activities/answer-activities.ts';
import { createImageActivities } from '../../../activities/image-activities.ts';
import { createVisionActivities } from '../../../activities/vision-activities.ts';
import { createLocalVision } from '../../../adapters/models/vision/local-vision.ts';
import { createOpenAiVision } from '../../../adapters/models/vision/openai-vision.ts';
import { chooseFrom } from '../../../adapters/models/vision/vision-models.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { DocumentAnswer } from '../../../db/entities/ask/document-answer.ts';
import { FileDescription } from '../../../db/entities/files/file-description.ts';
import { UsageEvent } from '../../../db/entities/usage/usage-event.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { NO_TOKENS, type TokenUsage } from '../../../domain/token-usage.ts';
import type { FileTarget } from '../../../services/processing/file-target.ts';
import { failureReason } from '../../../temporal/contract/failures.ts';
import { openWorkerDeps } from '../../../worker/deps.ts';
import { WORKER_SETTINGS } from '../../../worker/settings.ts';
import { ingestImage } from '../../support/ingest-image.ts';
import { replies, startModelServer, type ModelReply, type ModelServer } from '../../support/model-server.ts';
import { demoImage } from '../../support/images.ts';

/**
 * The outcome of a description when the endpoint of its model fails, over the attempts that the engine would make: retries
 * until the fault ends, or a final failure with a reason.
 */
const { deps, close } = await openWorkerDeps(readConfig(WORKER_SETTINGS, process.env));
after(close);
const em = () => deps.orm.em.fork();
/** More attempts than any fault is counted for. */
const FOREVER = 4;
const PATIENT_SECONDS = 30;

Runtime.install({ logger: new DefaultLogger('ERROR') });

interface Attempts {
  failures: ApplicationFailure[];
  described: boolean;
}

describe('a failing model endpoint', () => {
  let server: ModelServer;
  before(async () => {
    server = await startModelServer();
  });
  after(() => server.stop());
  afterEach(() => {
    server.otherwise(replies.ok());
    server.requests.splice(0);
  });

  /** An image that is ready for its description. */
  async function measured(): Promise<FileTarget> {
    const tenantId = randomUUID();
    await em().insert(Tenant, { id: tenantId, name: 'faults', tier: 'enterprise', createdAt: new Date() });
    const { id: fileId, objectKey } = await ingestImage(em(), tenantId);
    await deps.objects.put(objectKey, demoImage('chelsea.jpg'), { contentType: 'image/jpeg' });
    const target = { fileId, tenantId, generation: 1 };
    const { renderVariants } = createImageActivities({ ...deps, vision: deps.models.local });
    await new MockActivityEnvironment({ startToCloseTimeoutMs: 60_000 }).run(() => renderVariants(target));
    return target;
  }

  /** Makes up to `most` attempts until one succeeds or is final; each has the heartbeat of the previous one. */
  async function attempts(
    target: FileTarget,
    most: number,
    { orm = deps.orm, timeoutSeconds = PATIENT_SECONDS } = {},
  ): Promise<Attempts> {
    const remote = createOpenAiVision(
      { provider: 'openai', baseUrl: server.url, model: 'test', timeoutSeconds },
      deps.text,
    );
    const models = chooseFrom([remote], createLocalVision(deps.text));
    const { describeImage } = createVisionActivities({ ...deps, orm, models }, 'openai');
    const failures: ApplicationFailure[] = [];
    let heartbeatDetails: unknown;
    for (let attempt = 1; attempt <= most; attempt += 1) {
      const env = new MockActivityEnvironment({ attempt, heartbeatDetails, startToCloseTimeoutMs: 60_000 });
      env.on('heartbeat', (details: unknown) => (heartbeatDetails = details));
      try {
        await env.run(() => describeImage(target));
        return { failures, described: true };
      } catch (error) {
        assert.ok(error instanceof ApplicationFailure, String(error));
        failures.push(error);
        if (error.nonRetryable) break;
      }
    }
    return { failures, described: false };
  }

  const stored = (fileId: string) => em().find(FileDescription, { fileId });

  const pauses: Record<string, [ModelReply, code: string, message: RegExp, delay?: string]> = {
    '429 with Retry-After': [replies.rateLimited('7'), 'MODEL_RATE_LIMITED', /429/, '7 seconds'],
    '429 without Retry-After': [replies.rateLimited(), 'MODEL_RATE_LIMITED', /429/],
    '500': [replies.error(500), 'MODEL_UNAVAILABLE', /500/],
    '401': [replies.error(401), 'MODEL_UNAUTHORIZED', /401/],
    '402': [replies.error(402), 'MODEL_UNAVAILABLE', /402/],
    silence: [replies.hang(), 'MODEL_TIMEOUT', /did not answer within/],
    'a slow drip': [replies.slowDrip(), 'MODEL_TIMEOUT', /did not answer within/],
    'a closed connection': [replies.hangUp(), 'MODEL_UNAVAILABLE', /cannot be reached|broke off/],
    'a cut stream': [replies.cutStream(), 'MODEL_UNAVAILABLE', /cannot be reached|broke off/],
  };
  for (const [name, [reply, code, message, delay]] of Object.entries(pauses)) {
    test(`${name} is retried until the fault ends`, async () => {
      const target = await measured();
      server.otherwise(reply);
      const [most, timeoutSeconds] = code === 'MODEL_TIMEOUT' ? [2, 0.3] : [FOREVER, PATIENT_SECONDS];
      const waiting = await attempts(target, most, { timeoutSeconds });
      assert.equal(waiting.described, false);
      for (const failure of waiting.failures) {
        assert.deepEqual([failure.type, failure.nonRetryable], [code, false]);
        assert.match(failure.message, message);
        assert.equal(failure.nextRetryDelay ?? undefined, delay);
      }
      server.otherwise(replies.ok());
      assert.deepEqual(await attempts(target, 1), { failures: [], described: true });
      assert.equal((await stored(target.fileId)).length, 1);
    });
  }

  const ends: Record<string, [ModelReply, code: string, message: RegExp, calls: number]> = {
    'a body that is not JSON': [replies.invalidJson(), 'MODEL_INVALID_REPLY', /not JSON, 3 times$/, 3],
    'a body of 10 MB': [replies.huge(), 'MODEL_INVALID_REPLY', /more than 1024 KB, 3 times$/, 3],
    'a refusal': [replies.content(null, { refusal: 'no' }), 'MODEL_REFUSED', /refused/, 1],
    'a content filter': [
      replies.content('', { finishReason: 'content_filter' }),
      'MODEL_REFUSED',
      /refused/,
      1,
    ],
    '400': [replies.error(400), 'MODEL_REFUSED', /400/, 1],
    'another schema, twice': [replies.wrongSchema(), 'MODEL_INVALID_ANSWER', /another shape.*, twice$/, 2],
    'prose, twice': [replies.content('A cat.'), 'MODEL_INVALID_ANSWER', /not JSON\), twice$/, 2],
    'an answer cut off, twice': [
      replies.content('{"desc', { finishReason: 'length' }),
      'MODEL_INVALID_ANSWER',
      /cut off; be brief\), twice$/,
      2,
    ],
  };
  for (const [name, [reply, code, message, calls]] of Object.entries(ends)) {
    test(`${name} ends the description with a reason, after ${calls} calls`, async () => {
      const target = await measured();
      server.otherwise(reply);
      const { failures, described } = await attempts(target, FOREVER);
      const last = failures.at(-1);
      assert.deepEqual([described, last?.type, last?.nonRetryable], [false, code, true]);
      assert.match(last?.message ?? '', message);
      assert.equal(server.requests.length, calls);
      const answered = code === 'MODEL_REFUSED' || code === 'MODEL_INVALID_ANSWER' ? calls : 0;
      const events = await em().find(UsageEvent, { fileId: target.fileId });
      assert.deepEqual(
        events.map(({ errorCode, inputTokens, credits }) => [errorCode, inputTokens, credits]),
        answered > 0 && name !== '400' ? [[code, answered * 1_200, 0]] : [],
      );
    });
  }

  test('an answer that is repaired by a second call is charged and recorded with the tokens of both calls', async () => {
    const target = await measured();
    server.next(replies.wrongSchema());
    assert.deepEqual(await attempts(target, FOREVER), { failures: [], described: true });
    const [row] = await stored(target.fileId);
    assert.deepEqual(
      [row?.inputTokens, row?.outputTokens, row?.thinkingTokens, row?.cacheReadTokens, row?.promptVersion],
      [2_400, 160, 60, 2_000, 'describe-image-v1'],
    );
    const [event, ...more] = await em().find(UsageEvent, { fileId: target.fileId });
    assert.deepEqual([event?.provider, event?.inputTokens, more.length], ['openai', 2_400, 0]);
  });

  const COUNTLESS = { tokens: 1e15 };
  /** More than a column holds: as many as are stored of both counts. */
  const MOST = 1_000_000_000;

  test('an answer of more tokens than a column holds is stored and charged with as many as fit', async () => {
    const target = await measured();
    const content = JSON.stringify({ description: 'A map.', tags: [], confidence: 1 });
    server.otherwise(replies.content(content, COUNTLESS));
    assert.deepEqual(await attempts(target, FOREVER), { failures: [], described: true });
    const [row] = await stored(target.fileId);
    assert.deepEqual([row?.inputTokens, row?.outputTokens], [MOST, MOST]);
    const [event] = await em().find(UsageEvent, { fileId: target.fileId });
    assert.deepEqual([event?.inputTokens, event?.outputTokens], [MOST, MOST]);
  });

  test('a failure of more tokens than a column holds, or with a text that none holds, is recorded', async () => {
    for (const reply of [
      replies.content(null, { refusal: 'no', ...COUNTLESS }),
      replies.content('{"\\u0000\\ud800": 1}', COUNTLESS),
    ]) {
      const target = await measured();
      server.otherwise(reply);
      const { failures } = await attempts(target, FOREVER);
      assert.equal(failures.length, 1, String(failures[0]));
      const [event] = await em().find(UsageEvent, { fileId: target.fileId });
      assert.deepEqual([event?.errorCode, event?.inputTokens], [failures[0]?.type, MOST]);
    }
  });

  test('a question whose model counts more tokens than a column holds ends, with an answer or without', async () => {
    const written = JSON.stringify({ answered: true, sentences: [{ text: 'Yes.', quotes: [] }] });
    const outcomes: [ModelReply, status: string][] = [
      [replies.content(written, COUNTLESS), 'completed'],
      [replies.content(null, { refusal: 'no', ...COUNTLESS }), 'failed'],
      [replies.content('{"\\u0000": 1}', COUNTLESS), 'failed'],
    ];
    for (const [reply, status] of outcomes) {
      server.otherwise(reply);
      const row = await ask();
      assert.deepEqual([row.status, row.usage?.inputTokens], [status, MOST]);
      const [event] = await em().find(UsageEvent, { tenantId: row.tenantId });
      assert.deepEqual([event?.type, event?.inputTokens, event?.outputTokens], ['ask', MOST, MOST]);
    }
  });

  test('a question of a month ago, with the usage that an earlier version noted, ends', async () => {
    server.otherwise(replies.content(null, { refusal: 'no' }));
    const row = await ask({
      createdAt: new Date(Date.now() - 40 * 86_400_000),
      usage: { ...NO_TOKENS, inputTokens: 1e15 },
    });
    assert.deepEqual([row.status, row.error?.code], ['failed', 'MODEL_REFUSED']);
  });

  /** Asks a question as its workflow does, and returns its row. */
  async function ask(
    { createdAt, usage }: { createdAt: Date; usage: TokenUsage | null } = {
      createdAt: new Date(),
      usage: null,
    },
  ): Promise<DocumentAnswer> {
    const tenantId = randomUUID();
    await em().insert(Tenant, { id: tenantId, name: 'asks', tier: 'enterprise', createdAt: new Date() });
    const target = { answerId: randomUUID(), tenantId };
    await em().insert(DocumentAnswer, {
      id: target.answerId,
      tenantId,
      question: 'Is it?',
      level: 'quick',
      passages: [],
      giveUpAt: new Date(),
      status: 'processing',
      usage,
      createdAt,
      updatedAt: new Date(),
    });
    const remote = createOpenAiVision(
      { provider: 'openai', baseUrl: server.url, model: 'test', timeoutSeconds: PATIENT_SECONDS },
      deps.text,
    );
    const models = chooseFrom([remote], createLocalVision(deps.text));
    const { answerFromPassages } = createAnswerModelActivities({ ...deps, models }, 'openai');
    const { failAnswer } = createAnswerActivities({ ...deps, models });
    const run = <T>(work: () => Promise<T>) =>
      new MockActivityEnvironment({ startToCloseTimeoutMs: 60_000 }).run(work);
    await run(() => answerFromPassages({ ...target, giveUpAt: new Date().toISOString() })).catch(
      (error: unknown) => run(() => failAnswer(target, failureReason(error))),
    );
    return em().findOneOrFail(DocumentAnswer, target.answerId);
  }

  test('an answer that could not be stored is stored by the next attempt, without another call', async () => {
    const target = await measured();
    let away = true;
    const orm = {
      em: {
        fork() {
          const fork = em();
          if (!away) return fork;
          away = false;
          return Object.assign(fork, {
            transactional: () => Promise.reject(new Error('the database is away')),
          });
        },
      },
    } as unknown as typeof deps.orm;
    const { failures, described } = await attempts(target, FOREVER, { orm });
    assert.deepEqual([failures.length, described], [1, true]);
    assert.equal(server.requests.length, 1);
    assert.equal((await stored(target.fileId)).length, 1);
  });
});
