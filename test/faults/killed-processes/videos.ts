import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { VideoDetails } from '../../../db/entities/videos/video-details.ts';
import { eventually } from '../../support/api.ts';
import { makeVideo } from '../../support/videos.ts';
import { own } from './stack.ts';

const { stack, orm } = own;
const { client } = await own.newTenant();

/** Long enough that its worker can be killed while it decodes. */
const LONG = {
  scenes: ['testsrc2', 'smptehdbars', 'rgbtestsrc'],
  seconds: 20,
  rate: 30,
  size: '1920x1080',
};

async function scanned(fileId: string): Promise<number> {
  const details = await orm.em.fork().findOne(VideoDetails, { fileId }, { populate: ['scan'] });
  return details?.scan?.scannedSeconds ?? 0;
}

test('a video whose worker is killed while it decodes continues where it was, and nothing is there twice', async () => {
  const bytes = await makeVideo(LONG);
  const { body: upload } = await client.post('/files/direct-uploads', {
    filename: 'long.mp4',
    content_type: 'video/mp4',
    size_bytes: bytes.length,
    claimed_file_hash: createHash('sha256').update(bytes).digest('hex'),
  });
  const { presigned_url: url, headers, upload_id: uploadId } = upload;
  const put = await fetch(url, { method: 'PUT', headers, body: bytes as Uint8Array<ArrayBuffer> });
  assert.equal(put.status, 200, await put.text());
  const { body: completed } = await client.post(`/files/direct-uploads/${uploadId}/complete`, {});
  const id: string = completed.file_id;

  await eventually(async () => assert.ok((await scanned(id)) > 0), 60);
  await stack.kill('worker-cpu');
  const before = await scanned(id);
  const { body: waiting } = await client.get(`/files/${id}`);
  assert.match(waiting.explanation, /^Scenes \(\d:\d\d of \d:\d\d\)/);
  await stack.start('worker-cpu');
  await eventually(async () => {
    const now = await scanned(id);
    assert.ok(now >= before, `continued at ${now} s, where ${before} s were decoded`);
    assert.ok(now > before);
  }, 90);

  const video = await client.settled(id, 120);
  assert.equal(video.primary_status, 'completed', JSON.stringify(video));
  const times = (video.key_frames as { time_seconds: number }[]).map((frame) => frame.time_seconds);
  assert.deepEqual(
    times,
    [...new Set(times)].toSorted((a, b) => a - b),
  );
  assert.deepEqual(new Set(times.map((time) => Math.floor(time / LONG.seconds))), new Set([0, 1, 2]));
});
