import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import {
  credentialsAreSeeded,
  seedTenants,
  type SeedCredentials,
} from '../../services/accounts/seed-tenants.ts';
import { startRebuildImageIndex } from '../../temporal/starters/rebuild-image-index.ts';
import { startPurge } from '../../temporal/starters/purge-files.ts';
import { createEngine } from '../../temporal/client.ts';
import { temporalConfig } from '../../temporal/config.ts';

/**
 * `node cli/admin/main.ts seed --credentials FILE`: creates one tenant a tier and writes their keys and passwords to FILE,
 * readable by its owner alone. With a FILE whose tenants are there already, it changes nothing.
 *
 * `node cli/admin/main.ts rebuild-index`: starts the workflow that puts every image back into the similarity index.
 *
 * `node cli/admin/main.ts purge --older-than DAYS`: starts the workflow that removes for good what has been in the trash for so
 * many days, 0 for everything that was deleted an hour ago or earlier.
 */
const USAGE = `usage: node cli/admin/main.ts seed --credentials FILE
       node cli/admin/main.ts rebuild-index
       node cli/admin/main.ts purge --older-than DAYS`;

const { values, positionals } = parseArgs({
  options: { credentials: { type: 'string' }, 'older-than': { type: 'string' } },
  allowPositionals: true,
});
const [command] = positionals;
if (command === 'seed' && values.credentials) await seed(values.credentials);
else if (command === 'rebuild-index') await rebuildIndex();
else if (command === 'purge' && /^\d{1,4}$/.test(values['older-than'] ?? '')) {
  await purge(Number(values['older-than']));
} else {
  console.error(USAGE);
  process.exit(2);
}

async function seed(file: string): Promise<void> {
  const orm = createOrm(readConfig([databaseConfig], process.env));
  try {
    const em = orm.em.fork();
    const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as SeedCredentials) : undefined;
    if (known && (await credentialsAreSeeded(em, known))) {
      console.log('Tenants are there already.');
    } else {
      writeFileSync(file, `${JSON.stringify(await seedTenants(em), null, 2)}\n`, { mode: 0o600 });
      console.log(`Created the tenants; their keys are in ${file}.`);
    }
  } finally {
    await orm.close(true);
  }
}

async function rebuildIndex(): Promise<void> {
  const engine = createEngine(readConfig([temporalConfig], process.env));
  try {
    const workflowId = await startRebuildImageIndex(engine);
    console.log(`The rebuild runs as workflow ${workflowId}.`);
  } finally {
    await engine.close();
  }
}

async function purge(days: number): Promise<void> {
  const engine = createEngine(readConfig([temporalConfig], process.env));
  try {
    const workflowId = await startPurge(engine, days);
    if (workflowId) return console.log(`The purge runs as workflow ${workflowId}.`);
    console.error('A purge that was asked for earlier still runs; ask again when it has ended.');
    process.exitCode = 1;
  } finally {
    await engine.close();
  }
}
