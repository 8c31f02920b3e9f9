import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createClient, eventually, sharedRun, type Json } from '../support/api.ts';
import { manual, minimalPdf, minutes, wordDocument } from '../support/documents.ts';

const client = createClient(sharedRun());

test('a Markdown file goes from upload to an answer', async () => {
  const upload = await client.upload({ bytes: manual, filename: 'manual.md', fields: { title: 'Pump' } });
  assert.equal(upload.status, 201, JSON.stringify(upload.body));
  assert.deepEqual(
    [upload.body.media_type, upload.body.document_type, upload.body.thumbnail_generation_started],
    ['document', 'md', false],
  );
  assert.match(upload.body.text_extraction_status, /^(pending|processing|completed)$/);
  const id = upload.body.file_id as string;
  const file = await client.settled(id);
  assert.equal(file.primary_status, 'completed', JSON.stringify(file));
  assert.deepEqual(
    [file.text_extraction_status, file.digitization_status, file.description_status],
    ['completed', 'completed', 'completed'],
  );
  assert.match(file.extracted_text, /twenty-four months/);
  assert.match(file.upload_description, /^Markdown document/);
  assert.ok(file.page_count >= 1 && file.chunk_count >= 1);

  const { body: text } = await client.get(`/files/${id}/text`);
  assert.equal(text.metadata.language, 'en');
  const { body: chunks } = await client.get(`/files/${id}/chunks?include_embeddings=true`);
  assert.deepEqual(
    chunks.chunks.map((chunk: { chunk_index: number }) => chunk.chunk_index),
    [...Array(chunks.total_chunks).keys()],
  );
  assert.deepEqual(chunks.status_counts, { completed: chunks.total_chunks, pending: 0, failed: 0 });
  assert.equal(chunks.chunks[0].embedding.length, 512);
  const { body: whole } = await client.get(`/files/${id}/digitization`);
  assert.deepEqual([whole.status, whole.total_pages], ['completed', file.page_count]);
  const { body: page } = await client.get(`/files/${id}/digitization/pages/1`);
  assert.equal(page.elements[0].type, 'heading');
  const { body: status } = await client.get(`/files/${id}/digitization/status`);
  assert.equal(status.page_statuses['1'], 'completed');

  const { status: searched, body: found } = await client.post('/files/search', {
    query: 'How long is the warranty?',
    document_ids: [id],
    limit: 1,
  });
  assert.equal(searched, 200, JSON.stringify(found));
  assert.match(found.items[0].content, /twenty-four months/);
  assert.ok(found.items[0].similarity_score > 0 && found.items[0].similarity_score <= 1);
  const { body: strict } = await client.post('/files/search', {
    query: 'How long is the warranty?',
    document_ids: [id],
    similarity_threshold: 1,
  });
  assert.equal(strict.total_count, 0);

  const { body: progress } = await client.get(`/files/${id}/processing-status`);
  assert.deepEqual(
    [progress.document_id, progress.document_type, progress.text_extraction_status, progress.page_count],
    [id, 'md', 'completed', file.page_count],
  );
});

test('PDF, Word and plain text are read as well', async () => {
  const documents = [
    { bytes: minimalPdf(['The harbour crane lifts forty tonnes.']), filename: 'crane.pdf', type: 'pdf' },
    {
      bytes: await wordDocument('Garden', 'The tulips bloom in April.'),
      filename: 'garden.docx',
      type: 'docx',
    },
    { bytes: minutes, filename: 'minutes.txt', type: 'txt' },
  ];
  const ids = await Promise.all(documents.map((document) => client.ingest(document)));
  for (const [at, id] of ids.entries()) {
    const file = await client.settled(id);
    assert.deepEqual(
      [file.primary_status, file.document_type],
      ['completed', documents[at]?.type],
      JSON.stringify(file),
    );
  }
  const ask = async (query: string) => {
    const { body } = await client.post('/files/search', { query, document_ids: ids, limit: 1 });
    return body.items[0]?.document_id;
  };
  assert.deepEqual(
    [await ask('When do tulips bloom?'), await ask('How much can the crane lift?')],
    [ids[1], ids[0]],
  );
});

test('document routes refuse images, and image routes refuse documents', async () => {
  const id = await client.ingest({ bytes: minutes, filename: 'minutes.txt' });
  await client.settled(id);
  for (const path of ['similar', 'extractions']) {
    const { status, body } = await client.get(`/files/${id}/${path}`);
    assert.deepEqual([status, body.code], [400, 'WRONG_MEDIA_TYPE'], path);
    assert.match(body.detail, /^document files have no /);
  }
});

async function analyze(
  path: string,
  bytes: Uint8Array,
  filename: string,
  fields: Record<string, string> = {},
) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([bytes]), filename);
  return client.request('POST', path, { body: form });
}

test('analyze waits for the text of a document, and a duplicate is skipped', async () => {
  const bytes = Buffer.from(
    `Report ${Math.random()}. The turbine was inspected in June and found to be sound.`,
  );
  const { status, body } = await analyze('/files/analyze', bytes, 'report.txt');
  assert.deepEqual(
    [status, body.status, body.document_type],
    [200, 'completed', 'txt'],
    JSON.stringify(body),
  );
  assert.match(body.extracted_text, /turbine/);
  const again = await analyze('/files/analyze', bytes, 'report.txt', { skip_duplicates: 'true' });
  assert.deepEqual([again.body.status, again.body.document_id], ['skipped', body.document_id]);

  const large = await analyze('/files/analyze', Buffer.alloc(10 * 1024 * 1024 + 1, 'a '), 'large.txt');
  assert.deepEqual([large.status, large.body.code], [413, 'FILE_TOO_LARGE']);
  const html = await analyze('/files/analyze', Buffer.from('<!doctype html><p>Hello'), 'page.md');
  assert.deepEqual([html.status, html.body.code], [415, 'UNSUPPORTED_MEDIA']);
  const hasty = await analyze('/files/analyze', bytes, 'report.txt', { timeout: '1' });
  assert.deepEqual([hasty.status, hasty.body.code], [422, 'VALIDATION_FAILED']);
});

test('a background analysis is a job', async () => {
  const { status, body } = await analyze('/files/analyze/async', minutes, 'minutes.txt');
  assert.deepEqual([status, body.status, body.poll_url], [202, 'processing', `/api/v2/job/${body.job_id}`]);
  await client.settled(body.job_id);
  const { body: job } = await client.get(`/job/${body.job_id}`);
  assert.deepEqual(
    [job.job_type, job.status, job.results[0].document_id],
    ['document', 'completed', body.job_id],
  );
  assert.match(job.results[0].visible_text, /bridge/);
  assert.equal((await client.get('/job/6f7f3a80-3f0b-4c50-9d80-0c6f0f2b7a11')).status, 404);
});

test('an analyzed document is stored in its folder or project, as an uploaded one is', async () => {
  const name = `Place ${Date.now()}`;
  const { body: folder } = await client.post('/folders', { name });
  const { body: project } = await client.post('/projects', { name });
  const { body: closed } = await client.post('/projects', { name: `${name}, closed` });
  await client.patch(`/projects/${closed.id}`, { archived: true });
  for (const path of ['/files/analyze', '/files/analyze/async']) {
    const inFolder = await analyze(path, minutes, 'a.txt', { folder_id: folder.id });
    const inProject = await analyze(path, minutes, 'b.txt', { project_id: project.id });
    const placeOf = async ({ body }: { body: Json }) => {
      const { body: file } = await client.get(`/files/${body.document_id ?? body.job_id}`);
      return [file.folder_id, file.project_id];
    };
    assert.deepEqual(await placeOf(inFolder), [folder.id, null], path);
    assert.deepEqual(await placeOf(inProject), [project.root_folder_id, project.id], path);
    const absent = await analyze(path, minutes, 'c.txt', { folder_id: randomUUID() });
    assert.deepEqual([absent.status, absent.body.code], [404, 'NOT_FOUND'], path);
    const archived = await analyze(path, minutes, 'd.txt', { project_id: closed.id });
    assert.deepEqual([archived.status, archived.body.code], [409, 'PROJECT_ARCHIVED'], path);
  }
});

test('a document that cannot be read fails with a reason, and its dependents are skipped', async () => {
  const broken = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(500, 0x41)]);
  const id = await client.ingest({ bytes: broken, filename: 'broken.pdf' });
  const file = await client.settled(id);
  assert.deepEqual(
    [file.primary_status, file.text_extraction_status, file.digitization_status, file.description_status],
    ['failed', 'failed', 'skipped', 'skipped'],
  );
  assert.ok(file.text_extraction_error);
  const { body } = await client.get(`/files/${id}/digitization/pages/1`);
  assert.equal(body.code, 'NOT_FOUND');
});

test('one page is read again, and the others keep their hash and their vectors', async () => {
  const id = await client.ingest({
    bytes: minimalPdf(['Page one speaks of apples.', 'Page two speaks of pears.']),
    filename: 'fruit.pdf',
  });
  await client.settled(id);
  const { body: before } = await client.get(`/files/${id}/digitization`);
  const { status, body } = await client.post(`/files/${id}/retry`, { pages: [2] });
  assert.deepEqual([status, body.retried], [202, ['text_extraction', 'digitization']], JSON.stringify(body));
  const file = await client.settled(id);
  assert.equal(file.primary_status, 'completed');
  const { body: after } = await client.get(`/files/${id}/digitization`);
  assert.deepEqual(after, before);
  const unknown = await client.post(`/files/${id}/retry`, { pages: [3] });
  assert.equal(unknown.status, 422);
});

test('a deleted document is not found, and a restored one is found again', async () => {
  const word = `zebrafish${Date.now()}`;
  const bytes = Buffer.from(
    `The aquarium in the hall has a ${word} that the children like to watch after school.`,
  );
  const id = await client.ingest({ bytes, filename: 'aquarium.txt' });
  await client.settled(id);
  const find = async () => {
    const { body } = await client.post('/files/search', { query: word });
    return body.items.filter((hit: { document_id: string }) => hit.document_id === id).length as number;
  };
  assert.equal(await find(), 1);
  assert.equal((await client.delete(`/files/${id}`)).status, 200);
  assert.equal(await find(), 0);
  await client.post(`/files/${id}/restore`, {});
  await eventually(async () => {
    const { body } = await client.get(`/files/${id}/chunks?include_embeddings=true`);
    assert.deepEqual(body.status_counts, { completed: 1, pending: 0, failed: 0 });
    assert.equal(body.chunks[0].embedding?.length, 512);
  });
  assert.equal(await find(), 1);
});

test('the file list finds a document by words in its text, unless only metadata are searched', async () => {
  const word = `axolotl${Date.now()}`;
  const pages = ['A page about ponds.', `The ${word} well-being report; feeding it twice a day is enough.`];
  const id = await client.ingest({ bytes: minimalPdf(pages), filename: 'ponds.pdf' });
  await client.settled(id);
  const found = async (query: string) => {
    const { status, body } = await client.get(`/files?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.items.map((item: Json) => item.id);
  };
  assert.deepEqual(await found(`search=${word}`), [id]);
  assert.deepEqual(await found(`search=${word}+ponds`), [id]);
  assert.deepEqual(await found(`search=${word}&search_mode=visible_text&media_types=document`), [id]);
  assert.deepEqual(await found(`search=%22${word}+well-being%22`), [id]);
  assert.deepEqual(await found(`search=${word}&search_mode=metadata`), []);
  assert.deepEqual(await found(`search=${word}&media_types=image`), []);
});

test('questions in German, French, Spanish and Arabic find their answers by other forms of their words', async () => {
  const texts = {
    de: 'Die Bibliothek öffnet an jedem Werktag um neun Uhr. Am Sonntag bleiben alle Räume geschlossen.',
    fr: 'Le train de nuit quitte la gare centrale à vingt-deux heures et arrive à Nice au petit matin.',
    es: 'El contrato de alquiler se renueva cada año si ninguna de las partes lo cancela por escrito.',
    ar: 'يجب على الطلاب تسليم الكتب إلى المكتبة قبل نهاية الشهر، وإلا دفعوا غرامة صغيرة عن كل يوم.',
  };
  const questions = {
    de: 'Wann öffnen die Bibliotheken?',
    fr: 'Quand partent les trains de nuit ?',
    es: '¿Cuándo se renuevan los contratos de alquiler?',
    ar: 'متى يسلم الطالب الكتاب إلى المكتبة؟',
  };
  const languages = Object.keys(texts) as (keyof typeof texts)[];
  const ids = await Promise.all(
    languages.map((language) =>
      client.ingest({ bytes: Buffer.from(texts[language]), filename: `${language}.txt` }),
    ),
  );
  for (const id of ids) assert.equal((await client.settled(id)).primary_status, 'completed');
  for (const [at, language] of languages.entries()) {
    const { body } = await client.post('/files/search', { query: questions[language], document_ids: ids });
    assert.equal(body.items[0]?.document_id, ids[at], language);
  }
});
