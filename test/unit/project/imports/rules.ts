/** What the modules of a folder may import; those of the same folder always. */
export interface Rule {
  /** Folders, by the names of their rules. */
  may: readonly string[];
  /** Folders of which they may import types alone. */
  types?: readonly string[];
  packages?: readonly string[];
  /** False where code must also run in the workflow sandbox. */
  builtins?: false;
}

/** By folder; the longest name that fits a path counts, and `*` stands for one folder of any name. */
export type Rules = Readonly<Record<string, Rule>>;

/** Each may import those above it. */
const SERVICES = [
  'shared',
  'accounts',
  'files',
  'processing',
  'upload-sessions',
  'uploads',
  'legacy-batches',
  'similarity',
  'trash',
] as const;

const DOMAIN = ['domain', 'domain/schemas'];
const DB = ['db', 'db/entities'];
const ENGINE = ['temporal', 'temporal/contract'];
const BELOW_SERVICES = [...DOMAIN, ...ENGINE, ...DB, 'adapters'];
const services = (names: readonly string[]) => names.map((name) => `services/${name}`);
/** All but recovery and the audit. */
const ORDINARY_SERVICES = services(SERVICES);
/** What stands on services may import. */
const FROM_SERVICES_ON = [...BELOW_SERVICES, ...ORDINARY_SERVICES];
const SOURCES = [
  ...BELOW_SERVICES,
  ...ORDINARY_SERVICES,
  ...services(['recovery', 'audit']),
  'db/migrations',
  'workflows',
  'activities',
  'worker',
  'api',
  'api/routes',
  'api/routes/*',
  'api/routes/legacy',
  'cli',
  'dev',
  'bench',
];

const MIKRO_ORM = ['@mikro-orm/core', '@mikro-orm/postgresql'];
const SERVICE_PACKAGES = [...MIKRO_ORM, '@temporalio/client', '@temporalio/common'];
const TEST_PACKAGES = ['fast-check', 'minio', 'pino', 'sharp', 'ws', 'zod'];
const TEMPORAL_PACKAGES = ['activity', 'client', 'common', 'proto', 'testing', 'worker'].map(
  (name) => `@temporalio/${name}`,
);

export const RULES: Rules = {
  domain: { may: [], builtins: false },
  'domain/schemas': { may: ['domain'], packages: ['zod'] },

  'temporal/contract': { may: ['domain'], packages: ['@temporalio/common'], builtins: false },
  temporal: {
    may: ['temporal/contract', ...DOMAIN],
    packages: ['@temporalio/client', '@temporalio/common', '@temporalio/proto', 'zod'],
  },
  workflows: {
    may: ['temporal/contract', 'domain'],
    types: ['activities'],
    packages: ['@temporalio/workflow'],
    builtins: false,
  },
  activities: {
    may: [...FROM_SERVICES_ON, 'services/recovery'],
    packages: ['@temporalio/activity', '@temporalio/common'],
  },
  worker: {
    may: ['activities', ...FROM_SERVICES_ON],
    packages: [
      '@temporalio/activity',
      '@temporalio/client',
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
  // What brings everything back in line knows everything; nothing that it repairs may depend on it.
  'services/recovery': { may: FROM_SERVICES_ON, packages: SERVICE_PACKAGES },
  'services/audit': { may: FROM_SERVICES_ON, packages: SERVICE_PACKAGES },

  adapters: {
    may: DOMAIN,
    packages: [
      '@lancedb/lancedb',
      '@qdrant/js-client-rest',
      'apache-arrow',
      'aws4fetch',
      'blurhash',
      'file-type',
      'minio',
      'openai',
      'sharp',
      'tesseract.js',
      'zod',
    ],
  },

  db: {
    may: ['db/entities', 'db/migrations', ...DOMAIN],
    packages: [...MIKRO_ORM, '@mikro-orm/migrations', 'zod'],
  },
  'db/entities': { may: DOMAIN, packages: MIKRO_ORM },
  'db/migrations': { may: [], packages: ['@mikro-orm/migrations'] },

  api: {
    may: ['api/routes', 'api/routes/*', 'api/routes/legacy', ...FROM_SERVICES_ON, 'services/recovery'],
    packages: [
      '@fastify/busboy',
      '@koa/router',
      '@mikro-orm/postgresql',
      'koa',
      'koa-body',
      'koa-helmet',
      'pino',
      'prom-client',
      'rate-limiter-flexible',
      'ws',
      'zod',
      'zod-openapi',
    ],
  },
  'api/routes': { may: ['api', 'api/routes/*', 'api/routes/legacy'] },
  // A route asks services and answers by a presenter: it reads no table, and what two routes share is no route's.
  'api/routes/*': {
    may: ['api', 'api/routes', ...FROM_SERVICES_ON.filter((folder) => folder !== 'db/entities')],
    packages: ['@koa/router', 'koa', 'prom-client', 'zod', 'zod-openapi'],
  },
  // Other addresses of the routes of today.
  'api/routes/legacy': {
    may: [
      'api',
      'api/routes',
      'api/routes/*',
      ...FROM_SERVICES_ON.filter((folder) => folder !== 'db/entities'),
    ],
    packages: ['zod'],
  },

  cli: {
    may: [...FROM_SERVICES_ON, 'services/audit', 'dev'],
    packages: ['@temporalio/client', '@temporalio/proto', 'cli-progress', 'sharp'],
  },
  dev: {
    may: BELOW_SERVICES,
    packages: [
      '@temporalio/client',
      '@temporalio/common',
      '@temporalio/testing',
      'cli-progress',
      'minio',
      'sharp',
      'zod',
    ],
  },
  bench: {
    may: [...FROM_SERVICES_ON, 'activities', 'worker', 'workflows', 'cli', 'dev'],
    packages: [
      '@lancedb/lancedb',
      '@mikro-orm/postgresql',
      '@temporalio/client',
      '@temporalio/common',
      '@temporalio/proto',
      '@temporalio/testing',
      '@temporalio/worker',
      '@temporalio/workflow',
      'minio',
      'sharp',
    ],
  },

  // The client of others depends on the contract alone.
  sdk: { may: [] },

  test: { may: ['dev'] },
  'test/support': {
    may: SOURCES,
    packages: [...TEST_PACKAGES, ...TEMPORAL_PACKAGES, '@mikro-orm/postgresql'],
  },
  // Speaks HTTP, as a client in another language does; nor may a helper that it uses import sources.
  'test/acceptance': { may: ['test/support'], packages: ['sharp'] },
  'test/*': {
    may: [...SOURCES, 'test/support'],
    packages: [...TEST_PACKAGES, ...TEMPORAL_PACKAGES, ...MIKRO_ORM, 'blurhash', 'koa'],
  },
};

/** What these folders reach, by whatever way, must lie below `test`. */
export const BLIND_FOLDERS = ['test/acceptance/'];
