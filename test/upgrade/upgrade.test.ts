import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { createEngine } from '../../temporal/client.ts';
import { describeRun } from '../../temporal/status/describe-run.ts';
import { createClient, eventually, type Client, type Json } from '../support/api.ts';
import { demoImage } from '../support/images.ts';
import { replies, startModelServer, type ModelServer } from '../support/model-server.ts';
import { runProject } from '../support/run-program.ts';
import { checkOut, launch, resolveCommit, type Launched } from './checkout.ts';

/**
 * Data that the code of an earlier commit has made, with work in flight, is taken up by this code, and read by the earlier
 * code again. `UPGRADE_FROM` names the commit; by default, the last tag, or without one the commit before.
 */
const DOCUMENT = join(PROJECT_ROOT, 'dev/samples/documents/pump-manual.pdf');
/** Fewest uploads while the migrations run. */
const FILES_UNDER_LOAD = 4;

/** Without what differs between two equal requests: signed URLs, and when they expire. */
function lasting(value: Json): Json {
  if (Array.isArray(value)) return value.map(lasting);
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'string' && value.includes('X-Amz-Signature') ? 'a signed URL' : value;
  }
  const fields = Object.entries(value).filter(([key]) => !key.includes('expires'));
  return Object.fromEntries(fields.map(([key, its]) => [key, lasting(its)]));
}

describe('an upgrade', { timeout: 1_800_000 }, () => {
  const home = mkdtempSync(join(tmpdir(), 'darkroom-upgrade-'));
  let model: ModelServer;
  let env: NodeJS.ProcessEnv;
  let formerFolder: string;
  let stack: Launched | undefined;
  let client: Client;
  const ids = { image: '', document: '', waiting: '' };
  const sessions = { waiting: '', paused: '' };
  const answers = new Map<string, Json>();
  let runOfWaiting: string | undefined;

  const start = async (folder: string) => {
    stack = await launch(folder, home, env);
    client = createClient(stack.run);
    return stack;
  };
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
      assert.equal((await client.settled(id, 120)).primary_status, 'completed');
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

  test('the migrations run while the former code takes uploads', async () => {
    const over = new AbortController();
    const migrated = runProject('db/migrate.ts', [], stack?.env ?? {}).finally(() => over.abort());
    const statuses: number[] = [];
    for (let at = 0; !over.signal.aborted || at < FILES_UNDER_LOAD; at++) {
      const bytes = Buffer.from(`# Page ${at}\n\nUploaded while the database was migrated.\n`);
      statuses.push((await client.upload({ bytes, filename: `${at}.md` })).status);
    }
    const { code, output } = await migrated;
    assert.equal(code, 0, output);
    assert.deepEqual(new Set(statuses), new Set([201]));
    await stop();
  });

  test('this code answers as the former one, and its workflows go on', async () => {
    await start(PROJECT_ROOT);
    for (const [path, former] of answers) {
      const { status, body } = await client.get(path);
      assert.equal(status, 200, path);
      assert.partialDeepStrictEqual(lasting(body), former, path);
    }
    assert.equal(await runOf(ids.waiting), runOfWaiting);
    model.otherwise(replies.ok());
    assert.equal((await client.settled(ids.waiting, 120)).primary_status, 'completed');
    const ended = await client.sessionEnded(sessions.waiting, 120);
    assert.deepEqual([ended.status, ended.completed_files], ['completed', 3]);
    assert.equal((await client.get(`/files/sessions/${sessions.paused}/status`)).body.paused, true);
    assert.equal((await client.post(`/files/sessions/${sessions.paused}/resume`, {})).status, 200);
    assert.equal((await client.sessionEnded(sessions.paused, 120)).completed_files, 2);
    const { items } = (await client.get('/files?limit=100')).body;
    for (const { id } of items) await client.settled(id as string, 120);
    const audit = await runProject('cli/audit/main.ts', [], stack?.env ?? {});
    assert.match(audit.output, /^All invariants hold\.$/m);
  });

  test('the former code reads what this code has written, and goes on', async () => {
    const since = await client.ingest({ bytes: demoImage('coffee.jpg') });
    assert.equal((await client.settled(since, 120)).primary_status, 'completed');
    const { body } = await client.get(`/files/${since}`);
    await stop();
    await start(formerFolder);
    const again = await client.get(`/files/${since}`);
    assert.equal(again.status, 200);
    for (const key of ['primary_status', 'sha256', 'size_bytes', 'description']) {
      assert.deepEqual(again.body[key], body[key], key);
    }
    const more = await client.ingest({ bytes: readFileSync(DOCUMENT), filename: 'again.pdf' });
    assert.equal((await client.settled(more, 120)).primary_status, 'completed');
  });
});
