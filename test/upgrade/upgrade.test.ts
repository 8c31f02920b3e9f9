import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { Darkroom } from '../../sdk/src/index.ts';
import { createEngine } from '../../temporal/client.ts';
import { describeRun } from '../../temporal/status/describe-run.ts';
import { createClient, eventually, type Client, type Json } from '../support/api.ts';
import { freePort } from '../support/free-port.ts';
import { demoImage } from '../support/images.ts';
import { replies, startModelServer, type ModelServer } from '../support/model-server.ts';
import { runProject } from '../support/run-program.ts';
import { checkOut, launch, resolveCommit, type Launched } from './checkout.ts';
import { checkUploads } from './check-uploads.ts';
import { startUploads, type SteadyUploads } from '../support/steady-uploads.ts';

/**
 * Data that the code of an earlier commit has made, with work in flight, is taken up by this code, and read by the earlier
 * code again. `UPGRADE_FROM` names the commit; by default, the last tag, or without one the commit before.
 */
const DOCUMENT = join(PROJECT_ROOT, 'dev/samples/documents/pump-manual.pdf');
/** Fewest uploads before, between and after the migrations and the restart. */
const FILES_UNDER_LOAD = 15;
/** For work that waits behind the uploads, on a busy machine. */
const WITHIN_S = 600;

/** Without what differs between two equal requests: signed URLs, and when they expire. */
function lasting(value: Json): Json {
  if (Array.isArray(value)) return value.map(lasting);
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'string' && value.includes('X-Amz-Signature') ? 'a signed URL' : value;
  }
  const fields = Object.entries(value).filter(([key]) => !key.includes('expires'));
  return Object.fromEntries(fields.map(([key, its]) => [key, lasting(its)]));
}

describe('an upgrade', { timeout: 3_600_000 }, () => {
  const home = mkdtempSync(join(tmpdir(), 'darkroom-upgrade-'));
  let model: ModelServer;
  let env: NodeJS.ProcessEnv;
  let formerFolder: string;
  let stack: Launched | undefined;
  let client: Client;
  let uploads: SteadyUploads;
  const ids = { image: '', document: '', waiting: '' };
  const sessions = { waiting: '', paused: '' };
  const answers = new Map<string, Json>();
  let runOfWaiting: string | undefined;

  const start = async (folder: string) => {
    stack = await launch(folder, home, env);
    client = createClient(stack.run);
    return stack;
  };
  const darkroom = () =>
    new Darkroom({ baseUrl: stack?.run.api_url ?? '', apiKey: stack?.run.api_key ?? '' });
  const stop = async () => {
    await stack?.stop();
    stack = undefined;
  };
  const runOf = async (fileId: string) => {
    const engine = createEngine({
      TEMPORAL_ADDRESS: stack?.run.temporal_address ?? '',
      TEMPORAL_NAMESPACE: stack?.env['TEMPORAL_NAMESPACE'] ?? '',
    });
    try {
      return (await describeRun(engine, fileId, 5000))?.runId;
    } finally {
      await engine.close();
    }
  };
  const batch = async (count: number) => {
    const files = Array.from({ length: count }, (_, at) => ({
      bytes: demoImage(['chelsea.jpg', 'coffee.jpg', 'astronaut.webp'][at % 3] ?? ''),
      filename: `${at}.jpg`,
    }));
    const { status, body } = await client.batch(files);
    assert.equal(status, 201, JSON.stringify(body));
    return body.session_id as string;
  };

  before(async () => {
    model = await startModelServer();
    env = {
      ...process.env,
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: 'test-key',
      WORKFLOW_BUNDLE: undefined,
      // The same for both, as behind a proxy.
      PORT: String(await freePort()),
    };
    const commit = await resolveCommit(process.env['UPGRADE_FROM']);
    console.log(`  … packages of ${commit.slice(0, 12)}`);
    formerFolder = await checkOut(commit);
  });
  after(async () => {
    await stop();
    await model.stop();
    rmSync(home, { recursive: true, force: true });
  });

  test('the former code stores files, and leaves some in flight', async () => {
    await start(formerFolder);
    ids.image = await client.ingest({ bytes: demoImage('rocket.jpg') });
    ids.document = await client.ingest({ bytes: readFileSync(DOCUMENT), filename: 'pump-manual.pdf' });
    for (const id of [ids.image, ids.document]) {
      assert.equal((await client.settled(id, WITHIN_S)).primary_status, 'completed');
    }
    model.otherwise(replies.error(503));
    ids.waiting = await client.ingest({ bytes: demoImage('astronaut.webp') });
    sessions.waiting = await batch(3);
    sessions.paused = await batch(2);
    assert.equal((await client.post(`/files/sessions/${sessions.paused}/pause`, {})).status, 200);
    await eventually(async () => {
      const { body } = await client.get(`/files/${ids.waiting}/timeline`);
      assert.match(body.explanation, /^Description waiting/);
    });
    runOfWaiting = await runOf(ids.waiting);
    for (const path of [
      `/files/${ids.image}`,
      `/files/${ids.image}/timeline`,
      `/files/${ids.document}`,
      `/files/${ids.document}/digitization`,
      `/files/${ids.document}/chunks`,
      `/files/uploads-status/${ids.image}`,
    ]) {
      const { status, body } = await client.get(path);
      assert.equal(status, 200, path);
      answers.set(path, lasting(body));
    }
  });

  test('the code is replaced while clients upload', async () => {
    uploads = startUploads(darkroom());
    const more = async (count: number) => {
      const enough = uploads.met.acknowledged.size + count;
      await eventually(async () => assert.ok(uploads.met.acknowledged.size >= enough), WITHIN_S);
    };
    try {
      await more(FILES_UNDER_LOAD);
      const migrated = await runProject('db/migrate.ts', [], stack?.env ?? {});
      assert.equal(migrated.code, 0, migrated.output);
      assert.equal(uploads.met.refused, 0);
      await more(FILES_UNDER_LOAD);
      await stop();
      await start(PROJECT_ROOT);
      await more(FILES_UNDER_LOAD);
    } finally {
      await uploads.stop();
    }
  });

  test('this code answers as the former one, and its workflows go on', async () => {
    for (const [path, former] of answers) {
      const { status, body } = await client.get(path);
      assert.equal(status, 200, path);
      assert.partialDeepStrictEqual(lasting(body), former, path);
    }
    assert.equal(await runOf(ids.waiting), runOfWaiting);
    model.otherwise(replies.ok());
    assert.equal((await client.settled(ids.waiting, WITHIN_S)).primary_status, 'completed');
    const ended = await client.sessionEnded(sessions.waiting, WITHIN_S);
    assert.deepEqual([ended.status, ended.completed_files], ['completed', 3]);
    assert.equal((await client.get(`/files/sessions/${sessions.paused}/status`)).body.paused, true);
    assert.equal((await client.post(`/files/sessions/${sessions.paused}/resume`, {})).status, 200);
    assert.equal((await client.sessionEnded(sessions.paused, WITHIN_S)).completed_files, 2);
  });

  test('every acknowledged upload is stored once', async () => {
    const api = { darkroom: darkroom(), client };
    await checkUploads(uploads.met, api, { env: stack?.env ?? {}, folder: home, withinS: WITHIN_S });
  });

  test('the former code reads what this code has written, and goes on', async () => {
    const since = await client.ingest({ bytes: demoImage('coffee.jpg') });
    assert.equal((await client.settled(since, WITHIN_S)).primary_status, 'completed');
    const { body } = await client.get(`/files/${since}`);
    await stop();
    await start(formerFolder);
    const again = await client.get(`/files/${since}`);
    assert.equal(again.status, 200);
    for (const key of ['primary_status', 'sha256', 'size_bytes', 'description']) {
      assert.deepEqual(again.body[key], body[key], key);
    }
    const more = await client.ingest({ bytes: readFileSync(DOCUMENT), filename: 'again.pdf' });
    assert.equal((await client.settled(more, WITHIN_S)).primary_status, 'completed');
  });
});
