import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { googleConfig } from '../../../adapters/google-sheets/config.ts';
import { ocrConfig } from '../../../engines/text-recogniser/config.ts';
import { databaseConfig } from '../../../db/config.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { workerConfig } from '../../../worker/config.ts';
import { mailConfig } from '../../../adapters/mail/config.ts';
import { API_SETTINGS } from '../../../api/settings.ts';
import { WORKER_SETTINGS } from '../../../worker/settings.ts';

/**
 * Without a container engine: `test/compose` runs the containers. These tests check the file against the Compose Specification's
 * schema, the settings of the code, .env.example and the Dockerfile.
 */
interface Service {
  image: string;
  build?: string;
  command?: string[];
  profiles?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string; required?: boolean }>;
  ports?: string[];
  healthcheck?: { test: string[] };
  restart: string;
  read_only?: boolean;
  cap_drop?: string[];
  logging?: object;
  deploy?: { resources: { limits: { memory: string } } };
  volumes?: string[];
}

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const text = read('docker-compose.yml');
const compose = parse(text, { merge: true }) as { services: Record<string, Service>; volumes: object };
const services = Object.entries(compose.services);
const ours = services.filter(([, { build }]) => build !== undefined);
const oneShot = (name: string) =>
  services.some(([, { depends_on: needs }]) => needs?.[name]?.condition === 'service_completed_successfully');

/** The settings of .env.example, with a value for each secret. */
const example: Record<string, string> = Object.fromEntries(
  Array.from(read('.env.example').matchAll(/^([A-Z][A-Z0-9_]*)=(.*)$/gm), ([, name = '', value = '']) => [
    name,
    value,
  ]),
);
const SECRETS = ['POSTGRES_PASSWORD', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY', 'QDRANT_API_KEY'];
const filledIn: Record<string, string> = {
  ...example,
  ...Object.fromEntries(SECRETS.map((name) => [name, 'secret'])),
  ENCRYPTION_KEY: `a:${Buffer.alloc(32, 1).toString('base64')}`,
};

/** `${NAME:-default}` and `${NAME:?message}`, innermost first. */
function interpolate(value: string, env: Record<string, string>): string {
  const next = value.replaceAll(
    /\$\{(\w+)(?::([-?])([^${}]*))?\}/g,
    (_, name: string, kind: string | undefined, rest: string) => {
      if (env[name]) return env[name];
      return kind === '-' ? rest : '';
    },
  );
  return next === value ? value : interpolate(next, env);
}
const environmentOf = (name: string, env = filledIn) =>
  Object.fromEntries(
    Object.entries(compose.services[name]?.environment ?? {}).map(([key, value]) => [
      key,
      interpolate(value, env),
    ]),
  );

/** One-shot services read some of these. */
const SHARED = WORKER_SETTINGS.filter(
  (slice) => ![workerConfig, ocrConfig, mailConfig, googleConfig].some((own) => own === slice),
);
/** Programs and the settings they read. */
const SLICES = {
  api: API_SETTINGS,
  worker: WORKER_SETTINGS,
};
const sliceOf = (command: string[]) =>
  command.includes('api/main.ts') ? SLICES.api : command.includes('worker/main.ts') ? SLICES.worker : SHARED;
/** Read by Node.js. */
const OF_NODE = ['NODE_ENV', 'NODE_EXTRA_CA_CERTS'];
/**
 * Settings of an embedded stack: in this file, Qdrant holds the vectors, and another container has the disk
 * of the store.
 */
const EMBEDDED = ['LANCEDB_PATH', 'S3_DATA_FOLDER', 'MAIL_FOLDER'];

test('docker-compose.yml matches the schema of the Compose Specification', () => {
  const schema = JSON.parse(read('test/unit/project/compose-spec.json')) as object;
  const valid = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
  assert.ok(valid(parse(text, { merge: true })), JSON.stringify(valid.errors, null, 2));
});

describe('the environment of our services', () => {
  for (const [name, { command = [] }] of ours.filter(([each]) => each !== 's3-keys')) {
    const slices = sliceOf(command);
    const known = slices.flatMap((slice) => Object.keys(slice.shape));

    test(`${name}: every key is a setting of some program`, () => {
      const all = new Set([...SLICES.api, ...SLICES.worker].flatMap((slice) => Object.keys(slice.shape)));
      const unknown = Object.keys(environmentOf(name)).filter(
        (key) => !all.has(key) && !OF_NODE.includes(key),
      );
      assert.deepEqual(unknown, []);
    });

    test(`${name}: every setting of its program can be set`, () => {
      const given = environmentOf(name);
      assert.deepEqual(
        known.filter((key) => !(key in given) && !EMBEDDED.includes(key)),
        [],
      );
    });

    test(`${name}: its program accepts the values of .env.example`, () => {
      const config = readConfig(slices, environmentOf(name));
      assert.ok(Object.keys(config).length > 0);
    });
  }

  test('a managed database and engine replace those in the file', () => {
    const managed = {
      ...filledIn,
      DATABASE_URL: 'postgresql://u:p@pooler.example.com/db?sslmode=require',
      DATABASE_DIRECT_URL: 'postgresql://u:p@db.example.com/db?sslmode=require',
      TEMPORAL_ADDRESS: 'ours.example.com:7233',
      TEMPORAL_API_KEY: 'key',
    };
    const config = readConfig([databaseConfig, temporalConfig], environmentOf('worker', managed));
    assert.equal(config.DATABASE_URL, 'postgresql://u:p@pooler.example.com/db?sslmode=verify-full');
    assert.equal(config.TEMPORAL_ADDRESS, 'ours.example.com:7233');
  });
});

test('.env.example has exactly the variables of docker-compose.yml', () => {
  // Read by Compose.
  const used = new Set([
    'COMPOSE_PROFILES',
    ...Array.from(text.matchAll(/\$\{(\w+)/g), ([, name = '']) => name),
  ]);
  assert.deepEqual(Object.keys(example).toSorted(), [...used].toSorted());
});

test('every server can be omitted, and services wait only for servers that run', () => {
  const profiles = new Set(services.flatMap(([, { profiles: names = [] }]) => names));
  assert.deepEqual([...profiles].toSorted(), example['COMPOSE_PROFILES']?.split(',').toSorted());
  for (const [name, { profiles: own = [], depends_on: needs = {} }] of services) {
    for (const [needed, { required = true }] of Object.entries(needs)) {
      const theirs = compose.services[needed]?.profiles ?? [];
      // Temporal keeps its own data in the Postgres server of this file.
      const together = theirs.every((each) => own.includes(each)) || name === 'temporal-schema';
      assert.ok(!required || together, `${name} requires ${needed}, which may be omitted`);
    }
  }
});

describe('every service', () => {
  for (const [name, service] of services) {
    test(`${name}: has a pinned image, a restart policy, a health check, and limits on logs and memory`, () => {
      if (service.build === undefined) assert.match(service.image, /:v?\d+\.\d+/);
      assert.ok(service.logging, 'the logs are not limited');
      if (oneShot(name)) {
        assert.equal(service.restart, 'on-failure:5');
        return;
      }
      assert.equal(service.restart, 'unless-stopped');
      assert.match(service.deploy?.resources.limits.memory ?? '', /^\d+[mg]$/);
      // The image of the UI has no program for a health check.
      if (name !== 'temporal-ui') assert.ok(service.healthcheck, 'no health check');
    });
  }

  test('our services write only to /tmp and their volumes and have no capabilities', () => {
    assert.ok(ours.length >= 6);
    for (const [, service] of ours) {
      assert.equal(service.read_only, true);
      assert.deepEqual(service.cap_drop, ['ALL']);
    }
  });

  test('published ports use the address from .env, and scaled services publish none', () => {
    for (const [name, { ports = [] }] of services) {
      for (const port of ports) assert.match(port, /^(\$\{BIND_ADDRESS:-127\.0\.0\.1\}|127\.0\.0\.1):/, name);
      const { deploy } = compose.services[name] as { deploy?: { replicas?: string } };
      assert.ok(deploy?.replicas === undefined || ports.length === 0, `${name} cannot be scaled`);
    }
  });
});

describe('the image', () => {
  const dockerfile = read('Dockerfile');

  test('contains the commands that it runs, and runs them as an unprivileged user', () => {
    const copied = Array.from(dockerfile.matchAll(/^COPY (\S+) \.\/\S+$/gm), ([, path = '']) => path);
    const [, own = '[]'] = /^CMD (.+)$/m.exec(dockerfile) ?? [];
    for (const [, { command = JSON.parse(own) as string[] }] of ours) {
      const main = command.find((part) => part.endsWith('.ts')) ?? '';
      assert.ok(copied.includes(main.split('/')[0] ?? ''), main);
      assert.ok(read(main).length > 0);
    }
    const stages = dockerfile.split(/^FROM /m).slice(1);
    assert.equal(stages.length, 5);
    assert.match(stages.at(-1) ?? '', /^USER node$/m);
  });

  test('runs the API by default, as `npm start` does', () => {
    const [, command = ''] = /^CMD \["node", (.+)\]$/m.exec(dockerfile) ?? [];
    assert.match(
      read('dev/launcher/start-apps.ts'),
      new RegExp(`args: \\[${command.replaceAll('"', "'")}\\]`),
    );
    assert.equal(compose.services['api']?.command, undefined);
  });

  test('has the pinned Node.js version, and the files that Compose refers to', () => {
    const { optionalDependencies } = JSON.parse(read('package.json')) as {
      optionalDependencies: Record<string, string>;
    };
    const systems = Object.keys(optionalDependencies).filter((name) => name.startsWith('node-linux-'));
    assert.equal(systems.length, 2);
    for (const [, version] of dockerfile.matchAll(/^FROM node:([\d.]+)-/gm)) {
      for (const name of systems) assert.equal(version, optionalDependencies[name]);
    }
    for (const name of ['WORKFLOW_BUNDLE', 'FFMPEG_PATH']) {
      const path = environmentOf('worker')[name];
      assert.match(dockerfile, new RegExp(`^ENV ${name}=${path}$`, 'm'));
    }
  });
});
