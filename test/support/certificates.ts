import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';

/** A certificate and its key in PEM, and the files that hold them. */
export interface Certificate {
  cert: string;
  key: string;
  certFile: string;
  keyFile: string;
}

/** A certificate authority that clients do not trust by default. */
export interface Authority extends Certificate {
  /** Issues a certificate for clients and for servers named `localhost`, `bucket.localhost` and 127.0.0.1. */
  issue(name: string): Promise<Certificate>;
}

const OPTIONS = { keyType: 'ec', algorithm: 'sha256' } as const;

/** @param folder for the PEM files */
export async function createAuthority(folder: string, name = 'authority'): Promise<Authority> {
  const save = async (file: string, { cert, private: key }: { cert: string; private: string }) => {
    const saved = {
      cert,
      key,
      certFile: join(folder, `${file}.pem`),
      keyFile: join(folder, `${file}-key.pem`),
    };
    await writeFile(saved.certFile, cert);
    await writeFile(saved.keyFile, key, { mode: 0o600 });
    return saved;
  };
  const own = await generate([{ name: 'commonName', value: name }], {
    ...OPTIONS,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, digitalSignature: true, critical: true },
    ],
  });
  const ca = { key: own.private, cert: own.cert };
  return {
    ...(await save(name, own)),
    issue: async (subject) =>
      save(
        subject,
        await generate([{ name: 'commonName', value: subject }], {
          ...OPTIONS,
          ca,
          extensions: [
            { name: 'basicConstraints', cA: false },
            { name: 'keyUsage', digitalSignature: true },
            { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
            {
              name: 'subjectAltName',
              altNames: [
                { type: 2, value: 'localhost' },
                { type: 2, value: 'bucket.localhost' },
                { type: 7, ip: '127.0.0.1' },
              ],
            },
          ],
        }),
      ),
  };
}
