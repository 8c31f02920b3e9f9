import assert from 'node:assert/strict';
import { copyFile, rename } from 'node:fs/promises';
import { after, test } from 'node:test';
import { createFindFfmpeg } from '../../../engines/video-reader/find-ffmpeg.ts';
import { VideoDetails } from '../../../db/entities/videos/video-details.ts';
import { findStuckFiles } from '../../../services/processing/find-stuck-files.ts';
import { eventually, type Json } from '../../support/api.ts';
import { signalProcesses } from '../../support/child-processes.ts';
import { createDirectUploads } from '../../support/direct-uploads.ts';
import { replies } from '../../support/model-server.ts';
import { storedFacts } from '../../support/stored-facts.ts';
import { makeVideo, remux } from '../../support/videos.ts';
import { FFMPEG_PATH, own } from './stack.ts';

/** Videos while the decoding worker is killed, while ffmpeg is missing, and during pauses. */
const { stack, orm, engine, model } = own;
const tenant = await own.newTenant();
const { client, tenantId, timeline } = tenant;
const uploads = createDirectUploads(own, tenant);

/** ffmpeg runs in one of so many slices of time: slow enough for a kill during decoding on any machine. */
const SLICES = 8;
const SLICE_MS = 100;
const LONG = {
  scenes: ['testsrc2', 'smptehdbars', 'rgbtestsrc'],
  seconds: 20,
  size: '1280x720',
  rate: 25,
  options: ['-crf', '45'],
};

async function scanned(fileId: string): Promise<number> {
  const details = await orm.em.fork().findOne(VideoDetails, { fileId }, { populate: ['scan'] });
  return details?.scan?.scannedSeconds ?? 0;
}

const untilScannedBeyond = (fileId: string, after: number) =>
  eventually(async () => assert.ok((await scanned(fileId)) > after), 90);

/** Slow from outside, since a contained process is a program and no script around one. */
async function installSlowFfmpeg(): Promise<void> {
  const ffmpeg = await createFindFfmpeg({ FFMPEG_PATH: undefined })(AbortSignal.timeout(60_000));
  const draft = `${FFMPEG_PATH}.draft`;
  await copyFile(ffmpeg, draft);
  await rename(draft, FFMPEG_PATH);
  let slice = 0;
  const slowing = setInterval(() => {
    slice = (slice + 1) % SLICES;
    if (slice <= 1) signalProcesses(FFMPEG_PATH, slice === 0 ? 'SIGCONT' : 'SIGSTOP');
  }, SLICE_MS);
  after(() => clearInterval(slowing));
}

let id = '';

test('a video without ffmpeg waits with a reason, and is analyzed once ffmpeg is installed', async () => {
  const video = { filename: 'long.mp4', content_type: 'video/mp4' };
  const sent = await uploads.sent(video, await makeVideo(LONG));
  id = (await uploads.complete(sent.id)).body.file_id;
  await eventually(async () =>
    assert.match(
      (await timeline(id)).explanation,
      /^Scenes.* waiting: FFMPEG_PATH in the environment of the worker is .*ffmpeg, which is not a program, attempt \d+, next try /,
    ),
  );
  await eventually(async () => {
    const wanted = { patienceMs: 1000, limit: 10 };
    const { stuck } = await findStuckFiles(
      { em: orm.em.fork(), engine, visionProviders: [] },
      tenantId,
      wanted,
    );
    assert.deepEqual(
      stuck.map(({ file, stuck: why }) => [file.id, why?.cause]),
      [[id, 'waiting_external']],
    );
  });
  assert.equal((await client.get(`/files/${id}`)).body.primary_status, 'processing');
  await installSlowFfmpeg();
  await untilScannedBeyond(id, 0);
});

test('a video whose worker is killed during decoding continues where it was and is described once, and nothing is duplicated', async () => {
  model.next(replies.rateLimited('2'));
  const asked = model.requests.length;
  await stack.kill('worker-cpu');
  const before = await scanned(id);
  assert.match((await timeline(id)).explanation, /^Scenes \(\d:\d\d of \d:\d\d\)/);
  await stack.start('worker-cpu');
  await eventually(async () => {
    const now = await scanned(id);
    assert.ok(now >= before, `continued at ${now} s, although ${before} s had been decoded`);
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
  // One call was refused, and one answered.
  assert.equal(model.requests.length - asked, 2);
  assert.deepEqual(await storedFacts(orm.em.fork(), id), {
    variants: 4,
    descriptions: 1,
    timelines: 1,
    credits: ['reserve 2', 'spend 2'],
  });
});

test('a short video is analyzed while those of two other accounts are decoded, which then continue where they were', async () => {
  // Long enough to outlast the short one on a fast machine, too.
  const input = ['-stream_loop', '8'];
  const longer = await remux(await makeVideo(LONG), { input, output: ['-movflags', '+faststart'] });
  const video = { filename: 'longer.mp4', content_type: 'video/mp4' };
  const send = async (owner: typeof tenant, bytes: Buffer): Promise<string> => {
    const { complete, sent } = createDirectUploads(own, owner);
    return (await complete((await sent(video, bytes)).id)).body.file_id;
  };
  const others = [await own.newTenant(), await own.newTenant()];
  const long = await Promise.all(others.map((owner) => send(owner, longer)));
  const most = new Map(long.map((fileId) => [fileId, 0]));
  const neverGoesBack = async () => {
    for (const fileId of long) {
      const now = await scanned(fileId);
      assert.ok(now >= (most.get(fileId) ?? 0), `${fileId} went back to ${now} s`);
      most.set(fileId, now);
    }
  };
  await eventually(neverGoesBack);
  await untilScannedBeyond(long[0] ?? '', 0);

  const short = await send(tenant, await makeVideo());
  await eventually(async () => {
    await neverGoesBack();
    assert.equal((await client.get(`/files/${short}`)).body.primary_status, 'completed');
  }, 120);
  for (const [index, fileId] of long.entries()) {
    const { body } = await (others[index] ?? tenant).client.get(`/files/${fileId}`);
    assert.equal(body.primary_status, 'processing');
  }
  for (const [index, fileId] of long.entries()) {
    await eventually(async () => {
      await neverGoesBack();
      const { body } = await (others[index] ?? tenant).client.get(`/files/${fileId}`);
      assert.equal(body.primary_status, 'completed');
      assert.equal(body.analyzed_seconds, body.duration_seconds);
    }, 240);
  }
});

test('a video of a batch pauses with the batch, continues when it is resumed, and ends when it is cancelled', async () => {
  const output = ['-movflags', '+faststart'];
  const bytes = await remux(await makeVideo(LONG), { input: ['-stream_loop', '4'], output });
  const { body: batch } = await client.post('/uploads/batch-prepare', {
    files: [{ filename: 'longer.mp4', content_type: 'video/mp4', size_bytes: bytes.length }],
  });
  const [{ upload_url: url, upload_headers: headers, object_key: key, image_id: video }] =
    batch.presigned_urls as Json[];
  const put = await fetch(url, { method: 'PUT', headers, body: bytes as Uint8Array<ArrayBuffer> });
  assert.equal(put.status, 200, await put.text());
  const confirmations = [{ object_key: key, success: true }];
  await client.post('/uploads/batch-confirm', { batch_id: batch.batch_id, confirmations });
  const session = `/files/sessions/${batch.batch_id}`;
  await untilScannedBeyond(video, 0);

  assert.equal((await client.post(`${session}/pause`, {})).body.paused, true);
  await eventually(async () =>
    assert.match((await timeline(video)).explanation, /^The file is paused with its upload session since /),
  );
  const atPause = await scanned(video);
  assert.equal((await client.post(`${session}/resume`, {})).status, 200);
  await untilScannedBeyond(video, atPause);

  assert.equal((await client.post(`${session}/cancel`, {})).body.status, 'cancelled');
  const ended = await client.settled(video);
  assert.deepEqual([ended.video_analysis_status, ended.description_status], ['skipped', 'skipped']);
  assert.match(ended.explanation, /^The work was cancelled/);
  assert.deepEqual((await storedFacts(orm.em.fork(), video)).credits, ['reserve 2', 'refund 2']);
});
