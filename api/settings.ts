import { encryptionConfig } from '../adapters/encryption/config.ts';
import { googleConfig } from '../adapters/google-sheets/config.ts';
import { imageEmbeddingConfig } from '../adapters/models/image-embedding/config.ts';
import { textEmbeddingConfig } from '../adapters/models/text-embedding/config.ts';
import { visionConfig } from '../adapters/models/vision/config.ts';
import { s3Config } from '../adapters/object-store/config.ts';
import { oidcConfig } from '../adapters/oidc/config.ts';
import { outboundConfig } from '../adapters/outbound/config.ts';
import { sourceFolderConfig } from '../adapters/source-folder/config.ts';
import { tracingConfig } from '../adapters/tracing/config.ts';
import { vectorConfig } from '../adapters/vector-index/config.ts';
import { webFetchConfig } from '../adapters/web-fetch/config.ts';
import { databaseConfig } from '../db/config.ts';
import { temporalConfig } from '../temporal/config.ts';
import { apiConfig } from './config.ts';

/** The slices of everything that the API is configured by. */
export const API_SETTINGS = [
  apiConfig,
  databaseConfig,
  temporalConfig,
  s3Config,
  encryptionConfig,
  outboundConfig,
  sourceFolderConfig,
  vectorConfig,
  visionConfig,
  textEmbeddingConfig,
  imageEmbeddingConfig,
  oidcConfig,
  googleConfig,
  webFetchConfig.pick({ WEB_FETCH_ALLOWED_NETWORKS: true }),
  tracingConfig,
] as const;
