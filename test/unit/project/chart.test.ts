import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { API_SETTINGS } from '../../../api/settings.ts';
import { QUEUE_NAMES } from '../../../worker/queues.ts';
import { WORKER_SETTINGS } from '../../../worker/settings.ts';

/** What the chart and docker-compose.yml both say. `npm run test:chart` renders the chart. */
interface Component {
  env: Record<string, string>;
  queues: Record<string, number>;
  resources: { limits: { memory: string } };
}
interface Values {
  env: Record<string, string>;
  existingSecret: string;
  api: Component;
  workers: Record<string, Component>;
  networkPolicy: { clients: object[] };
  terminationGracePeriodSeconds: number;
}
interface Compose {
  services: Record<
    string,
    {
      command?: string[];
      environment: Record<string, string>;
      stop_grace_period: string;
      tmpfs: string[];
      deploy: { resources: { limits: { memory: string } } };
    }
  >;
}
interface Schema {
  $defs: { settings: { propertyNames: { not: { enum: string[] } } } };
  properties: {
    workers: { additionalProperties: { properties: { queues: { propertyNames: { enum: string[] } } } } };
  };
}

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const values = parse(read('charts/darkroom/values.yaml')) as Values;
const schema = JSON.parse(read('charts/darkroom/values.schema.json')) as Schema;
const { services } = parse(read('docker-compose.yml'), { merge: true }) as Compose;
const settings = [...API_SETTINGS, ...WORKER_SETTINGS].flatMap((slice) => Object.keys(slice.shape));

test('the groups of workers are those of Compose, with all queues', () => {
  const groups = Object.entries(services).flatMap(([name, { command = [] }]) => {
    const at = command.indexOf('--queues');
    return at < 0 ? [] : [[name, command[at + 1]?.split(',').toSorted()]];
  });
  assert.deepEqual(
    Object.entries(values.workers).map(([name, { queues }]) => [name, Object.keys(queues).toSorted()]),
    groups,
  );
  const known = schema.properties.workers.additionalProperties.properties.queues.propertyNames.enum;
  assert.deepEqual(known.toSorted(), [...QUEUE_NAMES].toSorted());
});

test('memory limits and the time to drain are those of Compose', () => {
  for (const [name, { resources }] of Object.entries({ api: values.api, ...values.workers })) {
    const limit = services[name]?.deploy.resources.limits.memory;
    assert.equal(resources.limits.memory.replace('Gi', 'g'), limit, name);
    assert.equal(`${values.terminationGracePeriodSeconds}s`, services[name]?.stop_grace_period, name);
  }
});

test('the chart names only settings of the programs, and those with the values of Compose', () => {
  const own = [values, values.api, ...Object.values(values.workers)].flatMap(({ env }) =>
    Object.entries(env),
  );
  assert.ok(own.length > 0);
  for (const [name, value] of own) {
    assert.ok(settings.includes(name), name);
    const given = Object.values(services).flatMap(({ environment }) => environment?.[name] ?? []);
    assert.ok(
      given.some((each) => each.includes(value)),
      `${name} is ${value}, in Compose ${given.join()}`,
    );
  }
  for (const name of schema.$defs.settings.propertyNames.not.enum) assert.ok(settings.includes(name), name);
});

test('the values match their schema once the required ones are set', () => {
  const validate = new Ajv({ strict: false }).compile(schema);
  assert.equal(validate(values), false);
  values.existingSecret = 'darkroom';
  values.env = { TEMPORAL_ADDRESS: 'temporal:7233' };
  values.networkPolicy.clients = [{ podSelector: {} }];
  assert.equal(validate(values), true, JSON.stringify(validate.errors, null, 2));
});

test('the version of the application is that of the package, and the temporary folder has the size of that of Compose', () => {
  const { appVersion } = parse(read('charts/darkroom/Chart.yaml')) as { appVersion: string };
  const { version } = JSON.parse(read('package.json')) as { version: string };
  assert.equal(appVersion, version);
  const [, size] = /sizeLimit: (\d+)Mi/.exec(read('charts/darkroom/templates/_helpers.tpl')) ?? [];
  assert.deepEqual(services['api']?.tmpfs, [`/tmp:size=${size}m`]);
});
