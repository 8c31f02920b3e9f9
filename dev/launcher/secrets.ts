import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readJson, writeJson } from '../processes/json-file.ts';

export const SECRETS_FILE = 'secrets.json';

/** Created once per home folder and stored in it, readable only by its owner. */
export interface Secrets {
  /** Identifies this home among all on the machine. */
  homeId: string;
  postgresPassword: string;
  s3AccessKeyId: string;
  s3SecretAccessKey: string;
  /** Encrypts the secrets in the database, see adapters/encryption/config.ts. */
  encryptionKey: string;
}

/** The secrets of a home folder, created at its first start. */
export function keepSecrets(home: string): Secrets {
  const path = join(home, SECRETS_FILE);
  const kept = readJson(path) as Partial<Secrets> | undefined;
  const secrets: Secrets = {
    homeId: randomBytes(6).toString('hex'),
    postgresPassword: randomBytes(24).toString('base64url'),
    s3AccessKeyId: randomBytes(10).toString('hex').toUpperCase(),
    s3SecretAccessKey: randomBytes(30).toString('base64url'),
    encryptionKey: `k1:${randomBytes(32).toString('base64')}`,
    // A home created by an older version lacks newer secrets.
    ...kept,
  };
  if (Object.keys(secrets).length > Object.keys(kept ?? {}).length) writeJson(path, secrets);
  return secrets;
}
