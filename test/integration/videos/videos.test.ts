import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, test } from 'node:test';
import { createClient, eventually, sharedRun, type Json } from '../../support/api.ts';
import { makeVideo } from '../../support/videos.ts';

const run = sharedRun();
const client = createClient(run);

async function sendDirect(bytes: Buffer, fields: Json = {}): Promise<string> {
  const begun = await client.post('/files/direct-uploads', {
    filename: 'scenes.mp4',
    content_type: 'video/mp4',
    size_bytes: bytes.length,
    claimed_file_hash: createHash('sha256').update(bytes).digest('hex'),
    ...fields,
  });
  assert.equal(begun.status, 201, JSON.stringify(begun.body));
  const { upload_id: id, presigned_url: url, headers } = begun.body;
  const put = await fetch(url, { method: 'PUT', headers, body: bytes as Uint8Array<ArrayBuffer> });
  assert.equal(put.status, 200, await put.text());
  const completed = await client.post(`/files/direct-uploads/${id}/complete`, {});
  assert.equal(completed.status, 202, JSON.stringify(completed.body));
  assert.equal(completed.body.media_type, 'video');
  return completed.body.file_id;
}

const ended = (id: string): Promise<Json> =>
  eventually(async () => {
    const { body } = await client.get(`/files/${id}`);
    assert.ok(['completed', 'failed', 'partially_completed'].includes(body.primary_status), body.explanation);
    return body;
  }, 120);

let id = '';
let video: Json = {};
before(async () => {
  id = await sendDirect(await makeVideo({ audio: true, options: ['-metadata', 'title=x'] }), {
    tags: ['footage'],
  });
  video = await ended(id);
});

test('a video is analyzed: duration, codec, size, key frames of its scenes, thumbnail and description', async () => {
  assert.equal(video.primary_status, 'completed', JSON.stringify(video));
  assert.deepEqual(
    [video.media_type, video.format, video.video_codec, video.resolution, Math.round(video.frame_rate)],
    ['video', 'mp4', 'h264', '320x240', 10],
  );
  assert.ok(Math.abs(video.duration_seconds - 8) < 0.5);
  assert.ok(Math.abs(video.analyzed_seconds - video.duration_seconds) < 0.5);
  assert.deepEqual(
    [video.video_analysis_status, video.analysis_status, video.description_status],
    ['completed', 'completed', 'completed'],
  );
  assert.equal(video.audio_tracks.length, 1);
  const frames = video.key_frames as Json[];
  assert.equal(frames.length, 4);
  for (const [index, frame] of frames.entries()) {
    assert.ok(frame.time_seconds >= 2 * index && frame.time_seconds < 2 * index + 2);
    assert.match(frame.blur_hash, /^.{6,}$/);
    const picture = await fetch(frame.thumbnail_url);
    assert.equal(picture.headers.get('content-type'), 'image/jpeg');
    await picture.body?.cancel();
  }
  assert.match(
    video.upload_description,
    /^A video of 0:0[78] in landscape format \(320 × 240 pixels, H\.264/,
  );
  assert.ok(video.tags.includes('footage') && video.tags.includes('video'));
  assert.equal(video.variant_count, 4);
  assert.equal((await client.get(`/files/${id}/variant/small_256`)).status, 302);
});

test('it is in lists, search, jobs and similar files, and its steps can be followed', async () => {
  const { body: list } = await client.get(`/files?media_types=video&ids=${id}`);
  const [item] = list.items;
  assert.deepEqual(
    [item.id, item.video_codec, item.resolution, item.analysis_status, item.dimensions],
    [id, 'h264', '320x240', 'completed', { width: 320, height: 240 }],
  );
  assert.ok(item.thumbnail_url);
  const { body: found } = await client.get(
    `/files?search=${encodeURIComponent('"frames a second"')}&ids=${id}`,
  );
  assert.equal(found.total_count, 1);
  assert.equal((await client.get(`/files/${id}/similar`)).status, 200);
  const { body: status } = await client.get(`/files/${id}/processing-status`);
  assert.deepEqual(
    status.components.video_analysis.steps.map(({ step }: Json) => step),
    ['probeVideo', 'findScenes', 'renderKeyFrames'],
  );
  const { body: job } = await client.get(`/job/${id}`);
  assert.deepEqual([job.status, job.job_type, job.results[0].video_id], ['completed', 'video', id]);
});

test('its presigned URL answers ranges, as players ask for', async () => {
  const part = await fetch(video.video_url, { headers: { range: 'bytes=100-199' } });
  assert.equal(part.status, 206);
  assert.equal((await part.arrayBuffer()).byteLength, 100);
});

test('paths of other media answer 400', async () => {
  for (const path of ['text', 'chunks', 'extractions'])
    assert.equal((await client.get(`/files/${id}/${path}`)).body.code, 'WRONG_MEDIA_TYPE', path);
});

test('a streamed upload of a video is refused, with the way that takes it', async () => {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(await makeVideo({ audio: true }))]), 'a.mp4');
  const { status, body } = await client.request('POST', '/files/upload', { body: form });
  assert.deepEqual(
    [status, body.code, body.suggestion.endpoint],
    [415, 'UNSUPPORTED_MEDIA', '/api/v2/files/direct-uploads'],
  );
});

test('a retry of the analysis replaces it, and a deleted video can be restored', async () => {
  const retried = await client.post(`/files/${id}/retry`, { components: ['video_analysis'] });
  assert.equal(retried.status, 202, JSON.stringify(retried.body));
  assert.deepEqual(retried.body.retried.toSorted(), ['description', 'video_analysis']);
  const again = await ended(id);
  assert.equal(again.primary_status, 'completed', JSON.stringify(again));
  assert.equal(again.key_frames.length, 4);
  assert.equal((await client.request('DELETE', `/files/${id}`)).status < 300, true);
  assert.equal((await client.get(`/files/${id}`)).status, 404);
  assert.equal((await client.post(`/files/${id}/restore`, {})).status < 300, true);
  assert.equal((await client.get(`/files/${id}`)).body.key_frames.length, 4);
});

test('a codec that is not decoded, and a cut file, end with a reason', async () => {
  const prores = await makeVideo({ codec: 'prores', format: 'mov', scenes: ['testsrc'] });
  const cut = (await makeVideo({ scenes: ['testsrc'] })).subarray(0, 5000);
  const ids = await Promise.all([
    sendDirect(prores, { filename: 'a.mov', content_type: 'video/quicktime' }),
    sendDirect(cut),
  ]);
  const ends = await Promise.all(ids.map(ended));
  assert.deepEqual(
    ends.map(({ primary_status: status }) => status),
    ['failed', 'failed'],
  );
  assert.match(ends[0]?.video_analysis_error, /the codec of the video is prores/);
  assert.match(ends[1]?.video_analysis_error, /no index of its tracks/);
});
