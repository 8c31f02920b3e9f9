import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initialComponents } from '../../../domain/components.ts';
import { explainPages } from '../../../domain/documents/page.ts';
import { applyFileEvent } from '../../../domain/file-events.ts';
import { explain, type Explained } from '../../../domain/explain.ts';

const at = '2026-01-01T12:00:00.000Z';
const mediaType = 'image';
const open = initialComponents(mediaType, { autoDescribe: true });
const base: Explained = {
  mediaType,
  components: open,
  engine: 'reachable',
  started: true,
  pending: [],
  workflowTaskAttempt: 1,
};
const noon = new Date('2026-01-01T12:03:20.000Z');

const TABLE: [Partial<Explained>, string][] = [
  [
    { engine: 'unreachable' },
    'The file is stored; the workflow engine cannot be reached, and its work continues when it is back.',
  ],
  [{ started: false }, 'The file is stored; its processing has not begun yet.'],
  [{ workflowTaskAttempt: 7 }, 'The workflow itself fails, attempt 7; an operator has to look at it.'],
  [
    {
      pending: [{ title: 'Variants', state: 'waiting', attempt: 1, maximumAttempts: 3, scheduledAt: noon }],
    },
    'Variants queued since 12:03:20 UTC: no worker is free.',
  ],
  [
    {
      pending: [
        {
          title: 'Pages',
          progress: explainPages({ total: 40, completed: 7, failed: 1, layoutsDue: 0 }),
          state: 'running',
          attempt: 1,
          maximumAttempts: 0,
          lastStartedAt: noon,
        },
      ],
    },
    'Pages (7 of 40 read, 1 failed) running since 12:03:20 UTC, attempt 1.',
  ],
  [
    {
      pending: [
        {
          title: 'Pages',
          progress: explainPages({ total: 3, completed: 3, failed: 0, layoutsDue: 2 }),
          state: 'waiting',
          attempt: 2,
          maximumAttempts: 0,
          nextAttemptAt: noon,
          lastFailure: { code: 'MODEL_UNAVAILABLE', message: 'the model endpoint answered 500' },
        },
      ],
    },
    'Pages (3 of 3 read, 2 to be laid out) waiting: the model endpoint answered 500, attempt 2, next try 12:03:20 UTC.',
  ],
  [
    {
      pending: [
        {
          title: 'Description',
          state: 'waiting',
          attempt: 4,
          maximumAttempts: 0,
          nextAttemptAt: noon,
          lastFailure: { code: 'X', message: 'the model endpoint answered 429' },
        },
      ],
    },
    'Description waiting: the model endpoint answered 429, attempt 4, next try 12:03:20 UTC.',
  ],
  [
    {
      pending: [
        {
          title: 'Variants',
          state: 'waiting',
          attempt: 2,
          maximumAttempts: 0,
          lastFailure: { code: 'X', message: 'the object store cannot be reached' },
        },
      ],
    },
    'Variants waiting: the object store cannot be reached, attempt 2, next try as soon as a worker is free.',
  ],
  [
    {
      pending: [
        {
          title: 'Variants',
          state: 'running',
          attempt: 2,
          maximumAttempts: 3,
          lastStartedAt: noon,
          lastHeartbeatAt: noon,
        },
      ],
    },
    'Variants running since 12:03:20 UTC, attempt 2 of 3, last active 12:03:20 UTC.',
  ],
  [
    {
      components: applyFileEvent(open, {
        type: 'step_failed',
        mediaType,
        component: 'variant',
        at,
        reason: { code: 'X', message: 'the image cannot be read' },
      }),
    },
    'Variants failed: the image cannot be read.',
  ],
  [
    { started: false, pause: { since: noon, sessionId: 'S' } },
    'The file is paused with its upload session since 12:03:20 UTC; it continues when the session is resumed, POST /files/sessions/S/resume.',
  ],
  [
    {
      pause: { since: noon, sessionId: 'S' },
      pending: [{ title: 'Variants', state: 'running', attempt: 1, maximumAttempts: 0 }],
    },
    'Variants running, attempt 1, then paused with its upload session since 12:03:20 UTC; it continues when the session is resumed, POST /files/sessions/S/resume.',
  ],
  [
    {
      pause: { since: noon, sessionId: 'S' },
      pending: [
        {
          title: 'Variants',
          state: 'waiting',
          attempt: 2,
          maximumAttempts: 0,
          sessionPaused: true,
        },
      ],
    },
    'The file is paused with its upload session since 12:03:20 UTC; it continues when the session is resumed, POST /files/sessions/S/resume.',
  ],
  [
    {
      pending: [
        {
          title: 'Description',
          state: 'waiting',
          attempt: 2,
          maximumAttempts: 0,
          operatorPause: { since: noon, identity: 'ada@desk', reason: 'looking into it' },
        },
      ],
    },
    'Description is paused by an operator (ada@desk) since 12:03:20 UTC: looking into it; it continues when it is unpaused in Temporal.',
  ],
  [
    {
      cancelRequested: true,
      pending: [{ title: 'Variants', state: 'waiting', attempt: 1, maximumAttempts: 3, scheduledAt: noon }],
    },
    'Cancellation requested: the work stops at its next safe point, as soon as a worker is free.',
  ],
  [
    { operatorPause: {} },
    'The workflow is paused by an operator; it continues when it is unpaused in Temporal.',
  ],
  [
    {
      components: applyFileEvent(open, { type: 'run_cancelled', at }),
      pause: { since: noon, sessionId: 'S' },
    },
    'The work was cancelled; what was done by then is kept.',
  ],
  [
    {
      components: {
        variant: { status: 'completed' },
        description: { status: 'skipped', cause: 'cancelled', error: { code: 'X', message: 'no credits' } },
      },
    },
    'Description was interrupted and can be retried: no credits. The rest is completed.',
  ],
  [
    {
      // In the key order of Postgres.
      mediaType: 'document',
      components: {
        extraction: { status: 'failed', error: { code: 'X', message: 'the model refused' } },
        description: { status: 'failed', error: { code: 'X', message: 'the model endpoint answered 400' } },
        digitization: { status: 'failed', error: { code: 'X', message: 'the index refused the chunks' } },
        text_extraction: { status: 'completed' },
      },
    },
    'Digitization failed: the index refused the chunks. Description failed: the model endpoint answered 400. ' +
      'Extraction failed: the model refused. The rest is completed.',
  ],
  [
    {
      mediaType: 'document',
      components: {
        description: { status: 'completed' },
        digitization: { status: 'skipped', cause: 'cancelled' },
        text_extraction: { status: 'completed', error: { code: 'X', message: 'page 3 could not be read.' } },
        extraction: { status: 'skipped', cause: 'by_request' },
      },
    },
    'Text extraction is incomplete: page 3 could not be read. Digitization was left out.',
  ],
  [
    {
      components: applyFileEvent(open, {
        type: 'run_ended_abnormally',
        at,
        reason: { code: 'X', message: 'the workflow was terminated: no reason...' },
      }),
    },
    'Variants and Description failed: the workflow was terminated: no reason.',
  ],
  [
    {
      pending: [
        {
          title: 'Description',
          state: 'waiting',
          attempt: 2,
          maximumAttempts: 0,
          nextAttemptAt: noon,
          lastFailure: { code: 'X', message: 'the bucket said no. ' },
        },
      ],
    },
    'Description waiting: the bucket said no, attempt 2, next try 12:03:20 UTC.',
  ],
];

for (const [facts, sentence] of TABLE) {
  test(`explains: ${sentence}`, () => assert.equal(explain({ ...base, ...facts }), sentence));
}
