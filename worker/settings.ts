import type { z } from 'zod';
import { chromiumConfig } from '../adapters/browser/config.ts';
import { encryptionConfig } from '../adapters/encryption/config.ts';
import { googleConfig } from '../adapters/google-sheets/config.ts';
import { mailConfig } from '../adapters/mail/config.ts';
import { ocrConfig } from '../engines/text-recogniser/config.ts';
import { imageEmbeddingConfig } from '../adapters/models/image-embedding/config.ts';
import { textEmbeddingConfig } from '../adapters/models/text-embedding/config.ts';
import { visionConfig } from '../adapters/models/vision/config.ts';
import { s3Config } from '../adapters/object-store/config.ts';
import { outboundConfig } from '../adapters/outbound/config.ts';
import { sourceFolderConfig } from '../adapters/source-folder/config.ts';
import { tracingConfig } from '../adapters/tracing/config.ts';
import { vectorConfig } from '../adapters/vector-index/config.ts';
import { ffmpegConfig } from '../engines/video-reader/config.ts';
import { webFetchConfig } from '../adapters/web-fetch/config.ts';
import { databaseConfig } from '../db/config.ts';
import { temporalConfig } from '../temporal/config.ts';
import { workerConfig } from './config.ts';

/** The configuration slices of a worker. */
export const WORKER_SETTINGS = [
  workerConfig,
  databaseConfig,
  temporalConfig,
  s3Config,
  encryptionConfig,
  outboundConfig,
  sourceFolderConfig,
  ocrConfig,
  visionConfig,
  textEmbeddingConfig,
  imageEmbeddingConfig,
  vectorConfig,
  mailConfig,
  googleConfig,
  webFetchConfig,
  ffmpegConfig,
  chromiumConfig,
  tracingConfig,
] as const;

type Intersection<Slices> = Slices extends readonly [infer First extends z.ZodObject, ...infer Rest]
  ? z.output<First> & Intersection<Rest>
  : unknown;
export type WorkerSettings = Intersection<typeof WORKER_SETTINGS>;
