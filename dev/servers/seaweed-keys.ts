import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';

/** SeaweedFS reads it from its working directory. */
const SECURITY_FILE = 'security.toml';
/** Self-signed, so it is its own authority. */
export const CERTIFICATE_FILE = 'internal-cert.pem';
export const KEY_FILE = 'internal-key.pem';
const GRPC_PARTS = ['master', 'volume', 'filer', 's3', 'admin', 'worker', 'client'];

/**
 * Makes SeaweedFS accept requests of other programs only on its S3 port, where they need a signature. By default each of
 * its servers answers anyone who reaches its port, which on loopback is every user of the machine and every web page in
 * a browser.
 *
 * Writes the keys that its servers use among themselves, unless the folder has them: tokens for the HTTP ports of filer
 * and volume server, and a certificate for all gRPC ports and for the HTTP port of the master, which knows no tokens.
 *
 * @param folder the working directory of SeaweedFS
 * @param mode   of the files: readable by others only where SeaweedFS runs as another user in a container of its own
 */
export async function writeSeaweedKeys(folder: string, mode = 0o600): Promise<void> {
  const target = join(folder, SECURITY_FILE);
  if (existsSync(target)) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'seaweedfs-internal' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate: new Date('2099-12-31T00:00:00Z'),
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: true },
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
    ],
  });
  await writeFile(join(folder, CERTIFICATE_FILE), cert, { mode });
  await writeFile(join(folder, KEY_FILE), key, { mode });
  // Last and at once, because its existence says that all is there.
  const draft = `${target}.draft`;
  await writeFile(draft, securityToml(), { mode });
  await rename(draft, target);
}

/** Paths are relative to the folder, which may be moved. */
function securityToml(): string {
  const token = (name: string) => section(name, { key: randomBytes(32).toString('base64url') });
  const pair = { cert: CERTIFICATE_FILE, key: KEY_FILE };
  return [
    ...['jwt.signing', 'jwt.signing.read', 'jwt.filer_signing', 'jwt.filer_signing.read'].map(token),
    section('https.master', { ...pair, ca: CERTIFICATE_FILE }),
    section('grpc', { ca: CERTIFICATE_FILE }),
    ...GRPC_PARTS.map((name) => section(`grpc.${name}`, pair)),
  ].join('\n');
}

/** JSON strings are valid in TOML. */
function section(name: string, values: Record<string, string>): string {
  const lines = Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
  return `[${name}]\n${lines.join('')}`;
}
