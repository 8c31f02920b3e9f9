import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { databaseConfig, directDatabase } from '../../../db/config.ts';
import { ConfigError, readConfig } from '../../../domain/schemas/read-config.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { connectionOptions } from '../../../temporal/connection-options.ts';

const folder = mkdtempSync(join(tmpdir(), 'darkroom-config-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const problems = (env: Record<string, string>) => {
  try {
    readConfig([databaseConfig, temporalConfig], env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
  return [];
};
const URL = 'postgresql://user:secret@db.example.com/darkroom';
const temporal = (env: Record<string, string>) => connectionOptions(readConfig([temporalConfig], env));

test('a setting may be read from a file, without the final line break', () => {
  const config = readConfig([databaseConfig], { DATABASE_URL_FILE: file('url', `${URL}\n`) });
  assert.equal(config.DATABASE_URL, URL);
});

test('an unreadable file and a setting given twice are problems like others', () => {
  const found = problems({
    DATABASE_URL: URL,
    DATABASE_URL_FILE: file('twice', URL),
    TEMPORAL_API_KEY_FILE: join(folder, 'absent'),
  });
  assert.match(found.join('\n'), /DATABASE_URL: is set, and so is DATABASE_URL_FILE/);
  assert.match(found.join('\n'), /TEMPORAL_API_KEY_FILE: ENOENT/);
});

test('every TLS mode of the Postgres URL results in a verified connection', () => {
  for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) {
    const config = readConfig([databaseConfig], { DATABASE_URL: `${URL}?sslmode=${mode}` });
    assert.equal(config.DATABASE_URL, `${URL}?sslmode=verify-full`);
  }
  for (const mode of ['disable', 'no-verify']) {
    const url = `${URL}?sslmode=${mode}`;
    assert.equal(readConfig([databaseConfig], { DATABASE_URL: url }).DATABASE_URL, url);
  }
  assert.match(problems({ DATABASE_URL: `${URL}?sslmode=off` }).join(), /sslmode must be one of/);
  assert.match(
    problems({ DATABASE_URL: `${URL}?sslrootcert=/absent` }).join(),
    /sslrootcert: the file \/absent/,
  );
});

test('migrations and notifications bypass a connection pooler', () => {
  const direct = 'postgresql://user:secret@direct.example.com/darkroom';
  const pooled = readConfig([databaseConfig], { DATABASE_URL: URL, DATABASE_DIRECT_URL: direct });
  assert.equal(directDatabase(pooled).DATABASE_URL, direct);
  assert.equal(directDatabase(readConfig([databaseConfig], { DATABASE_URL: URL })).DATABASE_URL, URL);
});

test('Temporal is encrypted if an API key, a certificate or a server name is given, or if TEMPORAL_TLS is true', () => {
  const [cert, key] = [file('cert.pem', 'CERT'), file('key.pem', 'KEY')];
  assert.equal(temporal({}).tls, undefined);
  assert.deepEqual(temporal({ TEMPORAL_TLS: 'true' }).tls, {});
  assert.deepEqual(temporal({ TEMPORAL_API_KEY: 'k' }), { address: '127.0.0.1:7233', tls: {}, apiKey: 'k' });
  const both = { TEMPORAL_TLS_CLIENT_CERT_PATH: cert, TEMPORAL_TLS_CLIENT_KEY_PATH: key };
  assert.deepEqual(temporal({ ...both, TEMPORAL_TLS_SERVER_NAME: 'name' }).tls, {
    serverNameOverride: 'name',
    clientCertPair: { crt: Buffer.from('CERT'), key: Buffer.from('KEY') },
  });
  assert.match(
    problems({ DATABASE_URL: URL, TEMPORAL_TLS_CLIENT_CERT_PATH: cert }).join(),
    /CLIENT_KEY_PATH: required/,
  );
  const clear = { DATABASE_URL: URL, TEMPORAL_TLS: 'false', TEMPORAL_API_KEY: 'k' };
  assert.match(problems(clear).join(), /clear text/);
});
