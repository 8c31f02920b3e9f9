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
}

/** The secrets of a home folder, created at its first start. */
export function keepSecrets(home: string): Secrets {
  const path = join(home, SECRETS_FILE);
  const kept = readJson(path) as Secrets | undefined;
  if (kept !== undefined) return kept;
  const made: Secrets = {
    homeId: randomBytes(6).toString('hex'),
    postgresPassword: randomBytes(24).toString('base64url'),
    s3AccessKeyId: randomBytes(10).toString('hex').toUpperCase(),
    s3SecretAccessKey: randomBytes(30).toString('base64url'),
  };
  writeJson(path, made);
  return made;
}
