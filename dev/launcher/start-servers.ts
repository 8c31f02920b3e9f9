import { join } from 'node:path';
import { createEngine } from '../../temporal/client.ts';
import { prepareNamespace } from '../../temporal/prepare-namespace.ts';
import { s3Config } from '../../adapters/object-store/config.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { temporalConfig } from '../../temporal/config.ts';
import { BUCKET } from './app-env.ts';
import type { DevConfig } from '../config.ts';
import type { Env } from '../processes/program.ts';
import { findBinary } from '../servers/binaries.ts';
import type { BringUp } from './bring-up.ts';
import { preparePostgres } from '../servers/postgres.ts';
import { type VectorIndexChoice, planQdrant } from '../servers/qdrant.ts';
import { planSeaweed } from '../servers/seaweed.ts';
import { planTemporal } from '../servers/temporal.ts';

/**
 * Starts the servers concurrently, and prepares those that run elsewhere. Resolves when each is ready.
 *
 * @param appEnv        settings with which the apps connect to the servers
 * @param fsync         whether Postgres syncs to disk
 * @param afterPostgres called as soon as the database is ready
 * @returns the folder of Postgres' data, which may be outside the home
 */
export async function startServers(
  up: BringUp,
  options: {
    config: DevConfig;
    appEnv: Record<string, string>;
    fsync: boolean;
    vectors: VectorIndexChoice;
    afterPostgres: () => Promise<void>;
  },
): Promise<{ postgresFolder: string }> {
  const { home, ports, secrets, env, signal } = up;
  const { config, appEnv } = options;
  let postgresFolder = '';

  const tools = { env, signal, part: up.part };
  const postgres = async () => {
    await up.part('Postgres', async () => {
      const prepared = await preparePostgres({
        home: home.folder,
        homeId: secrets.homeId,
        port: ports.postgres,
        password: secrets.postgresPassword,
        fsync: options.fsync,
        env,
        logFile: home.log('postgres'),
        signal,
      });
      postgresFolder = prepared.folder;
      await up.run(prepared.plan);
      return `127.0.0.1:${ports.postgres}`;
    });
    await options.afterPostgres();
  };

  /** A server applies the search attributes of its flags only when it creates its database. */
  const prepareTemporal = async (settings: Env) => {
    const engine = createEngine(readConfig([temporalConfig], settings));
    try {
      await prepareNamespace(engine, signal);
    } finally {
      await engine.close();
    }
  };

  const temporal = async () => {
    const elsewhere = config.DARKROOM_TEMPORAL_ADDRESS;
    if (elsewhere !== undefined) {
      return up.part('Temporal', async () => {
        await prepareTemporal({ ...env, ...appEnv });
        return `${elsewhere}, namespace ${appEnv['TEMPORAL_NAMESPACE']}`;
      });
    }
    const path = await findBinary('temporal', tools);
    await up.part('Temporal', async () => {
      const { temporal: grpc, temporalUi: ui, temporalHttp: http, temporalMetrics: metrics } = ports;
      const folder = join(home.folder, 'temporal');
      await up.run(
        planTemporal({
          binary: path,
          folder,
          ports: { grpc, ui, http, metrics },
          env,
          logFile: home.log('temporal'),
        }),
      );
      await prepareTemporal(appEnv);
      return `127.0.0.1:${grpc}, UI http://127.0.0.1:${ui}`;
    });
  };

  const s3 = async () => {
    const elsewhere = config.DARKROOM_S3_ENDPOINT;
    if (elsewhere !== undefined) {
      return up.part('S3', async () => {
        // Loaded here: the launcher stays in memory, and most starts have a store of their own.
        const { createS3ObjectStore } = await import('../../adapters/object-store/s3-object-store.ts');
        await createS3ObjectStore(readConfig([s3Config], appEnv)).ensureBucket();
        return `${elsewhere}, bucket ${appEnv['S3_BUCKET']}`;
      });
    }
    const path = await findBinary('weed', tools);
    await up.part('S3 (SeaweedFS)', async () => {
      const access = { accessKeyId: secrets.s3AccessKeyId, secretAccessKey: secrets.s3SecretAccessKey };
      await up.run(
        planSeaweed({
          binary: path,
          folder: home.store,
          ports,
          access: { ...access, bucket: BUCKET },
          env,
          logFile: home.log('s3'),
        }),
      );
      return `http://127.0.0.1:${ports.s3}`;
    });
  };

  const vectors = async () => {
    const choice = options.vectors;
    await up.part('Vector index', async () => {
      if ('url' in choice) return `Qdrant, ${choice.url}`;
      if ('lancedb' in choice) return 'LanceDB, inside the workers';
      const { folder, qdrant: path } = choice;
      const own = { http: ports.qdrant, grpc: ports.qdrantGrpc };
      await up.run(planQdrant({ binary: path, folder, ports: own, env, logFile: home.log('qdrant') }));
      return `Qdrant, http://127.0.0.1:${own.http}`;
    });
  };

  await up.all([postgres(), temporal(), s3(), vectors()]);
  return { postgresFolder };
}
