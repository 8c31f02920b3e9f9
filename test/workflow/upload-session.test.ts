import proto from '@temporalio/proto';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { initialComponents } from '../../domain/components.ts';
import type { FileProjection } from '../../services/processing/end-file-run.ts';
import {
  FILES_A_MESSAGE,
  FILES_IN_FLIGHT,
  UPLOAD_SESSION_SIGNALS,
  UPLOAD_SESSION_WORKFLOWS,
  type UploadSessionFile,
  type UploadSessionInput,
  type UploadSessionView,
} from '../../temporal/contract/upload-session.ts';
import { foldHistory } from '../../temporal/status/fold-history.ts';
import { eventually } from '../support/api.ts';
import { startWorkflowEnv, type FakeActivities, type WorkflowEnv } from '../support/workflow-env.ts';
import { FILE_WORKFLOWS } from '../../temporal/contract/process-file.ts';

const eventNames = proto.temporal.api.enums.v1.EventType;
let testEnv: WorkflowEnv;
before(async () => {
  testEnv = await startWorkflowEnv();
});
after(() => testEnv.close());

/** The row of one session and its files, as seen by the activities. */
function world() {
  const row = { open: true, cancelled: false, sealed: false, paused: false };
  const files = new Map<string, UploadSessionFile>();
  const ended = new Set<string>();
  let gate: Promise<void> = Promise.resolve();
  const unfinished = () => [...files.values()].filter(({ fileId }) => !ended.has(fileId));
  const activities: FakeActivities = {
    readUploadSession: (_target: unknown, after = '0'): UploadSessionView => {
      const from = Number(after);
      const next = from + FILES_A_MESSAGE;
      const page = unfinished().slice(from, next);
      return { ...row, files: page, ...(next < unfinished().length && { next: String(next) }) };
    },
    closeUploadSession: () => {
      if (row.open && row.sealed && unfinished().length === 0) row.open = false;
      return !row.open;
    },
    expireUploadSession: () => undefined,
    cancelUploadSession: () => void (row.open = false),
    beginFileWork: () => ({ seq: 1, visionProvider: 'test' }),
    projectFile: () => undefined,
    finishFileWork: ({ fileId, generation }: FileProjection) => {
      if (generation === files.get(fileId)?.generation) ended.add(fileId);
    },
    makeImage: () => ({ ended: [] }),
    renderVariants: () => gate,
  };
  function add(count: number): UploadSessionFile[] {
    const added = Array.from({ length: count }, () => ({
      fileId: randomUUID(),
      mediaType: 'image' as const,
      generation: 1,
      components: initialComponents('image', { autoDescribe: false }),
    }));
    for (const file of added) files.set(file.fileId, file);
    return added;
  }
  return {
    row,
    files,
    ended,
    activities,
    add,
    hold: (until: Promise<void>): void => void (gate = until),
  };
}

async function startSession(more: Partial<UploadSessionInput> = {}) {
  const target = { sessionId: randomUUID(), tenantId: randomUUID() };
  const input: UploadSessionInput = { ...target, generation: 1, ...more };
  const handle = await testEnv.env.client.workflow.start('uploadSession', {
    workflowId: UPLOAD_SESSION_WORKFLOWS.of(input.sessionId),
    taskQueue: 'workflows',
    args: [input],
  });
  return { input, handle };
}

const workflow = (id: string) => testEnv.env.client.workflow.getHandle(id);

test('announced files and files known only from the row are all processed, and the session is closed', async () => {
  const { row, ended, activities, add } = world();
  await testEnv.withWorkers(activities, async () => {
    const { handle } = await startSession();
    await handle.signal(UPLOAD_SESSION_SIGNALS.filesStored, add(3));
    add(40);
    row.sealed = true;
    await handle.signal(UPLOAD_SESSION_SIGNALS.sessionChanged);
    await handle.result();
    const { events } = await handle.fetchHistory();
    assert.ok((events?.length ?? 0) / 43 <= 12, `${events?.length} events for 43 files`);
  });
  assert.equal(ended.size, 43);
  assert.equal(row.open, false);
});

test('a session that missed every signal still runs its files and ends, within seconds', async () => {
  const { row, ended, activities, add } = world();
  await testEnv.withWorkers(activities, async () => {
    const { handle } = await startSession();
    await eventually(async () => {
      const { raw } = await handle.describe();
      assert.equal(raw.pendingWorkflowTask ?? null, null);
    });
    add(2);
    await eventually(async () => assert.equal(ended.size, 2), 20);
    row.sealed = true;
    // Not for its result, which a reading after ten minutes brings as well.
    await eventually(async () => assert.equal(row.open, false), 20);
    await handle.result();
  });
});

test('a session whose client disappears expires after the timeout of its kind', async () => {
  const { row, activities } = world();
  const expireUploadSession = () => void (row.sealed = true);
  await testEnv.withWorkers({ ...activities, expireUploadSession }, async () => {
    const { handle } = await startSession({ staleAfterMs: 200 });
    await handle.result();
    const { events } = await handle.fetchHistory();
    const timer = events?.find(({ timerStartedEventAttributes: started }) => started);
    assert.equal(Number(timer?.timerStartedEventAttributes?.startToFireTimeout?.nanos), 200_000_000);
  });
  assert.equal(row.open, false);
});

test('a cancelled session starts no further files and cancels the running ones', async () => {
  const { row, ended, activities, add, hold } = world();
  const { promise, resolve } = Promise.withResolvers<void>();
  hold(promise);
  await testEnv.withWorkers(activities, async () => {
    const { handle } = await startSession();
    const files = add(55);
    row.sealed = true;
    await handle.signal(UPLOAD_SESSION_SIGNALS.sessionChanged);
    const begun = files.slice(0, FILES_IN_FLIGHT).map(({ fileId }) => fileId);
    await eventually(() => Promise.all(begun.map((id) => workflow(FILE_WORKFLOWS.of(id)).describe())));
    row.open = false;
    await handle.signal(UPLOAD_SESSION_SIGNALS.sessionChanged);
    // All of them have started before any can end normally.
    await eventually(async () => {
      for (const id of begun) assert.ok(await isCancelRequested(id));
    });
    resolve();
    await handle.result();
  });
  assert.equal(ended.size, FILES_IN_FLIGHT);
});

test('a session that is cancelled in its row ends as cancelled once the engine is asked, and says what began', async () => {
  const { row, ended, activities, add, hold } = world();
  const { promise, resolve } = Promise.withResolvers<void>();
  hold(promise);
  await testEnv.withWorkers(activities, async () => {
    const { handle } = await startSession();
    const files = add(FILES_IN_FLIGHT + 5);
    await handle.signal(UPLOAD_SESSION_SIGNALS.sessionChanged);
    const begun = files.slice(0, FILES_IN_FLIGHT).map(({ fileId }) => fileId);
    await eventually(() => Promise.all(begun.map((id) => workflow(FILE_WORKFLOWS.of(id)).describe())), 60);
    Object.assign(row, { open: false, cancelled: true });
    await handle.signal(UPLOAD_SESSION_SIGNALS.sessionChanged);
    resolve();
    // It knows of its end from the row before the engine does, and waits.
    await eventually(async () => {
      const { events } = await handle.fetchHistory();
      assert.ok(events?.some((event) => event.markerRecordedEventAttributes?.markerName === 'core_patch'));
    }, 60);
    assert.equal(ended.size, FILES_IN_FLIGHT);
    await handle.cancel();
    await assert.rejects(handle.result());
    assert.equal((await handle.describe()).status.name, 'CANCELLED');
    const metadata = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    assert.equal(metadata.currentDetails, 'Cancelled: 50 of 55 files ended, 5 did not begin.');
  });
});

test('a paused session starts nothing and continues when it is resumed', async () => {
  const { row, ended, activities, add } = world();
  row.paused = true;
  await testEnv.withWorkers(activities, async () => {
    const { handle } = await startSession();
    await handle.signal(UPLOAD_SESSION_SIGNALS.filesStored, add(2));
    row.sealed = true;
    await handle.signal(UPLOAD_SESSION_SIGNALS.sessionChanged);
    await eventually(async () => {
      const { events } = await handle.fetchHistory();
      assert.ok(events && events.length > 6);
    });
    assert.equal(ended.size, 0);
    row.paused = false;
    await handle.signal(UPLOAD_SESSION_SIGNALS.sessionChanged);
    await handle.result();
  });
  assert.equal(ended.size, 2);
});

test('a session waits for a file that ended abnormally until the row of the file has ended', async () => {
  const { row, ended, activities, add, hold } = world();
  const release = Promise.withResolvers<void>();
  hold(release.promise);
  await testEnv.withWorkers(activities, async () => {
    const { handle } = await startSession();
    const [file] = add(1);
    assert.ok(file);
    row.sealed = true;
    await handle.signal(UPLOAD_SESSION_SIGNALS.sessionChanged);
    await eventually(() => workflow(FILE_WORKFLOWS.of(file.fileId)).describe());
    await workflow(FILE_WORKFLOWS.of(file.fileId)).terminate();
    await eventually(async () => assert.match(await names(handle), /CHILD_WORKFLOW_EXECUTION_TERMINATED/));
    assert.equal((await handle.describe()).status.name, 'RUNNING');
    // The reconciler sends this signal after it has written the row.
    ended.add(file.fileId);
    await handle.signal(UPLOAD_SESSION_SIGNALS.fileSettled, file.fileId, 1);
    release.resolve();
    await handle.result();
  });
  assert.equal(row.open, false);
});

test('a file retried in an open session runs in that session, and waits while it is paused', async () => {
  const { row, files, ended, activities, add } = world();
  await testEnv.withWorkers(activities, async () => {
    const { handle } = await startSession();
    const [file] = add(1);
    assert.ok(file);
    await handle.signal(UPLOAD_SESSION_SIGNALS.filesStored, [file]);
    await eventually(async () => assert.match(await names(handle), /CHILD_WORKFLOW_EXECUTION_COMPLETED/));
    row.paused = true;
    await handle.signal(UPLOAD_SESSION_SIGNALS.sessionChanged);
    const again = { ...file, generation: 2 };
    files.set(file.fileId, again);
    ended.delete(file.fileId);
    await handle.signal(UPLOAD_SESSION_SIGNALS.filesStored, [again]);
    row.sealed = true;
    await handle.signal(UPLOAD_SESSION_SIGNALS.sessionChanged);
    await eventually(async () => {
      const { raw } = await handle.describe();
      assert.equal(raw.pendingWorkflowTask ?? null, null);
    });
    assert.equal(ended.size, 0);
    row.paused = false;
    await handle.signal(UPLOAD_SESSION_SIGNALS.sessionChanged);
    await handle.result();
  });
  assert.equal(ended.size, 1);
});

test('a file reopened while its run is still stopping runs again, and the session waits for it', async () => {
  const { row, files, ended, activities, add, hold } = world();
  const release = Promise.withResolvers<void>();
  hold(release.promise);
  const begun: number[] = [];
  activities.beginFileWork = ({ generation }: { generation: number }) => {
    begun.push(generation);
    return { seq: 1, visionProvider: 'test' };
  };
  await testEnv.withWorkers(activities, async () => {
    const { handle } = await startSession();
    const [file] = add(1);
    assert.ok(file);
    row.sealed = true;
    await handle.signal(UPLOAD_SESSION_SIGNALS.filesStored, [file]);
    await eventually(() => assert.equal(begun.length, 1) as unknown as Promise<void>);
    // The state after a delete and a restore, or after a retry between the last write of a run and its end.
    const again = { ...file, generation: 2 };
    files.set(file.fileId, again);
    await handle.signal(UPLOAD_SESSION_SIGNALS.filesStored, [again]);
    await eventually(async () => assert.match(await names(handle), /START_CHILD_WORKFLOW_EXECUTION_FAILED/));
    assert.deepEqual(begun, [1]);
    release.resolve();
    await eventually(() => assert.deepEqual(begun, [1, 2]) as unknown as Promise<void>, 60);
    await handle.result();
  });
  assert.equal(ended.size, 1);
});

test('a restarted session adopts the files that its earlier run had started', async () => {
  const { row, ended, activities, add, hold } = world();
  const release = Promise.withResolvers<void>();
  hold(release.promise);
  let runs = 0;
  activities.beginFileWork = () => {
    runs += 1;
    return { seq: 1, visionProvider: 'test' };
  };
  await testEnv.withWorkers(activities, async () => {
    const { input, handle } = await startSession();
    const added = add(2);
    row.sealed = true;
    await handle.signal(UPLOAD_SESSION_SIGNALS.sessionChanged);
    await eventually(() => assert.equal(runs, 2) as unknown as Promise<void>);
    await handle.terminate('by mistake');
    for (const file of added) file.started = true;
    const next = await testEnv.env.client.workflow.start('uploadSession', {
      workflowId: UPLOAD_SESSION_WORKFLOWS.of(input.sessionId),
      taskQueue: 'workflows',
      args: [input],
    });
    for (const { fileId } of added) {
      await eventually(async () =>
        assert.match(await names(workflow(FILE_WORKFLOWS.of(fileId))), /reportEnd/),
      );
    }
    release.resolve();
    await next.result();
    assert.match(await names(next), /fileSettled/);
  });
  assert.deepEqual([runs, ended.size], [2, 2]);
});

test('a session waits for the signal of a file that was started elsewhere and does not run it twice', async () => {
  const { row, ended, activities, add, hold } = world();
  const { promise, resolve } = Promise.withResolvers<void>();
  hold(promise);
  let runs = 0;
  activities.beginFileWork = () => {
    runs += 1;
    return { seq: 1, visionProvider: 'test' };
  };
  await testEnv.withWorkers(activities, async () => {
    const { input, handle } = await startSession();
    const [file] = add(1);
    assert.ok(file);
    await testEnv.env.client.workflow.start('processFile', {
      workflowId: FILE_WORKFLOWS.of(file.fileId),
      taskQueue: 'workflows',
      args: [{ ...file, tenantId: input.tenantId, priority: 'normal', sessionId: input.sessionId }],
    });
    row.sealed = true;
    await handle.signal(UPLOAD_SESSION_SIGNALS.sessionChanged);
    await eventually(async () => assert.match(await names(handle), /START_CHILD_WORKFLOW_EXECUTION_FAILED/));
    resolve();
    await handle.result();
    assert.match(await names(handle), /fileSettled/);
  });
  assert.equal(runs, 1);
  assert.equal(ended.size, 1);
});

test('the row of a session is cancelled when an operator cancels its workflow in the engine', async () => {
  const { row, activities, add } = world();
  await testEnv.withWorkers(activities, async () => {
    const { handle } = await startSession();
    await handle.signal(UPLOAD_SESSION_SIGNALS.filesStored, add(1));
    await handle.cancel();
    await assert.rejects(handle.result());
    assert.equal((await handle.describe()).status.name, 'CANCELLED');
  });
  assert.equal(row.open, false);
});

test('a file cancelled before its run started is not changed, and its history shows the cancellation', async () => {
  const { row, activities, add } = world();
  activities.beginFileWork = () => ({ visionProvider: 'test' });
  await testEnv.withWorkers(activities, async () => {
    const { handle } = await startSession();
    const [file] = add(1);
    assert.ok(file);
    await handle.signal(UPLOAD_SESSION_SIGNALS.filesStored, [file]);
    await eventually(async () => assert.match(await names(handle), /CHILD_WORKFLOW_EXECUTION_COMPLETED/));
    const history = await workflow(FILE_WORKFLOWS.of(file.fileId)).fetchHistory();
    assert.equal(foldHistory(history, 'run').superseded, true);
    row.open = false;
    await handle.signal(UPLOAD_SESSION_SIGNALS.sessionChanged);
    await handle.result();
  });
});

async function isCancelRequested(fileId: string): Promise<boolean> {
  return /CANCEL_REQUESTED/.test(await names(workflow(FILE_WORKFLOWS.of(fileId))));
}

/** Event types of a workflow, with the names of signals. */
async function names(handle: ReturnType<typeof workflow>): Promise<string> {
  const { events } = await handle.fetchHistory();
  return (events ?? [])
    .map(({ eventType, workflowExecutionSignaledEventAttributes }) => {
      return `${String(eventNames[eventType ?? 0])} ${workflowExecutionSignaledEventAttributes?.signalName ?? ''}`;
    })
    .join('\n');
}
