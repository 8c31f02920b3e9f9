import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { createTenantSlots } from '../../../api/http/tenant-slots.ts';
import { pictureReader, type Picture, type PictureDeps } from '../../../api/mcp/pictures.ts';
import type { Principal } from '../../../services/accounts/principal.ts';

/** A response that stores the callback for a stalled client. */
class FakeResponse extends EventEmitter {
  destroyed = false;
  onStalled: (() => void) | undefined;

  setTimeout(milliseconds: number, onStalled: () => void): void {
    assert.equal(milliseconds, 60_000);
    this.onStalled = onStalled;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

const fileId = '3f2504e0-4f89-11d3-9a0c-0305e82c3301';

/** A reader of the original of a single file. */
function readerOf(contentType: string): (response?: FakeResponse) => Promise<Picture> {
  const file = { id: fileId, objectKey: 'key', contentType };
  const deps = {
    orm: { em: { fork: () => ({ find: () => Promise.resolve([file]) }) } },
    objects: { read: () => Promise.resolve(Buffer.from('bytes')) },
    longAnswers: createTenantSlots({ what: 'answers', atOnce: 1, waiting: 1, waitMs: 10_000 }),
  } as unknown as PictureDeps;
  const principal = { tenantId: 'a' } as Principal;
  const { signal } = new AbortController();
  return (response = new FakeResponse()) =>
    pictureReader(deps, { principal, response: response as unknown as ServerResponse })(
      { file_id: fileId, variant_type: 'original' },
      signal,
    );
}

test('the original of a video is rejected as a picture', async () => {
  await assert.rejects(readerOf('video/mp4')(), { code: 'WRONG_MEDIA_TYPE' });
});

test('a client that stalls on its pictures is disconnected, and its slot is released', async () => {
  const read = readerOf('image/png');
  const [stalled, next] = [new FakeResponse(), new FakeResponse()];
  const { base64, mimeType } = await read(stalled);
  assert.deepEqual([Buffer.from(base64, 'base64').toString(), mimeType], ['bytes', 'image/png']);
  const second = read(next);
  stalled.onStalled?.();
  assert.equal(stalled.destroyed, true);
  await second;
});
