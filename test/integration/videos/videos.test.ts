import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { createClient, eventually, sharedRun, type Json } from '../../support/api.ts';
import { uniqueImage } from '../../support/images.ts';
import { screenshot } from '../../support/images-of-text.ts';
import { storedFacts } from '../../support/stored-facts.ts';
import { ffmpeg, makeVideo } from '../../support/videos.ts';

const run = sharedRun();
const client = createClient(run);
const orm = createOrm(readConfig([databaseConfig], process.env));
after(() => orm.close(true));
const creditsOf = async (id: string) => (await storedFacts(orm.em.fork(), id)).credits;

/** A video of three seconds that shows a dialog with text. */
async function videoOfWords(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-words-'));
  try {
    const [picture, video] = [join(folder, 'words.png'), join(folder, 'words.mp4')];
    await writeFile(picture, await screenshot().png().toBuffer());
    const encoder = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
    await ffmpeg(['-loop', '1', '-framerate', '10', '-t', '3', '-i', picture, ...encoder, video]);
    return await readFile(video);
  } finally {
    await rm(folder, { recursive: true });
  }
}

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
let words = '';
before(async () => {
  words = await sendDirect(await videoOfWords(), { filename: 'words.mp4' });
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

test('it is in lists, searches, jobs and similar files, and its processing status has its steps', async () => {
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

test('text in its frames is its visible text, per frame, and is found by a search', async () => {
  const file = await ended(words);
  assert.equal(file.primary_status, 'completed', JSON.stringify(file));
  assert.match(file.visible_text, /Seventeen invoices are overdue since March/);
  assert.deepEqual(
    file.key_frames.map(({ visible_text: text }: Json) => text.split('\n')[0]),
    ['Quarterly report'],
  );
  const { body } = await client.get(`/files?search=${encodeURIComponent('invoices overdue')}&limit=100`);
  assert.ok(body.items.some((item: Json) => item.id === words));
});

test('an export fills its columns', async () => {
  const columns =
    'media_type duration_seconds frame_rate video_codec resolution video_analysis_status primary_status';
  const { status, body } = await client.post('/files/export', {
    format: 'csv',
    file_ids: [id],
    columns: columns.split(' ').map((field_key) => ({ field_key })),
  });
  assert.equal(status, 200, JSON.stringify(body));
  const [, row = ''] = (await (await fetch(body.download_url)).text()).split('\r\n');
  const [medium, duration, rate, ...rest] = row.split(',');
  assert.deepEqual([medium, ...rest], ['video', 'h264', '320x240', 'completed', 'completed']);
  assert.deepEqual([Number(duration), Number(rate)], [video.duration_seconds, video.frame_rate]);
});

test('its description is in the exported history', async () => {
  const wanted = { data_type: 'descriptions', format: 'jsonl', search_terms: ['Seventeen invoices'] };
  const { body: begun } = await client.post('/data/export', wanted);
  const { download_url: url } = await eventually(async () => {
    const { body } = await client.get(`/data/export/${begun.export_id}`);
    assert.equal(body.status, 'completed', JSON.stringify(body));
    return body;
  });
  const lines = (await (await fetch(url)).text()).trimEnd().split('\n');
  const records = lines.map((line) => JSON.parse(line));
  const record = records.find(({ image_id: of }) => of === words);
  assert.match(record?.description, /^A video of 0:03 .*Seventeen invoices/);
});

test('its presigned URL supports range requests', async () => {
  const part = await fetch(video.video_url, { headers: { range: 'bytes=100-199' } });
  assert.equal(part.status, 206);
  assert.equal((await part.arrayBuffer()).byteLength, 100);
});

test('routes of other media answer WRONG_MEDIA_TYPE', async () => {
  for (const path of ['text', 'chunks', 'extractions'])
    assert.equal((await client.get(`/files/${id}/${path}`)).body.code, 'WRONG_MEDIA_TYPE', path);
});

test('a streamed upload of a video is refused with the route to use instead', async () => {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(await makeVideo({ audio: true }))]), 'a.mp4');
  const { status, body } = await client.request('POST', '/files/upload', { body: form });
  assert.deepEqual(
    [status, body.code, body.suggestion.endpoint],
    [415, 'UNSUPPORTED_MEDIA', '/api/v2/files/direct-uploads'],
  );
});

test('a retry of the description keeps the key frames, and a retry of the analysis replaces everything', async () => {
  const frames = ({ key_frames: all }: Json) =>
    all.map(({ time_seconds, blur_hash, visible_text }: Json) => [time_seconds, blur_hash, visible_text]);
  const described = await client.post(`/files/${id}/retry`, { components: ['description'] });
  assert.deepEqual(described.body.retried, ['description'], JSON.stringify(described.body));
  const redone = await ended(id);
  assert.deepEqual([redone.primary_status, frames(redone)], ['completed', frames(video)]);
  const { body: timeline } = await client.get(`/files/${id}/timeline`);
  assert.deepEqual(
    timeline.runs.at(-1).steps.map(({ step }: Json) => step),
    ['readFrameText', 'describeVideo', 'indexImage'],
  );
  const retried = await client.post(`/files/${id}/retry`, { components: ['video_analysis'] });
  assert.equal(retried.status, 202, JSON.stringify(retried.body));
  assert.deepEqual(retried.body.retried.toSorted(), ['description', 'video_analysis']);
  const again = await ended(id);
  assert.equal(again.primary_status, 'completed', JSON.stringify(again));
  assert.equal(again.key_frames.length, 4);
});

test('a deleted video can be restored, with its key frames', async () => {
  assert.equal((await client.request('DELETE', `/files/${id}`)).status < 300, true);
  assert.equal((await client.get(`/files/${id}`)).status, 404);
  assert.equal((await client.post(`/files/${id}/restore`, {})).status < 300, true);
  assert.equal((await client.get(`/files/${id}`)).body.key_frames.length, 4);
});

test('in a batch, refused videos fail with a reason and a refund, and the other files complete', async () => {
  const whole = await makeVideo({ scenes: ['testsrc'] });
  const prores = await makeVideo({ codec: 'prores', format: 'mov', scenes: ['testsrc'] });
  const files = [
    { filename: 'whole.mp4', content_type: 'video/mp4', bytes: whole },
    { filename: 'prores.mov', content_type: 'video/quicktime', bytes: prores },
    { filename: 'cut.mp4', content_type: 'video/mp4', bytes: whole.subarray(0, 5000) },
    { filename: 'beside.png', content_type: 'image/png', bytes: await uniqueImage() },
  ];
  const { status, body: batch } = await client.post('/uploads/batch-prepare', {
    files: files.map(({ bytes, ...file }) => ({ ...file, size_bytes: bytes.length })),
  });
  assert.equal(status, 200, JSON.stringify(batch));
  for (const [at, { upload_url: url, upload_headers: headers }] of batch.presigned_urls.entries()) {
    const bytes = files[at]?.bytes as Uint8Array<ArrayBuffer>;
    assert.equal((await fetch(url, { method: 'PUT', headers, body: bytes })).status, 200);
  }
  const confirmed = await client.post('/uploads/batch-confirm', {
    batch_id: batch.batch_id,
    confirmations: batch.presigned_urls.map(({ object_key }: Json) => ({ object_key, success: true })),
  });
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
  const session = await client.sessionEnded(batch.batch_id, 120);
  assert.deepEqual([session.completed_files, session.failed_files], [2, 2], JSON.stringify(session));
  const ids = batch.presigned_urls.map(({ image_id: fileId }: Json) => fileId);
  const ends = await Promise.all(ids.map(ended));
  assert.deepEqual(
    ends.map(({ primary_status: status }) => status),
    ['completed', 'failed', 'failed', 'completed'],
  );
  assert.match(ends[1]?.video_analysis_error, /the codec of the video is prores/);
  assert.match(ends[2]?.video_analysis_error, /no index of its tracks/);
  assert.match(ends[1]?.explanation, /^Video analysis failed: /);
  assert.deepEqual(await Promise.all(ids.map(creditsOf)), [
    ['reserve 2', 'spend 2'],
    ['reserve 2', 'refund 2'],
    ['reserve 2', 'refund 2'],
    ['reserve 1', 'spend 1'],
  ]);
});
