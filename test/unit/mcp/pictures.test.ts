import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { createTenantSlots } from '../../../api/http/tenant-slots.ts';
import { pictureReader, type PictureDeps } from '../../../api/mcp/pictures.ts';
import type { Principal } from '../../../services/accounts/principal.ts';

/** A response that remembers what happens when its client takes nothing for a while. */
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

test('a client that takes nothing of its pictures loses the connection, and with it the slot', async () => {
  const fileId = '3f2504e0-4f89-11d3-9a0c-0305e82c3301';
  const file = { id: fileId, objectKey: 'key', contentType: 'image/png' };
  const longAnswers = createTenantSlots({ what: 'answers', atOnce: 1, waiting: 1, waitMs: 10_000 });
  const deps = {
    orm: { em: { fork: () => ({ find: () => Promise.resolve([file]) }) } },
    objects: { read: () => Promise.resolve(Buffer.from('bytes')) },
    longAnswers,
  } as unknown as PictureDeps;
  const principal = { tenantId: 'a' } as Principal;
  const { signal } = new AbortController();
  const read = (response: FakeResponse) =>
    pictureReader(deps, { principal, response: response as unknown as ServerResponse })(
      { file_id: fileId, variant_type: 'original' },
      signal,
    );

  const [stalled, next] = [new FakeResponse(), new FakeResponse()];
  const { base64, mimeType } = await read(stalled);
  assert.deepEqual([Buffer.from(base64, 'base64').toString(), mimeType], ['bytes', 'image/png']);
  const second = read(next);
  stalled.onStalled?.();
  assert.equal(stalled.destroyed, true);
  await second;
});
