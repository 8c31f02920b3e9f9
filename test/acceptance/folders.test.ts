import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import { createClient, eventually, sharedRun, type Answer, type Json } from '../support/api.ts';
import { uniqueImage } from '../support/images.ts';

/** Folders and projects through the public surface. Names have a suffix, since other tests share the account. */
const run = sharedRun();
const client = createClient(run);
const stranger = createClient(run, run.tenants.starter.api_key);
const unique = (name: string) => `${name} ${randomUUID().slice(0, 8)}`;

const created = async (path: string, body: object): Promise<Json> => {
  const answer = await client.post(path, body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
};
const folder = (name: string, place: object = {}) => created('/folders', { name, ...place });
const project = (fields: object = {}) => created('/projects', { name: unique('Survey'), ...fields });
const upload = async (fields: Record<string, string>) =>
  client.ingest({ bytes: await uniqueImage(), fields: { auto_describe: 'false', ...fields } });
const ids = async (query: string): Promise<string[]> => {
  const { status, body } = await client.get(`/files?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.total_count, body.items.length);
  return body.items.map(({ id }: Json) => id).toSorted();
};
const refused = ({ status, body }: Answer) => `${status} ${body.code}`;

let survey: Json;
let quay: Json;
let crane: Json;
let inRoot: string;
let inProject: string;
let inQuay: string;
let inCrane: string;
before(async () => {
  survey = await project({ default_content_category: 'construction', description: 'Quays' });
  quay = await folder('Quay', { project_id: survey.id });
  crane = await folder('Crane', { parent_id: quay.id });
  inRoot = await upload({});
  inProject = await upload({ project_id: survey.id });
  inQuay = await upload({ folder_id: quay.id, content_category: 'map' });
  inCrane = await upload({ folder_id: crane.id.toUpperCase(), project_id: survey.id });
});

test('a project has a root folder of its name, and everything below it belongs to the project', async () => {
  assert.deepEqual(Object.keys(survey), [
    'id',
    'name',
    'slug',
    'description',
    'root_folder_id',
    'default_content_category',
    'default_schema_id',
    'archived_at',
  ]);
  assert.match(survey.slug, /^survey-[0-9a-f]{8}$/);
  const { body: root } = await client.get(`/folders/${survey.root_folder_id}`);
  assert.deepEqual(
    [root.name, root.parent_id, root.project_id, root.path, root.file_count],
    [survey.name, null, survey.id, `/${survey.name}`, 1],
  );
  const { body } = await client.get(`/folders/${crane.id}`);
  assert.deepEqual(body, {
    id: crane.id,
    name: 'Crane',
    parent_id: quay.id,
    project_id: survey.id,
    path: `/${survey.name}/Quay/Crane`,
    file_count: 1,
    retention_days: null,
    trash_days: null,
    created_at: crane.created_at,
  });
});

test('uploads go to their folder, or to the root folder of their project, with its content category', async () => {
  const placeOf = async (id: string) => {
    const { body } = await client.get(`/files/${id}`);
    return [body.folder_id, body.project_id, body.content_category];
  };
  assert.deepEqual(await placeOf(inRoot), [null, null, 'general']);
  assert.deepEqual(await placeOf(inProject), [survey.root_folder_id, survey.id, 'construction']);
  assert.deepEqual(await placeOf(inQuay), [quay.id, survey.id, 'map']);
  assert.deepEqual(await placeOf(inCrane), [crane.id, survey.id, 'construction']);
  const { items } = (await client.get(`/files?folder_id=${quay.id}`)).body;
  assert.deepEqual(
    items.map(({ folder_id: at, project_id: of }: Json) => [at, of]),
    [[quay.id, survey.id]],
  );
});

test('a batch and a direct upload go to their folder', async () => {
  const target = await folder(unique('Batch'));
  const files = [{ bytes: await uniqueImage() }, { bytes: await uniqueImage() }];
  const batch = await client.batch(files, { folder_id: target.id, auto_describe: 'false' });
  assert.equal(batch.status, 201, JSON.stringify(batch.body));
  const direct = await directUpload({ folder_id: target.id, project_id: survey.id });
  assert.equal(direct.answer.status, 202, JSON.stringify(direct.answer.body));
  const stored = [
    ...batch.body.immediate_results.map(({ file_id: id }: Json) => id),
    direct.answer.body.file_id,
  ];
  assert.deepEqual(await ids(`folder_id=${target.id}`), stored.toSorted());
  const inDefault = await directUpload({ folder_id: null, project_id: survey.id });
  const { body } = await client.get(`/files/${inDefault.answer.body.file_id}`);
  assert.deepEqual([body.folder_id, body.content_category], [survey.root_folder_id, 'construction']);
  await client.delete(`/files/${body.id}`);
});

/** @param between runs after the bytes were sent and before the completion */
async function directUpload(place: object, between: () => Promise<unknown> = async () => undefined) {
  const bytes = await uniqueImage();
  const announced = await client.post('/files/direct-uploads', {
    filename: 'a.png',
    content_type: 'image/png',
    size_bytes: bytes.length,
    claimed_file_hash: createHash('sha256').update(bytes).digest('hex'),
    auto_describe: false,
    ...place,
  });
  assert.equal(announced.status, 201, JSON.stringify(announced.body));
  const { presigned_url: url, headers, upload_id: id } = announced.body;
  assert.equal((await fetch(url, { method: 'PUT', body: new Blob([bytes]), headers })).status, 200);
  await between();
  return { answer: await client.post(`/files/direct-uploads/${id}/complete`, {}) };
}

test('files are listed by folder, by subtree, by project and in the root', async () => {
  assert.deepEqual(await ids(`folder_id=${quay.id}`), [inQuay]);
  assert.deepEqual(await ids(`folder_id=${quay.id}&include_subfolders=true`), [inQuay, inCrane].toSorted());
  const all = [inProject, inQuay, inCrane].toSorted();
  assert.deepEqual(await ids(`project_id=${survey.id}`), all);
  assert.deepEqual(await ids(`folder_id=${survey.root_folder_id}&include_subfolders=true`), all);
  assert.deepEqual(await ids(`folder_id=${crane.id}&project_id=${survey.id}`), [inCrane]);
  assert.deepEqual(await ids(`folder_id=root&ids=${inRoot}&ids=${inQuay}`), [inRoot]);
  const anywhere = `folder_id=root&include_subfolders=true&ids=${inRoot}&ids=${inQuay}`;
  assert.deepEqual(await ids(anywhere), [inRoot, inQuay].toSorted());
});

test('a cursor of a subtree stays valid when a folder is added to it', async () => {
  const query = `folder_id=${survey.root_folder_id}&include_subfolders=true&limit=2`;
  const { body: first } = await client.get(`/files?${query}`);
  await folder(unique('Later'), { parent_id: quay.id });
  const { status, body: second } = await client.get(`/files?${query}&cursor=${first.next_cursor}`);
  assert.equal(status, 200, JSON.stringify(second));
  assert.equal(new Set([...first.items, ...second.items].map(({ id }: Json) => id)).size, 3);
});

test('folders are listed by name, by parent, in the root and by project', async () => {
  const top = await folder(unique('Listed'));
  const names = ['b', 'a', 'c'];
  for (const name of names) await folder(name, { parent_id: top.id });
  const { body } = await client.get(`/folders?parent_id=${top.id}&limit=2`);
  assert.deepEqual(
    [body.items.map(({ name }: Json) => name), body.total_count, body.limit, body.offset, body.has_more],
    [['a', 'b'], 3, 2, 0, true],
  );
  assert.deepEqual(
    body.items.map(({ path }: Json) => path),
    [`/${top.name}/a`, `/${top.name}/b`],
  );
  const { body: rest } = await client.get(`/folders?parent_id=${top.id}&limit=2&offset=2`);
  assert.deepEqual([rest.items.length, rest.has_more], [1, false]);
  const { body: ofProject } = await client.get(`/folders?project_id=${survey.id}&limit=100`);
  assert.ok(ofProject.items.every(({ project_id: id }: Json) => id === survey.id));
  assert.ok(ofProject.items.some(({ id }: Json) => id === crane.id));
  const { body: roots } = await client.get('/folders?parent_id=root&limit=100');
  assert.ok(roots.items.every(({ parent_id: id }: Json) => id === null));
});

test('a name is taken only in the same place, also in the root and in another normal form', async () => {
  const name = unique('Café');
  const one = await folder(name);
  assert.equal(
    refused(await client.post('/folders', { name: ` ${name.normalize('NFD')}` })),
    '409 NAME_TAKEN',
  );
  assert.equal(refused(await client.post('/projects', { name })), '409 NAME_TAKEN');
  await folder(name, { parent_id: one.id });
  const other = await folder(unique('Other'));
  assert.equal(refused(await client.patch(`/folders/${other.id}`, { name })), '409 NAME_TAKEN');
  const inner = await folder(name, { parent_id: other.id });
  assert.equal(refused(await client.patch(`/folders/${inner.id}`, { parent_id: null })), '409 NAME_TAKEN');
  assert.equal(
    (await client.patch(`/folders/${inner.id}`, { parent_id: null, name: unique('x') })).status,
    200,
  );
  assert.equal((await client.delete(`/folders/${one.id}?recursive=true`)).status, 200);
  await folder(name);
});

test('a folder moves with everything in it, also into another project and out of one', async () => {
  const other = await project();
  const top = await folder('Moving', { project_id: other.id });
  const below = await folder('Below', { parent_id: top.id });
  const file = await upload({ folder_id: below.id });
  const moved = await client.patch(`/folders/${top.id}`, { parent_id: survey.root_folder_id });
  assert.deepEqual(
    [moved.status, moved.body.project_id, moved.body.path],
    [200, survey.id, `/${survey.name}/Moving`],
  );
  assert.equal((await client.get(`/folders/${below.id}`)).body.project_id, survey.id);
  assert.equal((await client.get(`/files/${file}`)).body.project_id, survey.id);
  assert.deepEqual(await ids(`project_id=${other.id}`), []);
  const out = await client.patch(`/folders/${top.id}`, { parent_id: null, name: unique('Moved') });
  assert.deepEqual([out.body.project_id, out.body.parent_id], [null, null]);
  assert.equal((await client.get(`/folders/${below.id}`)).body.project_id, null);
  assert.equal((await client.get(`/files/${file}`)).body.project_id, null);
});

test('cycles, and folders deeper than 20 levels, are rejected with 400', async () => {
  const levels = [await folder(unique('Deep'))];
  for (let level = 2; level <= 20; level++)
    levels.push(await folder(`${level}`, { parent_id: levels.at(-1).id }));
  const [top, second] = levels;
  const bottom = levels.at(-1);
  assert.equal(
    refused(await client.post('/folders', { name: 'x', parent_id: bottom.id })),
    '400 FOLDER_TOO_DEEP',
  );
  for (const parent of [top, second, bottom]) {
    const answer = await client.patch(`/folders/${top.id}`, { parent_id: parent.id });
    assert.equal(refused(answer), '400 FOLDER_CYCLE');
  }
  const pair = await folder(unique('Pair'));
  await folder('lower', { parent_id: pair.id });
  assert.equal(
    refused(await client.patch(`/folders/${pair.id}`, { parent_id: levels[18].id })),
    '400 FOLDER_TOO_DEEP',
  );
  assert.equal((await client.patch(`/folders/${pair.id}`, { parent_id: levels[17].id })).status, 200);
});

test('a file is moved by PATCH, into a folder and to the root', async () => {
  const target = await folder(unique('Target'));
  const id = await upload({});
  const moved = await client.patch(`/files/${id}`, { folder_id: target.id, title: 'Moved' });
  assert.deepEqual([moved.status, moved.body.folder_id, moved.body.title], [200, target.id, 'Moved']);
  assert.deepEqual(await ids(`folder_id=${target.id}`), [id]);
  assert.equal((await client.get(`/folders/${target.id}`)).body.file_count, 1);
  assert.equal((await client.patch(`/files/${id}`, { title: 'Again' })).body.folder_id, target.id);
  assert.equal((await client.patch(`/files/${id}`, { folder_id: null })).body.folder_id, null);
  assert.equal((await client.get(`/folders/${target.id}`)).body.file_count, 0);
});

test('a folder that is not empty is deleted only with recursive, and its files can be restored into the root', async () => {
  const top = await folder(unique('Doomed'));
  const below = await folder('Below', { parent_id: top.id });
  assert.equal(refused(await client.delete(`/folders/${top.id}`)), '409 FOLDER_NOT_EMPTY');
  const file = await upload({ folder_id: below.id });
  assert.equal(refused(await client.delete(`/folders/${below.id}`)), '409 FOLDER_NOT_EMPTY');
  assert.equal((await client.get(`/files/${file}`)).status, 200);

  const { status, body } = await client.delete(`/folders/${top.id}?recursive=true`);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(
    [body.id, body.deleted_folders, body.deleted_files, body.pending_files],
    [top.id, 2, 1, 0],
  );
  for (const path of [`/folders/${top.id}`, `/folders/${below.id}`, `/files/${file}`]) {
    assert.equal((await client.get(path)).status, 404);
  }
  assert.equal((await client.delete(`/folders/${top.id}?recursive=true`)).status, 404);
  assert.ok((await ids(`deleted=true&ids=${file}`)).includes(file));

  const restored = await client.post(`/files/${file}/restore`, {});
  assert.deepEqual([restored.body.restored, restored.body.folder_id], [true, null]);
  assert.match(restored.body.message, /folder was deleted, so it is in the root/);
  assert.equal((await client.get(`/files/${file}`)).body.folder_id, null);
});

test('a file is restored into its folder while that exists, and the trash is listed by folder', async () => {
  const target = await folder(unique('Kept'));
  const file = await upload({ folder_id: target.id });
  await client.delete(`/files/${file}`);
  assert.deepEqual(await ids(`folder_id=${target.id}`), []);
  assert.deepEqual(await ids(`folder_id=${target.id}&deleted=true`), [file]);
  assert.equal((await client.get(`/folders/${target.id}`)).body.file_count, 0);
  const { body } = await client.post(`/files/${file}/restore`, {});
  assert.deepEqual([body.folder_id, body.message.includes('root')], [target.id, false]);
  await client.delete(`/files/${file}`);
  assert.equal(
    (await client.delete(`/folders/${target.id}`)).status,
    200,
    'the trash does not keep a folder',
  );
});

test('an archived project takes neither files nor folders until it is reopened', async () => {
  const closing = await project();
  const inside = await folder('Inside', { project_id: closing.id });
  const loose = await folder(unique('Loose'));
  const kept = await upload({ project_id: closing.id });
  const file = await upload({});
  const { body } = await client.patch(`/projects/${closing.id}`, { archived: true });
  assert.ok(Date.parse(body.archived_at));
  const bytes = await uniqueImage();
  const direct = {
    filename: 'a.png',
    content_type: 'image/png',
    size_bytes: 10,
    claimed_file_hash: '0'.repeat(64),
  };
  const answers = await Promise.all([
    client.upload({ bytes, fields: { project_id: closing.id } }),
    client.upload({ bytes, fields: { folder_id: inside.id } }),
    client.batch([{ bytes }], { folder_id: inside.id }),
    client.batch([{ bytes }], { folder_id: inside.id }, true),
    client.post('/files/direct-uploads', { ...direct, folder_id: inside.id }),
    client.post('/folders', { name: 'x', parent_id: inside.id }),
    client.patch(`/folders/${loose.id}`, { parent_id: inside.id }),
    client.patch(`/files/${file}`, { folder_id: inside.id }),
  ]);
  assert.deepEqual(
    answers.map(refused),
    answers.map(() => '409 PROJECT_ARCHIVED'),
  );
  const tidied = await client.patch(`/files/${kept}`, { folder_id: inside.id });
  assert.equal(tidied.status, 200, 'within the project files still move');
  const { items } = (await client.get('/projects?archived=true&limit=100')).body;
  assert.ok(items.some(({ id }: Json) => id === closing.id));
  assert.equal((await client.patch(`/projects/${closing.id}`, { archived: false })).body.archived_at, null);
  await upload({ folder_id: inside.id });
});

test('the root folder of a project is renamed and deleted only with the project', async () => {
  const { id, root_folder_id: root } = await project();
  for (const change of [{ name: 'x' }, { parent_id: quay.id }]) {
    assert.equal(refused(await client.patch(`/folders/${root}`, change)), '409 PROJECT_ROOT');
  }
  assert.equal(refused(await client.delete(`/folders/${root}?recursive=true`)), '409 PROJECT_ROOT');
  const name = unique('Renamed');
  const renamed = await client.patch(`/projects/${id}`, { name, slug: `s-${randomUUID().slice(0, 8)}` });
  assert.equal(renamed.body.name, name);
  assert.equal((await client.get(`/folders/${root}`)).body.path, `/${name}`);
  const file = await upload({ project_id: id });
  assert.equal(refused(await client.delete(`/projects/${id}`)), '409 FOLDER_NOT_EMPTY');
  const { status, body } = await client.delete(`/projects/${id}?recursive=true`);
  assert.deepEqual([status, body.id, body.deleted_folders, body.deleted_files], [200, id, 1, 1]);
  for (const path of [`/projects/${id}`, `/folders/${root}`, `/files/${file}`]) {
    assert.equal((await client.get(path)).status, 404);
  }
  assert.equal((await client.delete(`/projects/${id}`)).status, 404);
});

test('a taken slug and an unknown default schema are rejected', async () => {
  const taken = await client.post('/projects', { name: unique('Twin'), slug: survey.slug });
  assert.equal(refused(taken), '409 NAME_TAKEN');
  const body = { name: unique('Schema'), default_schema_id: randomUUID() };
  assert.equal(refused(await client.post('/projects', body)), '400 CUSTOM_SCHEMA_NOT_FOUND');
  const nothing = { description: null, default_content_category: null, default_schema_id: null };
  const cleared = await project({ description: 'x', default_content_category: 'map' });
  const { body: answer } = await client.patch(`/projects/${cleared.id}`, nothing);
  assert.deepEqual(
    [answer.description, answer.default_content_category, answer.default_schema_id],
    [null, null, null],
  );
});

test('a repeat with the same Idempotency-Key creates nothing', async () => {
  for (const path of ['/folders', '/projects']) {
    const headers = { 'Idempotency-Key': randomUUID(), 'Content-Type': 'application/json' };
    const body = JSON.stringify({ name: unique('Once') });
    const first = await client.request('POST', path, { headers, body });
    const again = await client.request('POST', path, { headers, body });
    assert.deepEqual([first.status, again.status], [201, 201]);
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
  }
});

test('a direct upload whose folder was deleted ends in the root, and its creation can be repeated with its key', async () => {
  const target = await folder(unique('Short-lived'));
  const { answer } = await directUpload({ folder_id: target.id }, () =>
    client.delete(`/folders/${target.id}`),
  );
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  const stored = await eventually(async () => {
    const { status, body } = await client.get(`/files/${answer.body.file_id}`);
    assert.equal(status, 200);
    return body;
  });
  assert.equal(stored.folder_id, null);

  const gone = await folder(unique('Short-lived'));
  const headers = { 'Idempotency-Key': randomUUID(), 'Content-Type': 'application/json' };
  const body = JSON.stringify({
    filename: 'a.png',
    content_type: 'image/png',
    size_bytes: 10,
    claimed_file_hash: '0'.repeat(64),
    folder_id: gone.id,
  });
  const first = await client.request('POST', '/files/direct-uploads', { headers, body });
  await client.delete(`/folders/${gone.id}`);
  const again = await client.request('POST', '/files/direct-uploads', { headers, body });
  assert.deepEqual([again.status, again.body], [201, first.body]);
  await client.delete(`/files/direct-uploads/${first.body.upload_id}`);
});

test('foreign, absent and deleted ids are 404 everywhere, with the same response', async () => {
  const gone = await folder(unique('Gone'));
  await client.delete(`/folders/${gone.id}`);
  const theirs = (await stranger.post('/projects', { name: unique('Theirs') })).body;
  const bytes = await uniqueImage();
  const file = await upload({});
  const json = {
    filename: 'a.png',
    content_type: 'image/png',
    size_bytes: 9,
    claimed_file_hash: '0'.repeat(64),
  };
  const ofFolder = (id: string) => [
    client.get(`/folders/${id}`),
    client.patch(`/folders/${id}`, { name: 'x' }),
    client.delete(`/folders/${id}?recursive=true`),
    client.get(`/folders?parent_id=${id}`),
    client.get(`/files?folder_id=${id}`),
    client.get(`/files?folder_id=${id}&include_subfolders=true`),
    client.post('/folders', { name: 'x', parent_id: id }),
    client.patch(`/folders/${quay.id}`, { parent_id: id }),
    client.patch(`/files/${file}`, { folder_id: id }),
    client.upload({ bytes, fields: { folder_id: id } }),
    client.batch([{ bytes }], { folder_id: id }),
    client.batch([{ bytes }], { folder_id: id }, true),
    client.post('/files/direct-uploads', { ...json, folder_id: id }),
  ];
  const ofProject = (id: string) => [
    client.get(`/projects/${id}`),
    client.patch(`/projects/${id}`, { archived: true }),
    client.delete(`/projects/${id}?recursive=true`),
    client.get(`/folders?project_id=${id}`),
    client.get(`/files?project_id=${id}`),
    client.get(`/files?project_id=${id}&folder_id=${quay.id}`),
    client.post('/folders', { name: 'x', project_id: id }),
    client.upload({ bytes, fields: { project_id: id } }),
    client.upload({ bytes, fields: { project_id: id, folder_id: quay.id } }),
    client.post('/files/direct-uploads', { ...json, project_id: id }),
  ];
  for (const id of [theirs.root_folder_id, randomUUID(), gone.id]) {
    const refusals = (await Promise.all(ofFolder(id))).map(
      ({ body, ...answer }) => `${refused({ body, ...answer })} ${body.detail}`,
    );
    assert.deepEqual(
      refusals,
      refusals.map(() => '404 NOT_FOUND folder not found'),
    );
  }
  for (const id of [theirs.id, randomUUID()]) {
    const refusals = (await Promise.all(ofProject(id))).map(
      ({ body, ...answer }) => `${refused({ body, ...answer })} ${body.detail}`,
    );
    assert.deepEqual(
      refusals,
      refusals.map(() => '404 NOT_FOUND project not found'),
    );
  }
  const { body } = await stranger.get('/folders?limit=100');
  assert.ok(!body.items.some(({ id }: Json) => id === quay.id));
  assert.equal((await stranger.get(`/folders/${theirs.root_folder_id}`)).status, 200);
  assert.equal((await stranger.delete(`/projects/${theirs.id}`)).status, 200);
});

const BAD: [string, () => Promise<Answer>, string][] = [
  ['a folder without a name', () => client.post('/folders', {}), '/body/name'],
  ['a name with a slash', () => client.post('/folders', { name: 'a/b' }), '/body/name'],
  ['an empty name', () => client.post('/projects', { name: ' ' }), '/body/name'],
  ['a malformed parent', () => client.post('/folders', { name: 'x', parent_id: 'y' }), '/body/parent_id'],
  ['an unknown field', () => client.post('/folders', { name: 'x', path: '/x' }), '/body/path'],
  ['a bad slug', () => client.post('/projects', { name: 'x', slug: 'Not this' }), '/body/slug'],
  ['an empty change', () => client.patch(`/folders/${quay.id}`, {}), '/body'],
  ['an empty change of a project', () => client.patch(`/projects/${survey.id}`, {}), '/body'],
  ['a malformed filter', () => client.get('/files?folder_id=roots'), '/query/folder_id'],
  ['a malformed project filter', () => client.get('/files?project_id=x'), '/query/project_id'],
  [
    'a malformed folder of an upload',
    async () => client.upload({ bytes: await uniqueImage(), fields: { folder_id: 'x' } }),
    '/form/folder_id',
  ],
  [
    'a malformed folder of a file',
    () => client.patch(`/files/${inRoot}`, { folder_id: 'x' }),
    '/body/folder_id',
  ],
  ['no boolean', () => client.delete(`/folders/${quay.id}?recursive=maybe`), '/query/recursive'],
];
for (const [what, ask, pointer] of BAD) {
  test(`${what} is rejected with 422`, async () => {
    const { status, body } = await ask();
    assert.equal(status, 422, JSON.stringify(body));
    assert.equal(body.errors[0].pointer, pointer);
  });
}
