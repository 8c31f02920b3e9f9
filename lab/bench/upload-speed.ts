import { randomUUID } from 'node:crypto';
import { Client } from 'minio';
import { s3Config } from '../../adapters/object-store/config.ts';
import { createS3ObjectStore } from '../../adapters/object-store/s3-object-store.ts';
import { PART_BYTES } from '../../services/uploads/streaming/part-buffers.ts';
import { type BenchContext, packageVersion } from './context.ts';
import { emptyBucket } from './bench-stack.ts';
import { interleave, milliseconds, ratios, spread, goalResult } from './statistics.ts';
import { MIB, chunked, createUploadClient, paddedPhotograph } from './upload-client.ts';

const FILE_BYTES = 100 * MIB;
const STREAMS = [
  { count: 1, goal: { least: 0.85 } },
  { count: 8, goal: { least: 0.8 } },
];

/**
 * P1: uploads through the API to the object store, compared with minio's client, which writes the same bytes directly
 * to the store in parts of the same size. Both read the bytes from this process.
 */
export async function run({ rounds, stack: startStack, progress }: BenchContext): Promise<string[]> {
  const stack = await startStack();
  const config = s3Config.parse(stack.env);
  const objects = createS3ObjectStore(config);
  const api = createUploadClient(stack);
  const { hostname, port } = new URL(config.S3_ENDPOINT);
  const minio = new Client({
    endPoint: hostname,
    port: Number(port),
    useSSL: false,
    accessKey: config.S3_ACCESS_KEY_ID,
    secretKey: config.S3_SECRET_ACCESS_KEY,
    region: config.S3_REGION,
    partSize: PART_BYTES,
  });
  const file = paddedPhotograph(FILE_BYTES);
  const viaApi = () => api.upload(chunked(file), file.length);
  const viaMinio = () =>
    minio.putObject(config.S3_BUCKET, `bench/${randomUUID()}`, chunked(file), undefined, {
      'Content-Type': 'image/jpeg',
    });

  /** MiB per second of `count` concurrent uploads. */
  const speed = (count: number, upload: () => Promise<unknown>) => async () => {
    const elapsed = await milliseconds(() => Promise.all(Array.from({ length: count }, upload)));
    await emptyBucket(objects);
    return (count * FILE_BYTES * 1000) / MIB / elapsed;
  };

  const lines: string[] = [];
  const peer = packageVersion('minio');
  try {
    for (const { count, goal } of STREAMS) {
      const streams = `${count} ${count === 1 ? 'stream' : 'streams'} of ${FILE_BYTES / MIB} MiB`;
      const { ours, theirs } = await interleave(
        rounds,
        { ours: speed(count, viaApi), theirs: speed(count, viaMinio) },
        (turn) => progress(`${streams}, ${turn}`),
      );
      const ratio = ratios(ours, theirs);
      lines.push(
        `P1 ${streams}, through the API / ${peer} putObject: ${spread(ratio, 2)}, ${goalResult(ratio, goal)}`,
        `P1 … ours ${spread(ours)} MiB/s, theirs ${spread(theirs)} MiB/s`,
      );
    }
  } finally {
    api.close();
  }
  return lines;
}
