import { setTimeout as delay } from 'node:timers/promises';
import { MultiBar, type SingleBar } from 'cli-progress';
import { ConnectionError } from '../../sdk/src/index.ts';
import { describeAnswers, describeFinds, describeSeen } from './demo-answers.ts';
import { type DemoApi, type DemoFile, createDemoApi } from './demo-api.ts';
import { demoDocuments, demoImages, demoVideos } from './demo-samples.ts';
import { type DemoResult, collectResult, describeResult } from './demo-report.ts';
import type { RunInfo } from '../launcher/home.ts';
import { StackError } from '../processes/stack-error.ts';

/** Progress of the samples: a bar each on a terminal, a line per change elsewhere. */
interface DemoProgress {
  /** @param done number of finished steps */
  show(name: string, done: number, status: string): void;
  end(): void;
}

/** One item that the demo adds. */
interface Sample {
  name: string;
  /** Returns the file's id. */
  send: () => Promise<string>;
}

/** The upload and the two slowest components. */
const STEPS = 3;
const DEADLINE_MS = 120_000;
/** Frequent at first, then within the API's request rate. */
const POLL = { firstMs: 100, growth: 1.25, mostMs: 2_000 };

/** What the demo has shown. */
interface DemoRun {
  /**
   * Describes the photographs anew, by models that came meanwhile, and prints what they see and a search that finds it.
   * Resolves without that if the stack is stopped meanwhile.
   */
  lookAgain(): Promise<void>;
}

export interface DemoOptions {
  runInfo: RunInfo;
  /** Whether the stack stops after the demo. */
  exit: boolean;
  /** A page to add as a link; undefined for none. */
  pageUrl: string | undefined;
  /** Prints a message for the user. */
  log: (text: string) => void;
}

/**
 * Uploads the sample images, documents and the video through the public API, adds the page as a link, waits until they are
 * processed, and prints the result of each and of a few searches and questions. Each run adds them again.
 *
 * @throws StackError if, with `exit`, a sample cannot be uploaded or is not processed in time. Without `exit` the error
 *   is only logged, so that the running stack can be inspected
 */
export async function runDemo({ runInfo, exit, pageUrl, log }: DemoOptions): Promise<DemoRun> {
  const api = createDemoApi(runInfo.api_url, runInfo.api_key);
  const files = [...(await demoImages()), ...(await demoDocuments()), ...(await demoVideos())];
  const samples: Sample[] = [
    ...files.map((file) => ({ name: file.filename, send: () => api.upload(file) })),
    ...(pageUrl === undefined ? [] : [{ name: pageUrl, send: () => api.addLink(pageUrl) }]),
  ];
  const names = samples.map(({ name }) => name);
  log(`Sending ${names.length} samples to ${runInfo.api_url}`);
  const progress = createDemoProgress(process.stdout, names, STEPS, log);
  const deadline = Date.now() + DEADLINE_MS;
  let firstResult: number | undefined;

  const run = async ({ name, send }: Sample): Promise<DemoResult> => {
    progress.show(name, 0, 'uploading');
    const id = await send();
    await followToEnd(api, id, { name, progress, deadline });
    firstResult ??= process.uptime();
    return collectResult(api, id);
  };

  // The first by itself, since the others keep every core busy for a while.
  const [first, ...others] = samples;
  if (first === undefined) throw new StackError('There are no samples.');
  const began = run(first);
  await Promise.allSettled([began]);
  const outcomes = await Promise.allSettled([began, ...others.map(run)]).finally(() => progress.end());
  const results = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  for (const result of results) log(`\n${describeResult(result)}`);
  const ended = results.map(({ file }) => file);
  log(`\n${await describeFinds(api, ended)}`);
  log(`\n${await describeAnswers(api, ended)}`);
  if (firstResult !== undefined) log(`\nFirst result ${firstResult.toFixed(1)} s after launch.`);
  const [sample] = results;
  if (sample !== undefined) log(whereToLook(runInfo, sample));

  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) {
    if (exit || !(failed.reason instanceof StackError)) throw failed.reason;
    log(`\n${failed.reason.message}`);
  }
  return { lookAgain: () => lookAgain(api, ended, log) };
}

async function lookAgain(api: DemoApi, files: DemoFile[], log: DemoOptions['log']): Promise<void> {
  const photographs = files.filter(
    (file) => file.media_type === 'image' && file.description_status === 'completed',
  );
  const progress = { show: () => undefined, end: () => undefined };
  try {
    const described = await Promise.all(
      photographs.map(async ({ id, filename: name }) => {
        await api.describeAgain(id);
        await followToEnd(api, id, { name, progress, deadline: Date.now() + DEADLINE_MS });
        return api.file(id);
      }),
    );
    log(`\n${await describeSeen(api, described)}`);
  } catch (error) {
    // The stack may have been stopped.
    if (!(error instanceof StackError || error instanceof ConnectionError)) throw error;
    log(error.message);
  }
}

async function followToEnd(
  api: DemoApi,
  id: string,
  { name, progress, deadline }: { name: string; progress: DemoProgress; deadline: number },
): Promise<void> {
  for (let pause = POLL.firstMs; ; pause = Math.min(pause * POLL.growth, POLL.mostMs)) {
    const file = await api.file(id);
    const ended = file.primary_status !== 'pending' && file.primary_status !== 'processing';
    progress.show(name, stepsDone(file), ended ? file.primary_status : statusLine(file));
    if (ended) return;
    if (Date.now() > deadline) throw await stuck(api, name, id);
    await delay(pause);
  }
}

async function stuck(api: DemoApi, name: string, id: string): Promise<StackError> {
  const { explanation } = await api.timeline(id);
  return new StackError(
    `${name} is not done after ${DEADLINE_MS / 1000} s. ${explanation} ` +
      `It continues once the cause is gone: see the logs of the workers, then \`npm run status -- ${id}\`.`,
  );
}

function stepsDone(file: DemoFile): number {
  return 1 + statuses(file).filter(([, status]) => /completed|failed|skipped/.test(status)).length;
}

function statusLine(file: DemoFile): string {
  return statuses(file)
    .map(([step, status]) => `${step} ${status}`)
    .join(', ');
}

function statuses(file: DemoFile): [step: string, status: string][] {
  switch (file.media_type) {
    case 'image':
      return [
        ['variants', file.variant_status],
        ['description', file.description_status],
      ];
    case 'document':
      return [
        ['text', file.text_extraction_status],
        ['search index', file.digitization_status],
      ];
    case 'video':
      return [
        ['key frames', file.video_analysis_status],
        ['description', file.description_status],
      ];
    case 'link':
      return [
        ['page', file.crawl_status],
        ['description', file.description_status],
      ];
  }
}

function whereToLook(runInfo: RunInfo, { file, timeline }: DemoResult): string {
  const { api_url, api_key, temporal_ui_url, temporal_namespace } = runInfo;
  const workflow = [timeline.workflow_id, timeline.runs.at(-1)?.run_id ?? '']
    .map(encodeURIComponent)
    .join('/');
  return [
    '',
    'Where to look',
    `  Workflow of ${file.title.padEnd(12)} ${temporal_ui_url}/namespaces/${temporal_namespace}/workflows/${workflow}/history`,
    `  API, to read and try     ${api_url}/docs`,
    `  OpenAPI document         ${api_url}/openapi.json`,
    `  Try                      curl -s -H 'X-API-Key: ${api_key}' ${api_url}/files/${file.id}/timeline`,
    `  Console, signed in       ${signInLink(runInfo)}`,
  ].join('\n');
}

/** Opens the console with the fields of the sign-in filled in, by a fragment, which browsers do not send. */
function signInLink({ api_url, tenants }: RunInfo): string {
  const { email, password } = tenants.enterprise;
  return new URL(`/sign-in#${new URLSearchParams({ email, password }).toString()}`, api_url).href;
}

/**
 * @param names names of the samples; each gets a bar
 * @param total number of steps of each sample
 */
function createDemoProgress(
  stream: NodeJS.WriteStream,
  names: string[],
  total: number,
  log: (line: string) => void,
): DemoProgress {
  const width = Math.max(...names.map((name) => name.length));
  if (!stream.isTTY) {
    const last = new Map<string, string>();
    return {
      show(name, _done, status) {
        if (last.get(name) !== status) log(`  ${name.padEnd(width)}  ${status}`);
        last.set(name, status);
      },
      end: () => undefined,
    };
  }

  const bars = new MultiBar({
    stream,
    format: '  {name}  {bar}  {status}',
    barsize: 24,
    barCompleteChar: '━',
    barIncompleteChar: '─',
    hideCursor: true,
    linewrap: true,
    // The launcher handles Ctrl-C itself.
    gracefulExit: false,
  });
  const byName = new Map<string, SingleBar>(
    names.map((name) => [name, bars.create(total, 0, { name: name.padEnd(width), status: '' })]),
  );
  return {
    show: (name, done, status) => byName.get(name)?.update(done, { status }),
    end: () => bars.stop(),
  };
}
