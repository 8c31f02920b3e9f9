import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { originalKey } from '../../domain/object-keys.ts';
import { ingestFile } from '../../services/uploads/ingest-file.ts';
import { openUploadSession } from '../../services/upload-sessions/open-upload-session.ts';
import type { Principal } from '../../services/accounts/principal.ts';
import { sealUploadSession } from '../../services/upload-sessions/seal-upload-session.ts';
import type { WorkerDeps } from '../../worker/deps.ts';

/** Long side of the images, in pixels. */
const SIDE = 480;
const SAMPLES = ['coffee.jpg', 'chelsea.jpg', 'rocket.jpg'];

/** The same samples, enlarged to 6 megapixels. */
export function largePhotographs(): Promise<Buffer[]> {
  return Promise.all(
    SAMPLES.map((name) =>
      sharp(readFileSync(new URL(`../../dev/samples/${name}`, import.meta.url)))
        .resize(3000, 2000, { fit: 'cover' })
        .jpeg({ quality: 90 })
        .toBuffer(),
    ),
  );
}

export type StoreDeps = Pick<WorkerDeps, 'orm' | 'objects'>;

/** Small photographs, one per sample. */
export function smallPhotographs(): Promise<Buffer[]> {
  return Promise.all(
    SAMPLES.map((name) =>
      sharp(readFileSync(new URL(`../../dev/samples/${name}`, import.meta.url)))
        .resize(SIDE, SIDE, { fit: 'inside' })
        .jpeg()
        .toBuffer(),
    ),
  );
}

/** Creates the objects and rows of uploaded files whose processing has not started. */
export async function storeFiles(
  { orm, objects }: StoreDeps,
  principal: Principal,
  { photographs, count, sessionId }: { photographs: Buffer[]; count: number; sessionId?: string },
): Promise<StoredFile[]> {
  const numbers = Array.from({ length: count }, (_, index) => index);
  const files: StoredFile[] = [];
  for (let from = 0; from < count; from += 10) {
    await Promise.all(numbers.slice(from, from + 10).map(store));
  }
  return files;

  async function store(index: number): Promise<void> {
    const image = photographs[index % photographs.length] ?? Buffer.alloc(0);
    // Readers ignore data after the end of a JPEG.
    const bytes = Buffer.concat([image, randomBytes(16)]);
    const fileId = randomUUID();
    const key = originalKey(principal, fileId, randomBytes(6).toString('hex'));
    await objects.put(key, bytes, { contentType: 'image/jpeg' });
    const outcome = await ingestFile(orm.em.fork(), principal, {
      fileId,
      objectKey: key,
      sizeBytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      mediaType: 'image',
      contentType: 'image/jpeg',
      format: 'jpeg',
      filename: `${index}.jpg`,
      title: null,
      tags: [],
      contentCategory: 'general',
      options: { autoDescribe: true, skipDuplicates: false },
      ...(sessionId && { session: { sessionId, index } }),
    });
    if ('created' in outcome) files.push(outcome.created);
  }
}

/** Creates a session whose files have all been uploaded and whose workflow has not started. */
export async function storeSession(
  deps: StoreDeps,
  principal: Principal,
  options: { photographs: Buffer[]; count: number },
): Promise<UploadSession> {
  const sessionId = randomUUID();
  const em = deps.orm.em.fork();
  await openUploadSession(em, principal, { sessionId, uploadMethod: 'streaming' });
  await storeFiles(deps, principal, { ...options, sessionId });
  return sealUploadSession(em.fork(), { sessionId, tenantId: principal.tenantId }, 'client');
}
