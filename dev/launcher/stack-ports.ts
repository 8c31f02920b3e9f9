import type { DevConfig } from '../config.ts';
import type { Home } from './home.ts';
import { readJson, writeJson } from '../processes/json-file.ts';
import { type PortRequest, claimPorts } from './ports.ts';
import { ADMIN_GRPC_ABOVE } from '../servers/seaweed.ts';

const ANY: PortRequest = { wanted: 0 };

/** Claims the configured and the internal ports of a stack; internal ones are reused from the last start where free. */
export async function claimStackPorts(config: DevConfig, home: Home) {
  const ports = await claimPorts(
    {
      api: { wanted: config.PORT, setting: 'PORT', host: config.HOST },
      postgres: { wanted: config.POSTGRES_PORT, setting: 'POSTGRES_PORT' },
      temporal: { wanted: config.TEMPORAL_PORT, setting: 'TEMPORAL_PORT' },
      temporalUi: { wanted: config.TEMPORAL_UI_PORT, setting: 'TEMPORAL_UI_PORT' },
      temporalHttp: ANY,
      temporalMetrics: ANY,
      s3: { wanted: config.S3_PORT, setting: 'S3_PORT' },
      s3Grpc: ANY,
      master: ANY,
      masterGrpc: ANY,
      volume: ANY,
      volumeGrpc: ANY,
      filer: ANY,
      filerGrpc: ANY,
      admin: { ...ANY, alsoAbove: ADMIN_GRPC_ABOVE },
      qdrant: ANY,
      qdrantGrpc: ANY,
      worker: ANY,
      'worker-cpu': ANY,
      'worker-ocr': ANY,
    },
    (readJson(home.ports) as Record<string, number> | undefined) ?? {},
  );
  writeJson(home.ports, ports);
  return ports;
}
export type StackPorts = Awaited<ReturnType<typeof claimStackPorts>>;
