import { randomUUID } from 'node:crypto';
import { createSecretCipher } from '../../adapters/encryption/secret-cipher.ts';
import { encryptionConfig } from '../../adapters/encryption/config.ts';
import { s3Config } from '../../adapters/object-store/config.ts';
import { createS3ObjectStore } from '../../adapters/object-store/s3-object-store.ts';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { ExportKind } from '../../domain/exports/export.ts';
import type { ExportFormat } from '../../services/exports/formats/index.ts';
import type { FilesSpec, HistorySpec } from '../../domain/exports/spec.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { createExport } from '../../services/exports/create-export.ts';
import { writeExport } from '../../services/exports/write-export.ts';
import { registerMedia } from '../../services/all-media.ts';

/** The export to write: the first argument of this process, as JSON. */
export interface ExportOrder {
  tenantId: string;
  kind: ExportKind;
  format: ExportFormat;
  spec: FilesSpec | HistorySpec;
}

/** The output of this process on stdout, as JSON. */
export interface ExportFigures {
  records: number;
  milliseconds: number;
  /** Peak minus initial resident memory in MiB. */
  growth: number;
}

const SAMPLE_MS = 10;
const WARM_UP = 2_000;
const MIB = 1024 * 1024;

/**
 * `node lab/bench/write-exports.ts ORDER`: writes a small export and then the requested one, and prints its figures.
 */
const order = JSON.parse(process.argv[2] ?? '') as ExportOrder;
const config = readConfig([databaseConfig, s3Config, encryptionConfig], process.env);
registerMedia();
const orm = createOrm(config);
const objects = createS3ObjectStore(config);
const cipher = createSecretCipher(config);

async function write(spec: ExportOrder['spec']): Promise<number> {
  const em = orm.em.fork();
  const { tenantId, kind, format } = order;
  const target = { exportId: randomUUID(), tenantId };
  const caller = {
    credential: { kind: 'api_key', keyId: '00000000', scopes: null },
    ipAddress: '127.0.0.1',
  } as const;
  await createExport(em, target, { kind, format, spec }, caller);
  const controls = { signal: new AbortController().signal, onProgress: () => undefined };
  return writeExport({ em, objects, cipher, sheets: undefined }, target, controls);
}

async function sampleFileIds(): Promise<string[]> {
  const some = await orm.em
    .fork()
    .find(StoredFile, { tenantId: order.tenantId }, { fields: ['id'], limit: WARM_UP });
  return some.map(({ id }) => id);
}

await write(
  'limit' in order.spec
    ? { ...order.spec, limit: WARM_UP }
    : { ...order.spec, fileIds: await sampleFileIds() },
);
const start = process.memoryUsage.rss();
let peak = start;
const sampling = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), SAMPLE_MS);
const began = performance.now();
const records = await write(order.spec);
const milliseconds = performance.now() - began;
clearInterval(sampling);
console.log(JSON.stringify({ records, milliseconds, growth: (peak - start) / MIB } satisfies ExportFigures));
await orm.close(true);
