import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { databaseConfig } from '../db/config.ts';
import { createOrm } from '../db/create-orm.ts';
import { readConfig } from '../domain/schemas/read-config.ts';
import { credentialsAreSeeded, seedTenants } from '../services/seed-tenants.ts';
import type { SeedCredentials } from '../services/seed-tenants.ts';

/**
 * `node cli/admin.ts seed --credentials FILE`: creates one tenant a tier and writes their keys and passwords to FILE,
 * readable by its owner alone. With a FILE whose tenants are there already, it changes nothing.
 */
const { values, positionals } = parseArgs({
  options: { credentials: { type: 'string' } },
  allowPositionals: true,
});
const file = values.credentials;
if (positionals[0] !== 'seed' || !file) {
  console.error('usage: node cli/admin.ts seed --credentials FILE');
  process.exit(2);
}

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
