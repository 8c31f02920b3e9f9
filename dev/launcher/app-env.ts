import type { DevConfig } from '../config.ts';
import type { Secrets } from './secrets.ts';
import { WORKFLOW_BUNDLE } from './start-apps.ts';
import { postgresUrl } from '../servers/postgres.ts';
import { NAMESPACE } from '../servers/temporal.ts';
import type { VectorIndexChoice } from '../servers/qdrant.ts';
import type { StackPorts } from './ports.ts';

/** Of a store that the stack has for itself. */
export const BUCKET = 'darkroom';
/** More than any test makes. */
const UNLIMITED_ATTEMPTS = 1_000_000;

/** Settings with which the API and the workers connect to this stack's servers. */
export function appEnv(options: {
  config: DevConfig;
  ports: StackPorts;
  secrets: Secrets;
  vectors: VectorIndexChoice;
  storeFolder: string;
  mailFolder: string;
  /** The mail server; used instead of the mail folder. */
  smtpUrl: string | undefined;
  /** Of all processes and commands: with others, they would choose other models, and look in other collections. */
  modelsFolder: string;
  limitRequests: boolean;
}): Record<string, string> {
  const { config, ports, secrets, vectors, storeFolder, mailFolder, smtpUrl, limitRequests } = options;
  const own = `darkroom-${secrets.homeId}`;
  const s3 = config.DARKROOM_S3_ENDPOINT ?? `http://127.0.0.1:${ports.s3}`;
  return {
    HOST: config.HOST,
    PORT: String(ports.api),
    LOG_LEVEL: config.LOG_LEVEL,
    DATABASE_URL: postgresUrl(ports.postgres, secrets.postgresPassword),
    ...(config.DARKROOM_TEMPORAL_ADDRESS === undefined
      ? {
          TEMPORAL_ADDRESS: `127.0.0.1:${ports.temporal}`,
          TEMPORAL_NAMESPACE: NAMESPACE,
          TEMPORAL_UI_URL: `http://127.0.0.1:${ports.temporalUi}`,
        }
      : {
          TEMPORAL_ADDRESS: config.DARKROOM_TEMPORAL_ADDRESS,
          TEMPORAL_NAMESPACE: own,
          ...(config.DARKROOM_TEMPORAL_UI_URL && { TEMPORAL_UI_URL: config.DARKROOM_TEMPORAL_UI_URL }),
        }),
    WORKFLOW_BUNDLE,
    S3_ENDPOINT: s3,
    S3_PUBLIC_ENDPOINT: s3,
    S3_REGION: 'us-east-1',
    ...(config.DARKROOM_S3_ENDPOINT === undefined
      ? {
          S3_DATA_FOLDER: storeFolder,
          S3_BUCKET: BUCKET,
          S3_ACCESS_KEY_ID: secrets.s3AccessKeyId,
          S3_SECRET_ACCESS_KEY: secrets.s3SecretAccessKey,
        }
      : {
          S3_BUCKET: own,
          S3_ACCESS_KEY_ID: config.DARKROOM_S3_ACCESS_KEY_ID ?? '',
          S3_SECRET_ACCESS_KEY: config.DARKROOM_S3_SECRET_ACCESS_KEY ?? '',
        }),
    ...(smtpUrl ? { SMTP_URL: smtpUrl } : { MAIL_FOLDER: mailFolder }),
    ...(limitRequests ? {} : { AUTH_ATTEMPTS_PER_MINUTE: String(UNLIMITED_ATTEMPTS) }),
    ENCRYPTION_KEY: secrets.encryptionKey,
    MODELS_DIR: options.modelsFolder,
    ...('lancedb' in vectors ? { LANCEDB_PATH: vectors.lancedb } : undefined),
    ...('qdrant' in vectors ? { QDRANT_URL: `http://127.0.0.1:${ports.qdrant}` } : undefined),
    ...('url' in vectors
      ? { QDRANT_URL: vectors.url, QDRANT_API_KEY: config.DARKROOM_QDRANT_API_KEY ?? '' }
      : undefined),
  };
}
