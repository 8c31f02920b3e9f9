import type { z } from 'zod';
import { encryptionConfig } from '../../adapters/encryption/config.ts';
import { googleConfig } from '../../adapters/google-sheets/config.ts';
import { mailConfig } from '../../adapters/mail/config.ts';
import { imageEmbeddingConfig } from '../../adapters/models/image-embedding/config.ts';
import { onnxConfig } from '../../engines/onnx/config.ts';
import { ocrConfig } from '../../engines/text-recogniser/config.ts';
import { textEmbeddingConfig } from '../../adapters/models/text-embedding/config.ts';
import { visionConfig } from '../../adapters/models/vision/config.ts';
import { s3Config } from '../../adapters/object-store/config.ts';
import { oidcConfig } from '../../adapters/oidc/config.ts';
import { outboundConfig } from '../../adapters/outbound/config.ts';
import { chromiumConfig } from '../../adapters/browser/config.ts';
import { ffmpegConfig } from '../../engines/video-reader/config.ts';
import { sourceFolderConfig } from '../../adapters/source-folder/config.ts';
import { tracingConfig } from '../../adapters/tracing/config.ts';
import { vectorConfig } from '../../adapters/vector-index/config.ts';
import { webFetchConfig } from '../../adapters/web-fetch/config.ts';
import { apiConfig } from '../../api/config.ts';
import { API_SETTINGS } from '../../api/settings.ts';
import { databaseConfig } from '../../db/config.ts';
import { devConfig } from '../../dev/config.ts';
import { temporalConfig } from '../../temporal/config.ts';
import { workerConfig } from '../../worker/config.ts';
import { WORKER_SETTINGS } from '../../worker/settings.ts';

/** A setting that several slices share is listed once, with the description in the first slice. */
const SECTIONS: readonly [title: string, ...slices: z.ZodObject[]][] = [
  ['The API', apiConfig],
  ['Workers', workerConfig],
  ['Postgres', databaseConfig],
  ['Temporal', temporalConfig],
  ['Object store', s3Config],
  ['Vector index', vectorConfig],
  ['Secrets of tenants', encryptionConfig],
  ['Vision models', visionConfig],
  ['Models', onnxConfig],
  ['Embeddings', textEmbeddingConfig, imageEmbeddingConfig],
  ['Text recognition', ocrConfig],
  ['Videos', ffmpegConfig],
  ['Screenshots', chromiumConfig],
  ['Connections to third parties', outboundConfig, webFetchConfig],
  ['Imports', sourceFolderConfig],
  ['Email', mailConfig],
  ['Login through a provider', oidcConfig],
  ['Exports to Google', googleConfig],
  ['Traces', tracingConfig],
  ['The stack of `npm start`', devConfig],
];

const READERS: readonly [name: string, slices: readonly z.ZodObject[]][] = [
  ['API', API_SETTINGS],
  ['workers', WORKER_SETTINGS],
  ['`npm start`', [devConfig]],
];

const INTRODUCTION = `# Configuration

Every setting is an environment variable; \`npm run docs\` writes this page from the code, and a test fails when they differ.
\`npm start\` needs no settings: it provides the required ones and passes through those in its environment. \`docker compose\`
reads them from \`.env\`; \`.env.example\` also lists settings that only compose reads. An empty value means the default. Instead of \`NAME\`,
\`NAME_FILE\` may name a file with the value. Brackets have the default, and what reads the setting. \`npm run doctor\` reports every missing or malformed setting at once.

Two runtime variables also apply: \`NODE_EXTRA_CA_CERTS\`, a file with your own certificate authority, which is used for all
servers except Temporal, and \`MALLOC_ARENA_MAX\`, which is 2 in the image and with \`npm start\`: more arenas of glibc let the memory of the
workers rise for hours.
`;

/** docs/configuration.md: each setting of the API, the workers and the launcher with its default, its readers and its meaning. */
export function configurationPage(): string {
  const listed = new Set<string>();
  const sections = SECTIONS.map(([title, ...slices]) => {
    const settings = slices.flatMap((slice) => Object.entries(slice.shape as Record<string, z.ZodType>));
    const lines = settings
      .filter(([name]) => !listed.has(name))
      .map(([name, schema]) => lineOf(name, schema));
    for (const [name] of settings) listed.add(name);
    return `## ${title}\n\n${lines.join('\n')}\n`;
  });
  return [INTRODUCTION, ...sections].join('\n');
}

/** @throws Error for a setting without a description */
function lineOf(name: string, schema: z.ZodType): string {
  const { description, shownDefault } = schema.meta() ?? {};
  if (description === undefined) throw new Error(`${name} has no description: add .describe() to its slice`);
  const readers = READERS.filter(([, slices]) => slices.some((slice) => Object.hasOwn(slice.shape, name)));
  const value = typeof shownDefault === 'string' ? shownDefault : defaultOf(schema);
  return `- \`${name}\` (${value}; ${readers.map(([reader]) => reader).join(', ')}): ${description}`;
}

/** The default of a schema, found below its transforms. */
function defaultOf(schema: z.ZodType): string {
  for (let at: Wrapper | undefined = schema; at; at = at.def.innerType ?? at.def.in) {
    if (at.def.type === 'optional') return '–';
    if (at.def.type === 'default')
      return at.def.defaultValue === '' ? '–' : `\`${String(at.def.defaultValue)}\``;
  }
  return '**required**';
}
interface Wrapper {
  def: { type: string; defaultValue?: unknown; innerType?: Wrapper; in?: Wrapper };
}
