import { encryptionConfig } from '../../adapters/encryption/config.ts';
import { createSecretCipher } from '../../adapters/encryption/secret-cipher.ts';
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
import { rotateEncryptionKey } from '../../services/storage/rotate-encryption-key.ts';
import { startRebuildImageIndex } from '../../temporal/starters/rebuild-image-index.ts';
import { startPurge } from '../../temporal/starters/purge-files.ts';
import { createEngine } from '../../temporal/client.ts';
import { temporalConfig } from '../../temporal/config.ts';
import { CannotBegin } from '../shared/cannot-begin.ts';
import { readFlags, wholeNumber } from '../shared/flags.ts';
import { runCommand } from '../shared/run-command.ts';
import { stackEnv } from '../shared/stack-env.ts';

const HELP = `Usage: node cli/admin/main.ts COMMAND

  seed --credentials FILE [--unlimited-requests]
                           creates one tenant per tier and writes their keys and passwords to FILE, readable only by its
                           owner; changes nothing if the tenants in FILE already exist; without rate limits for tests
  rebuild-index            starts the workflow that adds every image to the similarity index again
  purge --older-than DAYS  starts the workflow that permanently removes files that have been in the trash for DAYS days;
                           0 removes everything deleted at least an hour ago
  rotate-encryption-key    encrypts all secrets of tenants with ENCRYPTION_KEY that are encrypted with one of
                           ENCRYPTION_FORMER_KEYS; safe to repeat, and to interrupt. Exit code 1 if some cannot be decrypted`;
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
  if (command === 'rebuild-index') return rebuildIndex();
  if (command === 'purge' && days) return purge(wholeNumber('--older-than', days, 0, MAX_DAYS));
  if (command === 'rotate-encryption-key') return rotateKey();
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

async function rebuildIndex(): Promise<number> {
  const engine = createEngine(readConfig([temporalConfig], process.env));
  try {
    const workflowId = await startRebuildImageIndex(engine);
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

async function rotateKey(): Promise<number> {
  // The key of a stack on this machine, unless the environment names another.
  const env = { ...stackEnv(process.env), ...process.env };
  const config = readConfig([databaseConfig, encryptionConfig], env);
  const orm = createOrm(config);
  try {
    const cipher = createSecretCipher(config);
    const { rotated, unreadable } = await rotateEncryptionKey(orm.em.fork(), cipher, (progress) =>
      console.log(`${progress.rotated} secrets encrypted with key "${cipher.currentKeyId}" so far.`),
    );
    for (const { id, tenantId, reason } of unreadable) {
      console.error(`The credentials of storage configuration ${id} of tenant ${tenantId}: ${reason}.`);
    }
    const rest =
      unreadable.length === 0
        ? 'Former keys are no longer needed.'
        : `${unreadable.length} could not be decrypted.`;
    console.log(`Done: ${rotated} secrets encrypted with key "${cipher.currentKeyId}". ${rest}`);
    return unreadable.length === 0 ? 0 : 1;
  } finally {
    await orm.close(true);
  }
}
