import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { UNLIMITED } from '../../domain/accounts/tiers.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import {
  credentialsAreSeeded,
  seedTenants,
  type SeedCredentials,
} from '../../services/accounts/seed-tenants.ts';
import { startRebuildChunkIndex } from '../../temporal/starters/rebuild-chunk-index.ts';
import { startRebuildImageIndex } from '../../temporal/starters/rebuild-image-index.ts';
import { startPurge } from '../../temporal/starters/purge-files.ts';
import { createEngine, type Engine } from '../../temporal/client.ts';
import { temporalConfig } from '../../temporal/config.ts';
import { CannotBegin } from '../shared/cannot-begin.ts';
import { readFlags, wholeNumber } from '../shared/flags.ts';
import { runCommand } from '../shared/run-command.ts';

const HELP = `Usage: node cli/admin/main.ts COMMAND

  seed --credentials FILE [--unlimited-requests]
                           creates one tenant per tier and writes their keys and passwords to FILE, readable only by its
                           owner; changes nothing if the tenants in FILE already exist; without rate limits for tests
  rebuild-index            starts the workflow that adds every image to the similarity index again
  rebuild-chunks           starts the workflow that adds every document to the search index of the configured model
  purge --older-than DAYS  starts the workflow that permanently removes files that have been in the trash for DAYS days;
                           0 removes everything deleted at least an hour ago`;
const FLAGS = {
  credentials: { type: 'string' },
  'unlimited-requests': { type: 'boolean' },
  'older-than': { type: 'string' },
} as const;
const MAX_DAYS = 9999;

await runCommand(HELP, async () => {
  const given = readFlags(process.argv.slice(2), FLAGS, 1);
  if (!given) return undefined;
  const { credentials, 'unlimited-requests': unlimited = false, 'older-than': days } = given.values;
  const [command] = given.positionals;
  if (command === 'seed' && credentials) return seed(credentials, unlimited ? UNLIMITED : null);
  if (command === 'rebuild-index') return rebuild(startRebuildImageIndex);
  if (command === 'rebuild-chunks') return rebuild(startRebuildChunkIndex);
  if (command === 'purge' && days) return purge(wholeNumber('--older-than', days, 0, MAX_DAYS));
  throw new CannotBegin(HELP);
});

async function seed(file: string, maxRequestsPerMinute: number | null): Promise<number> {
  const orm = createOrm(readConfig([databaseConfig], process.env));
  try {
    const em = orm.em.fork();
    const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as SeedCredentials) : undefined;
    if (known && (await credentialsAreSeeded(em, known))) {
      console.log('The tenants already exist; nothing changed.');
    } else {
      writeFileSync(file, `${JSON.stringify(await seedTenants(em, { maxRequestsPerMinute }), null, 2)}\n`, {
        mode: 0o600,
      });
      console.log(`Created the tenants. Their keys are in ${file}.`);
    }
    return 0;
  } finally {
    await orm.close(true);
  }
}

async function rebuild(start: (engine: Engine) => Promise<string>): Promise<number> {
  const engine = createEngine(readConfig([temporalConfig], process.env));
  try {
    const workflowId = await start(engine);
    console.log(`The rebuild is running as workflow ${workflowId}.`);
    return 0;
  } finally {
    await engine.close();
  }
}

async function purge(days: number): Promise<number> {
  const engine = createEngine(readConfig([temporalConfig], process.env));
  try {
    const workflowId = await startPurge(engine, days);
    if (workflowId) console.log(`The purge is running as workflow ${workflowId}.`);
    else console.error('An earlier purge is still running; try again when it has ended.');
    return workflowId ? 0 : 1;
  } finally {
    await engine.close();
  }
}
