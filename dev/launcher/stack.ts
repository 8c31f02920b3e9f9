import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { originOf } from '../../domain/schemas/addresses.ts';
import { modelsFolder } from '../../engines/onnx/config.ts';
import { appEnv } from './app-env.ts';
import { type AppName, buildPart, setUpDatabase, startApps } from './start-apps.ts';
import { type BringUp, type PartEvent, createBringUp } from './bring-up.ts';
import { fetchMissingModels } from './fetch-models.ts';
import type { DevConfig } from '../config.ts';
import { lockHome, openHome, restrictHome, type RunInfo, readTenants } from './home.ts';
import { boundLogs, rotateLogs } from './logs.ts';
import { writeJson, writeJsonIfRoom } from '../processes/json-file.ts';
import { openLedger } from '../processes/process-ledger.ts';
import type { Env, ProcessName, ProcessPlan } from '../processes/program.ts';
import { createProcessTable } from '../processes/process-table.ts';
import { keepSecrets } from './secrets.ts';
import { COMPILE_CACHE } from '../project-root.ts';
import { chooseVectorIndex } from '../servers/qdrant.ts';
import { claimStackPorts } from './ports.ts';
import { firstLine, StackError } from '../processes/stack-error.ts';
import { startServers } from './start-servers.ts';
import { createSupervisor } from './supervisor.ts';

export interface StackOptions {
  config: DevConfig;
  /** The caller's environment: its PATH finds programs, and all of it passes through to the apps. */
  env: Env;
  /** False starts only the servers. */
  apps?: boolean;
  /** True runs one worker instead of one for each kind of load. */
  oneWorker?: boolean;
  /** True builds the console before the stack is ready; else `buildConsole` does it. */
  withConsole?: boolean;
  /** False disables restarts of dead processes. */
  supervise?: boolean;
  /** False trades durability in a machine crash for speed. */
  fsync?: boolean;
  /** False seeds tenants without a rate limit. */
  limitRequests?: boolean;
  /** Additional environment for individual apps. */
  appEnv?: Partial<Record<AppName, Env>>;
  /**
   * Changes the settings with which the apps connect to the servers, for example so that they connect through proxies. Called
   * once the servers are ready.
   */
  connect?: (env: Record<string, string>) => Promise<Record<string, string>>;
  /** Aborting it cancels the startup; processes already running are stopped in order. */
  signal?: AbortSignal;
  /** Aborting it kills everything immediately. */
  killSignal?: AbortSignal;
  onPart?: (event: PartEvent) => void;
  /** Receives one line for the user. */
  onNotice?: (line: string) => void;
  /** Receives one line with the reason why the stack cannot continue. The caller must then stop it. */
  onFatal?: (line: string) => void;
}

export interface Stack {
  home: string;
  /** Settings with which the apps connect to the servers, for config slices. */
  env: Record<string, string>;
  /** The content of run.json with current pids. Throws for a stack without apps. */
  readonly runInfo: RunInfo;
  pid(name: ProcessName): number | undefined;
  /** Sends SIGKILL by default; after SIGKILL waits for the exit. */
  kill(name: ProcessName, signal?: NodeJS.Signals): Promise<void>;
  /** Starts a process, unless it runs, on the same ports as before, and waits until it is ready. */
  start(name: ProcessName): Promise<void>;
  /** Stops gracefully, then starts, from then on with these settings beside its own. */
  restart(name: ProcessName, settings?: Env): Promise<void>;
  logPath(name: ProcessName): string;
  /**
   * Builds the console that the API serves, unless it is up to date; until then its pages say that it is not built.
   *
   * @throws StackError if it cannot be built
   */
  buildConsole(): Promise<void>;
  /**
   * Compiles what the next start and all child processes load, once for a set of packages.
   *
   * @throws StackError if it cannot be compiled
   */
  compileCode(): Promise<void>;
  /**
   * Fetches missing models at the lowest priority; the apps use each as soon as it is there. Resolves to whether some were
   * missing and all of them came. Never rejects.
   */
  fetchModels(): Promise<boolean>;
  /** Stops everything in order: the API, the workers once drained, the servers. Data is kept by default. */
  stop(options?: { keepData: boolean }): Promise<void>;
}

/** Groups in order; the processes of a group stop concurrently. */
const STOP_ORDER: ProcessName[][] = [
  ['api'],
  ['worker', 'worker-cpu', 'worker-ocr'],
  ['qdrant', 'temporal', 's3', 'postgres'],
];

const TEND_EVERY_MS = 5_000;

/**
 * Starts Postgres, Temporal, S3, a vector index, the API and the workers on this machine. Resolves when all are ready.
 *
 * @throws StackError with one line for the user if the startup fails; nothing is left running
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { config, apps = true, supervise = true, fsync = true, onNotice = () => undefined } = options;
  const home = openHome(config.DARKROOM_HOME);
  const ledger = openLedger(home.processes);
  const unlock = lockHome(home.folder);
  const stopBounding = boundLogs(home.logs);
  const life = new AbortController();
  const forward = () => life.abort(options.signal?.reason);
  options.signal?.addEventListener('abort', forward, { once: true });
  if (options.signal?.aborted === true) forward();

  const plans = new Map<ProcessName, ProcessPlan>();
  let runInfo: Omit<RunInfo, 'pids'> | undefined;
  let postgresFolder: string | undefined;
  let serving = false;

  const publish = () => {
    if (serving && runInfo !== undefined) writeJsonIfRoom(home.runInfo, { ...runInfo, pids: table.pids() });
  };
  const start = async (plan: ProcessPlan) => {
    plans.set(plan.name, plan);
    await table.start(plan);
    publish();
  };
  const fatal = (line: string) => (serving ? options.onFatal?.(line) : life.abort(new StackError(line)));
  const watch = createSupervisor({ start, notice: onNotice, fatal, signal: life.signal });
  const table = createProcessTable({
    ledger,
    signal: life.signal,
    onDeath: (plan, ending) => {
      publish();
      if (supervise) watch(plan, ending);
    },
  });

  const restarts = new Map<ProcessName, Promise<void>>();
  const restart = async (plan: ProcessPlan) => {
    const done = table.stop(plan.name).then(() => start(plan));
    restarts.set(plan.name, done);
    await done.finally(() => restarts.delete(plan.name));
  };
  const restartWhatNeedsIt = async () => {
    for (const plan of plans.values()) {
      const reason = await plan.needsRestart?.();
      if (reason === undefined) continue;
      // Another start may be in progress, for example after a kill.
      await table.idle();
      if (table.pids()[plan.name] === undefined) continue;
      onNotice(`${plan.title} ${reason}; restarting it.`);
      await restart(plan);
    }
  };
  /** Restarts the processes that run but need it, until the stack stops. */
  const tend = async () => {
    while (!life.signal.aborted) {
      try {
        await delay(TEND_EVERY_MS, undefined, { signal: life.signal, ref: false });
        await restartWhatNeedsIt();
      } catch (error) {
        if (!life.signal.aborted)
          onNotice(`A process that needs a restart could not be restarted: ${firstLine(error)}`);
      }
    }
  };

  /** run.json must not describe a stack that is not ready. */
  const withhold = () => {
    for (const file of [home.runInfo, home.env]) rmSync(file, { force: true });
  };
  const withdraw = () => {
    serving = false;
    life.abort(new StackError('The stack is stopping.'));
    options.signal?.removeEventListener('abort', forward);
    withhold();
  };
  const stop = async () => {
    withdraw();
    await table.idle();
    for (const names of STOP_ORDER) await Promise.all(names.map((name) => table.stop(name)));
    stopBounding();
    unlock();
  };
  options.killSignal?.addEventListener('abort', () => {
    withdraw();
    table.killAll();
    unlock();
  });

  const handle = (env: Record<string, string>, up: BringUp): Stack => ({
    home: home.folder,
    env,
    get runInfo() {
      if (runInfo === undefined) throw new StackError('A stack without apps has no run info.');
      return { ...runInfo, pids: table.pids() };
    },
    pid: (name) => table.pids()[name],
    kill: (name, signal = 'SIGKILL') => table.kill(name, signal),
    async start(name) {
      await restarts.get(name);
      if (table.pids()[name] === undefined) await start(planOf(name));
    },
    restart(name, settings) {
      const plan = planOf(name);
      return restart({ ...plan, env: { ...plan.env, ...settings } });
    },
    logPath: home.log,
    buildConsole: () => buildPart(up, 'Console'),
    compileCode: () => buildPart(up, 'Compiled code'),
    fetchModels: () => fetchMissingModels(up, { onPart: options.onPart ?? (() => undefined), onNotice }),
    async stop({ keepData } = { keepData: true }) {
      await stop();
      if (keepData) return;
      for (const folder of [postgresFolder, home.folder]) {
        if (folder !== undefined) await rm(folder, { recursive: true, force: true });
      }
    },
  });
  const planOf = (name: ProcessName): ProcessPlan => {
    const plan = plans.get(name);
    if (plan === undefined) throw new StackError(`${name} is not part of this stack.`);
    return plan;
  };

  try {
    const left = await ledger.reap();
    if (left.length > 0) onNotice(`Stopped processes left running by an earlier start: ${left.join(', ')}.`);
    withhold();
    restrictHome(home);
    rotateLogs(home.logs);
    const secrets = keepSecrets(home.folder);
    const vectors = await chooseVectorIndex(home.folder, options.env, config.DARKROOM_QDRANT_URL);
    const ports = await claimStackPorts(config, home);
    const env = appEnv({
      config,
      ports,
      secrets,
      vectors,
      storeFolder: home.store,
      mailFolder: home.mails,
      smtpUrl: options.env.SMTP_URL,
      modelsFolder: modelsFolder({
        MODELS_DIR: options.env['MODELS_DIR'],
        MODEL_FOLDER: options.env['MODEL_FOLDER'],
      }),
      limitRequests: options.limitRequests ?? true,
    });
    const up = createBringUp({
      home,
      ports,
      secrets,
      env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...options.env },
      run: start,
      life,
      onPart: options.onPart ?? (() => undefined),
    });

    const builds = apps
      ? (['Workflow bundle', ...(options.withConsole ? ['Console' as const] : [])] as const)
      : [];
    const afterPostgres = async () =>
      apps ? setUpDatabase(up, env, options.limitRequests ?? true) : undefined;
    const servers = startServers(up, { config, appEnv: env, fsync, vectors, afterPostgres });
    await up.all([servers, ...builds.map((title) => buildPart(up, title))]);
    ({ postgresFolder } = await servers);
    if (apps) {
      const connected = (await options.connect?.(env)) ?? env;
      await startApps(up, connected, options.appEnv ?? {}, options.oneWorker ?? false);
      const tenants = readTenants(home.credentials);
      runInfo = {
        api_url: `${originOf(config.HOST, ports.api)}/api/v2`,
        api_key: tenants.enterprise.api_key,
        tenants,
        temporal_address: env['TEMPORAL_ADDRESS'] ?? '',
        temporal_namespace: env['TEMPORAL_NAMESPACE'] ?? '',
        temporal_ui_url: env['TEMPORAL_UI_URL'] ?? '',
        s3_endpoint: env['S3_ENDPOINT'] ?? '',
      };
    }
    life.signal.throwIfAborted();
    serving = true;
    writeJson(home.env, env);
    publish();
    void tend();
    return handle(env, up);
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The summary of a running stack for the user. */
export function describeStack(stack: Stack): string {
  const { api_url, temporal_ui_url, s3_endpoint } = stack.runInfo;
  const rows = [
    ['Console', new URL('/', api_url).href],
    ['API', api_url],
    ['API docs', `${api_url}/docs`],
    ['Temporal UI', temporal_ui_url],
    ['S3', s3_endpoint],
    ['Keys, passwords', join(stack.home, 'run.json')],
    ['Mails', stack.env['SMTP_URL'] ? 'sent through SMTP_URL' : join(stack.home, 'mails')],
    ['Logs', join(stack.home, 'logs')],
  ];
  const lines = rows.map(([what = '', where = '']) => `  ${what.padEnd(16)} ${where}`);
  return ['', 'Darkroom is ready.', ...lines, '', 'Ctrl-C stops everything and keeps the data.', ''].join(
    '\n',
  );
}
