import { databaseConfig } from '../../db/config.ts';
import { createOrm, type Orm } from '../../db/create-orm.ts';
import { startDisposableStack } from '../../dev/launcher/disposable-stack.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { createEngine, type Engine } from '../../temporal/client.ts';
import { temporalConfig } from '../../temporal/config.ts';
import { createClient, type Client } from './api.ts';
import { startModelServer, type ModelServer } from './model-server.ts';

/** A stack that one test file may break, whose workers ask a model that the file scripts, and ways to look inside. */
export interface OwnStack {
  stack: Stack;
  client: Client;
  orm: Orm;
  engine: Engine;
  model: ModelServer;
  stop(): Promise<void>;
}

/** @param api more settings of the API */
export async function startOwnStack(api: Record<string, string> = {}): Promise<OwnStack> {
  const model = await startModelServer();
  try {
    const worker = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'test-key', SWEEP_SECONDS: '3' };
    const stack = await startDisposableStack(process.env, { appEnv: { api, worker } });
    const config = readConfig([databaseConfig, temporalConfig], stack.env);
    const orm = createOrm(config);
    const engine = createEngine(config);
    const stop = async () => {
      await engine.close();
      await orm.close(true);
      await stack.stop({ keepData: false });
      await model.stop();
    };
    return { stack, client: createClient(stack.runInfo), orm, engine, model, stop };
  } catch (error) {
    await model.stop();
    throw error;
  }
}
