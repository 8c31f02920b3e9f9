import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { s3Config } from '../../adapters/object-store/config.ts';
import { createS3ObjectStore } from '../../adapters/object-store/s3-object-store.ts';
import { startDisposableStack } from '../../dev/launcher/disposable-stack.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { mountVolume } from '../../lab/shared/volume.ts';
import { createClient, eventually } from '../support/api.ts';
import { grain, quarters } from '../support/sample-images.ts';

const SIZE = 600 * 2 ** 20;

const disk = mountVolume(SIZE);
after(() => disk?.unmount());
const { folder, fill, free } = disk ?? { folder: '', fill: () => undefined, free: () => undefined };

test(
  'on a full disk every process keeps running and reports the cause, and work resumes once there is space',
  {
    skip: disk === undefined && 'no file system of limited size can be mounted',
  },
  async (t) => {
    const stack = await startDisposableStack(process.env, { home: join(folder, 'home') });
    t.after(() => stack.stop({ keepData: false }));
    const client = createClient(stack.runInfo);
    const readyz = async () => (await client.get(`${client.origin}/readyz`)).body;
    const before = await client.ingest({ bytes: await quarters().png().toBuffer() });
    await client.settled(before);
    const { pids } = stack.runInfo;

    fill();
    // More than the free rest of a page: the store fails to store the bytes, before it records them in its index of names.
    const bytes = await grain()
      .resize(600, 600, { kernel: 'nearest' })
      .png({ compressionLevel: 0 })
      .toBuffer();
    assert.ok(bytes.length > 500_000);
    const refused = await eventually(async () => {
      // Database pages and logs may still have free space for a moment.
      fill();
      const answer = await client.upload({ bytes });
      assert.equal(answer.status, 503, JSON.stringify(answer.body));
      return answer;
    });
    assert.equal(refused.body.code, 'STORAGE_FULL');
    assert.equal(refused.headers.get('retry-after'), '60');
    const batch = await client.batch([{ bytes }]);
    assert.equal((batch.body.rejections?.[0] ?? batch.body).code, 'STORAGE_FULL', JSON.stringify(batch.body));
    // Postgres drops these caches after changes of its catalogs, and cannot open a connection until it has rewritten them.
    execFileSync('find', [folder, '-name', 'pg_internal.init', '-delete']);
    fill();
    // More at once than connections that are open, and more log lines than fit into the last page of the log.
    const reads = await Promise.all(Array.from({ length: 40 }, () => client.get(`/files/${before}`)));
    assert.deepEqual([...new Set(reads.map(({ status }) => status))], [200]);
    const { status, checks } = await readyz();
    assert.deepEqual([status, checks.free_space, checks.object_store], ['degraded', false, true]);

    // Uploads that are only begun are in the index of names alone, which refuses all writes once one has failed.
    const objects = createS3ObjectStore(readConfig([s3Config], stack.env));
    const begin = () => objects.initiateMultipart(`probe-${randomUUID()}`, { contentType: 'text/plain' });
    await eventually(async () => {
      fill();
      await assert.rejects(begin(), 'the index has room');
    }, 60);

    free();
    await eventually(begin, 60);
    const later = await eventually(async () => {
      const answer = await client.upload({ bytes });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer;
    });
    // The store notices the free space of each volume at its own pace, and the retries of a step back off.
    await client.settled(later.body.file_id as string, 180);
    assert.equal((await readyz()).checks.free_space, true);
    assert.notEqual(stack.runInfo.pids.s3, pids.s3);
    assert.deepEqual({ ...stack.runInfo.pids, s3: pids.s3 }, pids);
  },
);
