import { createHash } from 'node:crypto';
import { s3Config } from '../../adapters/object-store/config.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { createS3ObjectStore } from '../../adapters/object-store/s3-object-store.ts';
import { databaseConfig } from '../../db/config.ts';
import { createOrm, type Orm } from '../../db/create-orm.ts';
import { startDisposableStack } from '../../dev/launcher/disposable-stack.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import type { ProcessName } from '../../dev/processes/program.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { createEngine, type Engine } from '../../temporal/client.ts';
import { temporalConfig } from '../../temporal/config.ts';
import type { Client, Json } from './api.ts';
import { startModelServer, type ModelServer } from './model-server.ts';
import { createOwnTenant, type OwnTenant } from './own-tenant.ts';

/** A tenant whose acknowledged uploads the stack records. */
export interface FaultTenant extends OwnTenant {
  /** Uploads a file and returns its id; the stack records it as acknowledged. */
  ingest: (bytes: Uint8Array, fields?: Record<string, string>) => Promise<string>;
  timeline: (fileId: string) => Promise<Json>;
}

/** A separate stack for fault tests, with a scripted model and direct access to its servers. */
export interface OwnStack {
  stack: Stack;
  orm: Orm;
  engine: Engine;
  objects: ObjectStore;
  model: ModelServer;
  /** Acknowledged files, by id. */
  acknowledged: Map<string, { client: Client; sha256: string }>;
  newTenant(): Promise<FaultTenant>;
  /**
   * Starts each process that is not running. To be called after a failed test: otherwise each later test would wait for the
   * processes that it left stopped, until the time limit of the test file, and nothing would be reported.
   */
  startStopped(): Promise<void>;
  stop(): Promise<void>;
}

/** Short timeouts for the work of a dead worker, to keep tests fast. */
const WORKER = { SWEEP_SECONDS: '2', STICKY_SECONDS: '1' };

/**
 * Starts a separate stack, which the caller must stop.
 *
 * @param api additional settings of the API
 * @param cpu additional settings of the worker that decodes
 * @param all additional settings of all processes
 */
export async function startOwnStack(
  api: Record<string, string> = {},
  cpu: Record<string, string> = {},
  all: Record<string, string> = {},
): Promise<OwnStack> {
  const model = await startModelServer();
  try {
    const worker = {
      ...WORKER,
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: 'test-key',
      VISION_GOOGLE_BASE_URL: model.url,
      VISION_GOOGLE_MODEL: 'second-model',
    };
    const stack = await startDisposableStack(
      { ...process.env, ...all },
      { appEnv: { api, worker, 'worker-cpu': cpu } },
    );
    const processes = Object.keys(stack.runInfo.pids) as ProcessName[];
    const config = readConfig([databaseConfig, temporalConfig, s3Config], stack.env);
    const orm = createOrm(config);
    const engine = createEngine(config);
    const acknowledged: OwnStack['acknowledged'] = new Map();
    return {
      stack,
      orm,
      engine,
      objects: createS3ObjectStore(config),
      model,
      acknowledged,
      async newTenant() {
        const tenant = await createOwnTenant(orm, stack.runInfo);
        const { client } = tenant;
        return {
          ...tenant,
          ingest: async (bytes, fields = {}) => {
            const fileId = await client.ingest({ bytes, fields });
            acknowledged.set(fileId, { client, sha256: createHash('sha256').update(bytes).digest('hex') });
            return fileId;
          },
          timeline: async (fileId) => (await client.get(`/files/${fileId}/timeline`)).body,
        };
      },
      async startStopped() {
        for (const name of processes) if (stack.pid(name) === undefined) await stack.start(name);
      },
      async stop() {
        await engine.close();
        await orm.close(true);
        await stack.stop({ keepData: false });
        await model.stop();
      },
    };
  } catch (error) {
    await model.stop();
    throw error;
  }
}
