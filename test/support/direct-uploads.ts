import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { CreditEntry } from '../../db/entities/accounts/credit-entry.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import { incomingKey, originalPrefix } from '../../domain/object-keys.ts';
import { eventually, type Json } from './api.ts';
import { collect } from './collect.ts';
import type { OwnStack } from './own-stack.ts';
import type { OwnTenant } from './own-tenant.ts';
import { paddedImage } from './images.ts';
import { NO_DUPLICATES, storedFacts } from './stored-facts.ts';

const PART = 5 * 1024 * 1024;

/** Helpers for the direct uploads of a tenant on a stack for faults, and for their leftovers. */
export function createDirectUploads({ orm, objects }: OwnStack, { client }: OwnTenant) {
  async function begin(bytes: Uint8Array, fields: Json = {}): Promise<Json> {
    const { status, body } = await client.post('/files/direct-uploads', {
      filename: 'a.png',
      content_type: 'image/png',
      size_bytes: bytes.length,
      claimed_file_hash: createHash('sha256').update(bytes).digest('hex'),
      ...fields,
    });
    assert.equal(status, 201, JSON.stringify(body));
    return body;
  }

  async function put(url: string, bytes: Uint8Array, headers: Record<string, string> = {}): Promise<string> {
    const response = await fetch(url, { method: 'PUT', headers, body: bytes as Uint8Array<ArrayBuffer> });
    assert.equal(response.status, 200, await response.text());
    return response.headers.get('etag') ?? '';
  }

  /** Creates an upload with a single PUT and sends its bytes. */
  async function sent(
    fields: Json = {},
    content?: Buffer,
  ): Promise<{ id: string; bytes: Buffer; upload: Json }> {
    const bytes = content ?? (await paddedImage());
    const upload = await begin(bytes, fields);
    await put(upload.presigned_url, bytes, upload.headers);
    return { id: upload.upload_id, bytes, upload };
  }

  /** Creates an upload in two parts and sends the first one. */
  async function halfSent(): Promise<Json> {
    const bytes = await paddedImage(PART + 100);
    const upload = await begin(bytes, { upload_mode: 'multipart', part_size_bytes: PART });
    const etag = await put(upload.part_urls[0].url, bytes.subarray(0, PART));
    const confirmed = await client.post(`/files/direct-uploads/${upload.upload_id}/parts/confirm`, {
      part_number: 1,
      etag,
      size_bytes: PART,
    });
    assert.equal(confirmed.status, 200);
    return upload;
  }

  const complete = (id: string) => client.post(`/files/direct-uploads/${id}/complete`, {});
  const abort = (id: string) => client.request('DELETE', `/files/direct-uploads/${id}`);
  const intent = async (id: string): Promise<Json> => (await client.get(`/files/direct-uploads/${id}`)).body;
  const row = (id: string) => orm.em.fork().findOneOrFail(DirectUpload, id);

  /** The objects and incomplete multipart uploads of an upload in the store. */
  async function held(id: string): Promise<string[]> {
    const { tenantId, fileId } = await row(id);
    const found: string[] = [];
    for (const prefix of [incomingKey({ tenantId }, id), originalPrefix({ tenantId }, fileId)]) {
      found.push(...(await collect(objects.list(prefix))).map(({ key }) => key));
      found.push(
        ...(await collect(objects.listIncompleteUploads(prefix))).map(({ key }) => `parts of ${key}`),
      );
    }
    return found;
  }

  /** Asserts that the upload has one file, its object and its credits, and no leftovers. */
  async function assertOneFile(id: string, bytes: Buffer): Promise<void> {
    const { fileId } = await row(id);
    assert.equal((await client.settled(fileId, 90)).primary_status, 'completed');
    assert.ok((await client.follow(`/files/${fileId}/download`)).bytes.equals(bytes));
    const { objectKey } = await orm.em.fork().findOneOrFail(StoredFile, fileId);
    assert.deepEqual(await storedFacts(orm.em.fork(), fileId), NO_DUPLICATES);
    await eventually(async () => assert.deepEqual(await held(id), [objectKey]));
  }

  /** Waits until the store holds nothing of an upload; asserts that it has no file and no credits. */
  async function assertNothingLeft(id: string, seconds = 30): Promise<void> {
    const { fileId } = await row(id);
    await eventually(async () => assert.deepEqual(await held(id), []), seconds);
    assert.equal(await orm.em.fork().count(StoredFile, { id: fileId }), 0);
    assert.equal(await orm.em.fork().count(CreditEntry, { reservationId: { $like: `file/${fileId}/%` } }), 0);
  }

  return { sent, halfSent, complete, abort, intent, row, held, assertOneFile, assertNothingLeft };
}
