import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { createOpenAiVision } from '../../adapters/models/vision/openai-vision.ts';
import type { VisionInput } from '../../adapters/models/vision/vision-model.ts';
import { visionQueue } from '../../temporal/contract/queues.ts';
import { openWorkerDeps } from '../../worker/deps.ts';
import { BACKLOG_QUEUE, backlogWorkflow } from './backlog-workflow.ts';
import { workerSettings } from './batch-session.ts';
import type { BenchContext } from './context.ts';
import { startModelEndpoint } from './model-endpoint.ts';
import { runWorkers } from './run-workers.ts';
import { smallPhotographs } from './session-files.ts';
import { goalResult, interleave, median, milliseconds, percentile, ratios, spread } from './statistics.ts';
import { Darkroom } from '../../sdk/src/index.ts';

const PROVIDER = 'openai';
/** Latency of the simulated model, which is low. */
const MODEL_MS = 1000;
const BACKLOG = 5000;
/** Few, as in the workflows of files: each completion in a workflow with many calls is costly for the engine. */
const CALLS_A_WORKFLOW = 50;
const POLL_MS = 10;
const WITHIN_MS = 60_000;
const QUEUED_WITHIN_MS = 300_000;
/** The shortest time limit of a synchronous call. */
const IN_TIME_MS = 5000;

/**
 * A1: the time from the upload of a photograph of 480 pixels until its description is readable, compared with a bare
 * call of the same model with the same bytes.
 *
 * A2: the time of a synchronous analysis of that photograph while 5,000 bulk calls wait in the queue of the same model.
 */
export async function run({ rounds, stack: startStack, progress }: BenchContext): Promise<string[]> {
  const stack = await startStack();
  const endpoint = await startModelEndpoint(MODEL_MS);
  const config = workerSettings({ ...stack.env, OPENAI_BASE_URL: endpoint.url });
  const { deps, close } = await openWorkerDeps(config);
  const vision = createOpenAiVision(
    { provider: PROVIDER, baseUrl: endpoint.url, model: 'bench', timeoutSeconds: 60 },
    deps.text,
  );
  const [image = Buffer.alloc(0)] = await smallPhotographs();
  const client = new Darkroom({ baseUrl: stack.runInfo.api_url, apiKey: stack.runInfo.api_key });

  const input: VisionInput = {
    image: () => Promise.resolve({ bytes: image, contentType: 'image/jpeg' }),
    facts: await factsOf(image),
    width: 480,
    height: 320,
    format: 'jpeg',
    filename: 'bench.jpg',
    contentCategory: 'general',
  };
  const callModel = async () => {
    await vision.describe(input, { signal: AbortSignal.timeout(WITHIN_MS) });
  };
  const stopWorkers = await runWorkers(config, deps, { [visionQueue(PROVIDER)]: { callModel } });
  const connection = await NativeConnection.connect({ address: config.TEMPORAL_ADDRESS });
  const queuing = await Worker.create({
    connection,
    taskQueue: BACKLOG_QUEUE,
    workflowsPath: fileURLToPath(new URL('./backlog-workflow.ts', import.meta.url)),
  });
  const queuingEnds = queuing.run();
  const backlog: WorkflowHandle[] = [];
  try {
    const bare = () => milliseconds(callModel);
    // The first entry of each is from the warm-up round.
    const waits: Record<'alone' | 'behind', number[]> = { alone: [], behind: [] };
    const upload = () => milliseconds(describeUpload);
    const analyze = (waited: number[]) => async () => {
      let id = '';
      const elapsed = await milliseconds(async () => void (id = await analyzeAtOnce()));
      waited.push(await waitInQueue(id));
      return elapsed;
    };
    const alone = await interleave(rounds, { upload, analyze: analyze(waits.alone), bare }, (turn) =>
      progress(`alone, ${turn}`),
    );
    await queueCalls();
    const busy = await interleave(rounds, { analyze: analyze(waits.behind) }, (turn) =>
      progress(`behind a backlog, ${turn}`),
    );
    const left = await callsLeft();

    const ratio = ratios(alone.upload, alone.bare);
    const beyond = alone.upload.map((ms, round) => ms - (alone.bare[round] ?? NaN));
    const slowest = [percentile(busy.analyze, 100)];
    return [
      `A1 upload until described / bare call of a model that takes ${MODEL_MS} ms: ${spread(ratio, 2)}, ` +
        `${spread(beyond)} ms more than the call of ${spread(alone.bare)} ms`,
      `A2 POST /images/analyze with ${BACKLOG} bulk calls queued, ${left} of them left at the end: ${spread(busy.analyze)} ms, ` +
        `slowest ${slowest[0]?.toFixed(0)} ms, ${goalResult(slowest, { most: IN_TIME_MS })}`,
      `A2 … alone ${spread(alone.analyze)} ms, behind / alone ${(median(busy.analyze) / median(alone.analyze)).toFixed(2)}`,
      `A2 … of which in the queue of the model: ${spread(waits.behind.slice(1))} ms, alone ${spread(waits.alone.slice(1))} ms`,
    ];
  } finally {
    queuing.shutdown();
    await queuingEnds;
    await stopWorkers();
    // Not earlier, because a call whose workflow has been terminated logs an error.
    await Promise.all(backlog.map((handle) => handle.terminate('measured')));
    await connection.close();
    await close();
    await endpoint.close();
  }

  function newImage(): File {
    // Readers ignore data after the end of a JPEG.
    return new File([Buffer.concat([image, randomBytes(16)])], 'bench.jpg', { type: 'image/jpeg' });
  }

  /** @returns the id of the file */
  async function analyzeAtOnce(): Promise<string> {
    const form = new FormData();
    form.set('file', newImage());
    const answer = await client.send('POST', '/images/analyze', { body: form });
    const { image_id: id, status } = (await answer.json()) as { image_id: string; status: string };
    if (status !== 'completed') throw new Error(`the analysis is ${status}`);
    return id;
  }

  /** Resolves once the description can be read. */
  async function describeUpload(): Promise<void> {
    const { file_id: id } = await client.upload(newImage());
    const params = { path: { file_id: id } };
    const deadline = Date.now() + WITHIN_MS;
    for (;;) {
      const { description_status: status } = (await client.api.GET('/files/{file_id}', { params })).data;
      if (status === 'completed') return;
      if (status === 'failed' || Date.now() > deadline) throw new Error(`the description is ${status}`);
      await delay(POLL_MS);
    }
  }

  async function waitInQueue(fileId: string): Promise<number> {
    const params = { path: { file_id: fileId } };
    const { data } = await client.api.GET('/files/{file_id}/timeline', { params });
    const step = data.runs[0]?.steps.find((each) => each.step === 'describeImage');
    return Date.parse(step?.started_at ?? '') - Date.parse(step?.scheduled_at ?? '');
  }

  async function queueCalls(): Promise<void> {
    const { workflow } = deps.engine.client;
    for (let from = 0; from < BACKLOG; from += CALLS_A_WORKFLOW) {
      const started = await workflow.start(backlogWorkflow, {
        workflowId: `bench-backlog/${randomUUID()}`,
        taskQueue: BACKLOG_QUEUE,
        args: [PROVIDER, CALLS_A_WORKFLOW, randomUUID()],
      });
      backlog.push(started);
    }
    const deadline = Date.now() + QUEUED_WITHIN_MS;
    while ((await callsLeft()) < BACKLOG * 0.9) {
      if (Date.now() > deadline) throw new Error('the calls were not queued in time');
      progress('queuing calls');
      await delay(100);
    }
  }

  async function callsLeft(): Promise<number> {
    const runs = await Promise.all(backlog.map((handle) => handle.describe()));
    return runs.reduce((sum, { raw }) => sum + (raw.pendingActivities?.length ?? 0), 0);
  }

  async function factsOf(bytes: Buffer): Promise<VisionInput['facts']> {
    return (await deps.decoder.render(bytes, { tenantId: 'one', label: 'bench' })).facts;
  }
}
