import type { Api, SingleShotUpload } from './api.ts';

/**
 * A client program that uses each operation once, in a sensible order, through the client generated from the
 * OpenAPI document. A test generates `api.ts` beside a copy of this file, compiles and runs both; the
 * requests and responses become the examples of the document.
 */

/** Dependencies of the program. */
export interface Environment {
  api: Api<unknown>;
  /** The same API with the session of an owner, for settings. */
  settings: Api<unknown>;
  /** An unused bucket. */
  bucket: Parameters<Api<unknown>['tenant']['configureStorage']>[0];
  /** A new image and its SHA-256. */
  image: (name: string) => Promise<{ file: File; sha256: string }>;
  /** An invalid image that begins like a JPEG. */
  brokenImage: (name: string) => File;
  /** Consents at Google and returns the parameters with which Google redirects the browser. */
  consent: (url: string) => Promise<{ state: string; code: string }>;
  /** A PDF of two letters, of two pages and one. */
  pdf: (name: string) => File;
  /** Sends bytes to the object store and returns their ETag. */
  put: (url: string, body: Blob, headers?: Record<string, unknown>) => Promise<string>;
  /** The URL of a page of a test site, by its path. */
  pageUrl: (path: string) => string;
  /** Repeats a request until its response fits. */
  until: <T>(ask: () => Promise<{ data: T }>, fits: (answer: T) => boolean) => Promise<T>;
  /** Id of a file that was permanently removed. */
  removedFileId: string;
  /** A browser that keeps cookies and sends no API key. */
  browser: Api<unknown>;
  /** The token in the newest mail to this address with a matching subject. */
  tokenFor: (address: string, subject: RegExp) => Promise<string>;
  /** The token of an invitation of this user to their own tenant. */
  invitationFor: (address: string) => Promise<string>;
  /** Turns this user into one without a password, who logs in at an identity provider. */
  forgetPassword: (address: string) => Promise<void>;
}

/** The generated client cannot send several files from a list, only a ready form. */
const ready = (form: FormData) => form as unknown as { files: File[] };

const PART_BYTES = 5 * 1024 * 1024;

export async function useEveryOperation(surroundings: Environment): Promise<void> {
  await beforeUploads(surroundings);
  const fileId = await streamedUploads(surroundings);
  await readAndChange(surroundings, fileId);
  await extractions(surroundings);
  await images(surroundings);
  await documents(surroundings);
  await splits(surroundings);
  await links(surroundings);
  await structuredExtraction(surroundings);
  await directUploads(surroundings);
  await uploadSessions(surroundings);
  await connections(surroundings, fileId);
  await exports(surroundings, fileId);
  await reprocessing(surroundings, fileId);
  await folders(surroundings);
  await trash(surroundings, fileId);
  await olderClients(surroundings);
  await usage(surroundings);
  await apiKeys(surroundings);
  await webhooks(surroundings);
  await members(surroundings);
  await tenant(surroundings);
  await ownBucket(surroundings);
  await accounts(surroundings);
}

async function beforeUploads({ api, image }: Environment): Promise<void> {
  const { data: quota } = await api.files.checkQuota({ file_count: 20 });
  if (!quota.can_proceed) throw new Error(quota.message ?? 'no credits');
  const { sha256 } = await image('harbour.jpg');
  const { data: checked } = await api.files.checkDuplicates({ hashes: [sha256] });
  const unknown: string[] = checked.unique;
  await api.files.logUploadEvent({
    event_type: 'upload_planned',
    message: `${unknown.length} new files`,
    data: { batch: 1 },
    file_name: 'harbour.jpg',
  });
}

async function streamedUploads({ api, image, until }: Environment): Promise<string> {
  const { file } = await image('harbour.jpg');
  const { data: uploaded } = await api.files.uploadFile({
    file,
    title: 'Harbour at dusk',
    tags: 'sea,boats',
    content_category: 'general',
    skip_duplicates: true,
  });
  const id: string = uploaded.file_id;
  await until(
    () => api.files.getFile(id, { format: 'markdown' }),
    ({ primary_status: status }) => status === 'completed',
  );
  return id;
}

async function readAndChange({ api, until }: Environment, id: string): Promise<void> {
  const { data: status } = await api.files.getUploadStatus(id, { stuck_minutes: 30 });
  if (status.is_stuck) throw new Error(`stuck: ${status.cause}`);
  await api.files.getProcessingStatus(id);
  const events = await api.files.streamFileEvents(id);
  if (!(await events.text()).includes('file.terminal')) throw new Error('the last frame is missing');
  const { data: timeline } = await api.files.getFileTimeline(id);
  const outcomes: string[] = timeline.runs.map((run) => run.outcome);
  if (outcomes.length !== 1) throw new Error('the file must have one run');
  await api.files.listStuckFiles({ stuck_minutes: 30, limit: 10 });

  await api.files.changeFile(id, {
    title: 'Harbour at night',
    tags: ['sea', 'night'],
    user_description: null,
  });
  await api.files.downloadFile(id);
  await api.files.getFileVariant(id, 'small_256');
  await until(
    () =>
      api.files.listFiles({
        search: 'harbour',
        tags: ['sea', 'night'],
        media_types: ['image', 'document'],
        limit: 10,
      }),
    ({ items }) => items.some((item) => item.id === id),
  );
  await until(
    () => api.files.findSimilarFiles(id, { limit: 5 }),
    (similar) => similar.reference_image_id === id,
  );

  const { data: retry } = await api.files.retryFile(id, { components: ['description'] });
  const generation: number = retry.generation;
  if (generation !== 2) throw new Error('the retry must start a second run');
  await finished({ api, until }, id);
  const { data: trigger } = await api.files.triggerVariants(id);
  if (!trigger.success) throw new Error(trigger.message);
  await finished({ api, until }, id);
}

const finished = ({ api, until }: Pick<Environment, 'api' | 'until'>, id: string) =>
  until(
    () => api.files.getFile(id, { format: 'markdown' }),
    ({ primary_status: status }) => status !== 'pending' && status !== 'processing',
  );

async function extractions({ api, image, until }: Environment): Promise<void> {
  const { file } = await image('house.jpg');
  const { data: uploaded } = await api.files.uploadFile({
    file,
    content_category: 'general',
    compliance_type: 'mls',
    compliance_standard: 'general',
    compliance_image_type: 'main',
  });
  const id: string = uploaded.file_id;
  await finished({ api, until }, id);
  const { data: list } = await api.files.listExtractions(id);
  const check = list.extractions.find((one) => one.domain_name === 'mls_compliance');
  if (check?.domain_name !== 'mls_compliance') throw new Error('the check is missing');
  // The discriminator narrows the union, so these are the fields of a compliance check.
  const verdict: 'passed' | 'failed' | 'not_checked' | undefined = check.result.items[1]?.verdict;
  if (verdict !== 'failed') throw new Error('the rule for the image size must fail');
  const { data: review } = await api.files.reviewExtraction(id, 'mls_compliance', {
    item_reviews: { 'items.0': 'confirmed', 'items.1': 'rejected' },
    field_edits: { 'items.1.verdict': 'passed' },
  });
  if (review.corrections.item_reviews['items.1'] !== 'rejected') throw new Error('the review must be stored');
}

async function images({ api, image, until }: Environment): Promise<void> {
  const { file } = await image('lighthouse.jpg');
  const { data: analyzed } = await api.images.analyzeImage({ file, content_category: 'auto', timeout: 60 });
  if (analyzed.status !== 'completed') throw new Error(`the image is ${analyzed.status}`);
  const tags: string[] = analyzed.tags;
  if (tags.length === 0) throw new Error('no tags');
  const { data: started } = await api.images.startImageAnalysis({ file, skip_duplicates: true });
  await until(
    () => api.job.getJob(started.job_id),
    (job) => job.status !== 'processing',
  );
}

async function documents({ api, until }: Environment): Promise<void> {
  const text = '# Pump\n\n## Warranty\n\nThe warranty of the pump lasts twenty-four months.\n';
  const document = (name: string) => new File([text], name, { type: 'text/markdown' });
  const { data: analyzed } = await api.files.analyzeDocument({ file: document('pump.md'), timeout: 60 });
  if (analyzed.status !== 'completed') throw new Error(`the document is ${analyzed.status}`);
  const id: string = analyzed.document_id;
  const { data: answer } = await api.files.searchDocuments({ query: 'How long is the warranty?', limit: 3 });
  if (!answer.items.some((item) => item.document_id === id))
    throw new Error('the search must find the document');
  await api.files.getDocumentText(id);
  await api.files.listDocumentChunks(id, { include_embeddings: false });
  await api.files.getDigitization(id);
  await api.files.getDigitizationStatus(id);
  await api.files.getDigitizedPage(id, 1);
  await api.files.getPageImage(id, 1, { width: 320 });
  const { data: started } = await api.files.startDocumentAnalysis({
    file: document('copy.md'),
    skip_duplicates: true,
  });
  await until(
    () => api.job.getJob(started.job_id),
    (job) => job.status !== 'processing',
  );
}

async function splits({ api, pdf, until }: Environment): Promise<void> {
  const { data: uploaded } = await api.files.uploadFile({ file: pdf('post.pdf'), auto_describe: false });
  const id: string = uploaded.file_id;
  await until(
    () => api.files.getFile(id),
    ({ primary_status: status }) => status === 'completed',
  );
  const { data: begun } = await api.files.splitDocument(id, { ranges: ['1-2', '3'] });
  await until(
    () => api.splits.getSplit(begun.split_id),
    ({ status }) => status === 'completed',
  );
  await api.splits.cancelSplit(begun.split_id);
  const { data: known } = await api.files.listSplits(id, { limit: 10 });
  if (known.items[0]?.stored_parts !== 2) throw new Error('two parts must be files');
}

async function links({ api, pageUrl, until }: Environment): Promise<void> {
  const { data: added } = await api.files.addLink({ url: pageUrl('/keeper'), tags: ['tower'] });
  await until(
    () => api.files.getFile(added.file_id),
    ({ primary_status: status }) => status === 'completed',
  );
  const { data: batch } = await api.files.addLinks({
    links: [{ url: pageUrl('/keeper') }, { url: pageUrl('/lamps'), title: 'Lamps' }],
    skip_duplicates: true,
  });
  if (batch.accepted_files !== 2) throw new Error('two links must be accepted');
  await until(
    () => api.files.getUploadSessionStatus(batch.session_id),
    ({ status }) => status === 'completed',
  );
}

async function structuredExtraction({ api, until }: Environment): Promise<void> {
  const schema = {
    type: 'object',
    properties: { invoice_number: { type: 'string' }, total: { type: 'number' } },
  };
  const { data: violations } = await api.extractionSchemas.validateExtractionSchema({
    schema: { type: 'object', properties: { total: { type: 'money' } } },
  });
  if (violations.length !== 1) throw new Error('the schema must have one violation');
  const { data: saved } = await api.extractionSchemas.createExtractionSchema({ name: 'Invoice', schema });
  await api.extractionSchemas.changeExtractionSchema(saved.id, { prompt_hint: 'Amounts in euros' });
  await api.extractionSchemas.listExtractionSchemas({ limit: 10 });
  await api.extractionSchemas.getExtractionSchema(saved.id, { version: 1 });

  const text = '# Invoice\n\nInvoice number: 2041-7\n\nTotal: 118.50\n';
  const file = new File([text], 'invoice.md', { type: 'text/markdown' });
  const { data: uploaded } = await api.files.uploadFile({ file, auto_describe: false });
  await until(
    () => api.files.getFile(uploaded.file_id),
    ({ primary_status: status }) => status === 'completed',
  );
  const { data: answer } = await api.files.askDocuments({
    question: 'What is the total of the invoice?',
    document_ids: [uploaded.file_id],
  });
  await api.answers.getAnswer(answer.answer_id);
  await api.answers.listAnswers();
  const { data: extracted } = await api.extract.extractData({
    file_id: uploaded.file_id,
    custom_schema_id: saved.id,
    citations: true,
  });
  if (!('extracted_data' in extracted)) throw new Error('the extraction must complete in time');
  if (extracted.extracted_data['total'] !== 118.5) throw new Error('the total must be 118.50');
  await api.extractions.getExtraction(extracted.extraction_id);
  await api.extractions.listSchemaExtractions();
  const events = await api.extractions.streamExtractionEvents(extracted.extraction_id);
  if (!(await events.text()).includes('extraction.terminal')) throw new Error('the last frame is missing');
  await api.extractionSchemas.deleteExtractionSchema(saved.id);
}

async function directUploads({ api, image, put }: Environment): Promise<void> {
  const parts = await api.files.createDirectUpload({
    filename: 'panorama.png',
    content_type: 'image/png',
    size_bytes: 2 * PART_BYTES,
    claimed_file_hash: (await image('panorama.png')).sha256,
    upload_mode: 'multipart',
    part_size_bytes: PART_BYTES,
  });
  // The discriminator narrows the union to a member with its own fields.
  if (parts.data.upload_mode !== 'multipart') throw new Error('the upload mode must be multipart');
  const { upload_id: id } = parts.data;
  const first: string | undefined = parts.data.part_urls[0]?.url;
  const { data: again } = await api.files.retryUploadPart(id, { part_number: 1 });
  const etag = await put(first ?? again.url, new Blob([new Uint8Array(PART_BYTES)]));
  await api.files.confirmUploadPart(id, { part_number: 1, etag, size_bytes: PART_BYTES });
  const { data: begun } = await api.files.getDirectUpload(id, { parts_limit: 10 });
  if (begun.parts.map(({ state }) => state).join() !== 'confirmed,missing')
    throw new Error('one part is sent');
  await api.files.listDirectUploads({ limit: 10 });
  await api.files.abortDirectUpload(id, { reason: 'the user has changed their mind' });

  const { file, sha256 } = await image('lighthouse.jpg');
  const { data: created } = await api.files.createDirectUpload(
    {
      filename: file.name,
      content_type: 'image/jpeg',
      size_bytes: file.size,
      claimed_file_hash: sha256,
      title: 'Lighthouse',
      tags: ['sea'],
    },
    { headers: { 'Idempotency-Key': 'lighthouse-1' } },
  );
  if (created.upload_mode !== 'single_shot') throw new Error('the upload mode must be single_shot');
  const single: SingleShotUpload = created;
  const { data: same } = await api.files.getUploadUrl(single.upload_id);
  if (same.presigned_url !== single.presigned_url) throw new Error('the URL must be that of the creation');
  await put(single.presigned_url, file, single.headers);
  await api.files.completeDirectUpload(single.upload_id, {});
}

async function uploadSessions(surroundings: Environment): Promise<void> {
  const { api, image, brokenImage, until } = surroundings;
  const form = new FormData();
  form.append('tags', 'trip');
  form.append('files', (await image('one.jpg')).file);
  form.append('files', brokenImage('two.jpg'));
  const { data: batch } = await api.files.uploadBatch(ready(form));
  const { session_id: id } = batch;
  const channel: string = batch.websocket_channel;
  if (channel !== `batch.${id}`) throw new Error(channel);
  await until(
    () => api.files.getUploadSessionStatus(id),
    ({ status }) => status === 'completed' || status === 'failed',
  );
  await api.files.listUploadSessions({ upload_method: 'streaming', limit: 10 });
  await api.files.getUploadSessionResults(id, { include_failed: true, limit: 10 });
  await api.files.getUploadSessionSummary(id);
  const events = await api.files.streamUploadSessionEvents(id);
  if (!(await events.text()).includes('batch.terminal')) throw new Error('the last frame is missing');
  await api.ws.openLiveConnection().catch((refused: { status: number }) => {
    if (refused.status !== 426) throw refused;
  });
  const { data: retried } = await api.files.retryUploadSession(id);
  if (retried.retried_files !== 1) throw new Error('the broken image must be retried');

  const waiting = await preparedBatch(surroundings, 'three.jpg');
  await api.files.pauseUploadSession(waiting.batch_id);
  await api.files.resumeUploadSession(waiting.batch_id);
  await api.files.cancelUploadSession(waiting.batch_id);
  await api.files.getUploadSession(waiting.batch_id);
}

async function preparedBatch({ api, image }: Environment, name: string) {
  const { file } = await image(name);
  const { data } = await api.uploads.legacyPrepareBatch({
    files: [{ filename: file.name, size_bytes: file.size, content_type: 'image/jpeg' }],
    intent: 'describe',
  });
  const [upload] = data.presigned_urls;
  if (!upload) throw new Error('the batch must have a URL');
  return { batch_id: data.batch_id, file, upload };
}

async function folders({ api, image }: Environment): Promise<void> {
  const { data: project } = await api.projects.createProject({
    name: 'Harbour survey',
    description: 'Quays and cranes',
    default_content_category: 'construction',
  });
  await api.projects.listProjects({ archived: false, limit: 10 });
  const { data: folder } = await api.folders.createFolder(
    { name: 'North quay', project_id: project.id },
    { headers: { 'Idempotency-Key': 'north-quay-1' } },
  );
  if (folder.parent_id !== project.root_folder_id) throw new Error(folder.path);
  const { data: uploaded } = await api.files.uploadFile({
    file: (await image('crane.jpg')).file,
    folder_id: folder.id,
    auto_describe: false,
  });
  const { data: list } = await api.files.listFiles({
    folder_id: project.root_folder_id,
    include_subfolders: true,
  });
  if (list.items[0]?.id !== uploaded.file_id) throw new Error('the project must contain the file');
  await api.folders.listFolders({ parent_id: project.root_folder_id, limit: 10 });
  await api.folders.changeFolder(folder.id, { name: 'North quay 2026' });
  const { data: counted } = await api.folders.getFolder(folder.id);
  const files: number = counted.file_count;
  if (files !== 1) throw new Error('the folder must contain one file');
  const { data: deletion } = await api.folders.deleteFolder(folder.id, { recursive: true });
  if (deletion.deleted_files + deletion.pending_files !== 1) throw new Error(deletion.message);
  await api.projects.changeProject(project.id, { slug: 'harbour', archived: true });
  await api.projects.getProject(project.id);
  await api.projects.deleteProject(project.id);
}

async function trash({ api, image, removedFileId }: Environment, id: string): Promise<void> {
  const { data: share } = await api.files.shareFile(id, { expires_in_days: 14 });
  await api.sharedFile.openSharedFile({ token: new URL(share.url).hash.slice(1) });
  await api.files.listFileShares(id);
  await api.files.revokeFileShare(id, share.id);
  await api.files.deleteFile(id);
  await api.files.restoreFile(id);
  const { data: other } = await api.files.uploadFile({
    file: (await image('blurred.jpg')).file,
    auto_describe: false,
  });
  const { data: deletion } = await api.files.deleteFiles({ file_ids: [other.file_id] });
  if (deletion.summary.deleted !== 1) throw new Error('one file must be deleted');
  await api.files.listDeletions({ limit: 10 });
  await api.files.getDeletion(removedFileId);
  await api.files.holdFile(id, { reason: 'Case 7' });
  const { data: retention } = await api.files.releaseFile(id);
  if (retention.hold !== null) throw new Error('the file must be released');
  await api.files.getFileRetention(id);
  await api.files.emptyTrash();
}

async function olderClients(surroundings: Environment): Promise<void> {
  const { api, image, put, until } = surroundings;
  await api.uploads.legacyCheckQuota({ file_count: 2 });
  const { file, sha256 } = await image('older.jpg');
  await api.uploads.legacyCheckDuplicates({ hashes: [sha256] });
  const { data: streamed } = await api.userFiles.legacyUploadFile({
    file,
    title: 'Older',
    auto_describe: false,
  });
  await until(
    () => api.userFiles.legacyGetImage(streamed.image_id),
    (file) => file.media_type === 'image' && file.variant_status === 'completed',
  );
  await api.uploads.legacyGetUploadStatus(streamed.image_id, { stuck_minutes: 30 });
  await api.uploads.legacyListStuckUploads({ stuck_minutes: 30, limit: 10 });

  const next = await image('presigned.jpg');
  const { data: presigned } = await api.uploads.legacyRequestPresignedUrl({
    filename: next.file.name,
    size_bytes: next.file.size,
    content_type: 'image/jpeg',
  });
  await put(presigned.upload_url, next.file, presigned.upload_headers);
  await api.uploads.legacyConfirmUpload({
    object_key: presigned.object_key,
    size_bytes: next.file.size,
    checksum: `sha256:${next.sha256}`,
    content_type: 'image/jpeg',
  });

  const form = new FormData();
  form.append('tags', 'trip');
  form.append('files', (await image('batch.jpg')).file);
  const { data: batch } = await api.userFiles.legacyUploadBatch(ready(form));
  await until(
    () => api.uploads.legacyGetUploadSessionStatus(batch.session_id),
    ({ status }) => status === 'completed',
  );
  await api.uploads.legacyGetUploadSessionResults(batch.session_id, { limit: 10 });
  await api.uploads.legacyGetBatchStatus(batch.session_id);
  await api.uploads.legacyListUploadSessions({ limit: 10 });

  const confirmed = await preparedBatch(surroundings, 'confirmed.jpg');
  await put(confirmed.upload.upload_url, confirmed.file, confirmed.upload.upload_headers);
  await api.uploads.legacyConfirmBatch({
    batch_id: confirmed.batch_id,
    confirmations: [
      { object_key: confirmed.upload.object_key, success: true, file_size: confirmed.file.size },
    ],
  });
  const lost = await preparedBatch(surroundings, 'lost.jpg');
  await put(lost.upload.upload_url, lost.file, lost.upload.upload_headers);
  await api.uploads.legacyListPendingBatches();
  await api.uploads.legacyRecoverBatch(lost.batch_id);
  const dropped = await preparedBatch(surroundings, 'dropped.jpg');
  await api.uploads.legacyCancelUploadSession(dropped.batch_id);
  await api.uploads.legacyCleanUpBatches();
}

async function reprocessing({ api, until }: Environment, fileId: string): Promise<void> {
  const asked = { filter: { ids: [fileId] }, components: ['description' as const], reason: 'a new model' };
  const begin = async (filesPerMinute: number) => {
    const { data } = await api.reprocessing.reprocessFiles({ ...asked, files_per_minute: filesPerMinute });
    // The generated client types the first of the two answers.
    return (data as unknown as { reprocessing_id: string }).reprocessing_id;
  };
  const id = await begin(60);
  await api.reprocessing.pauseReprocessing(id);
  await api.reprocessing.resumeReprocessing(id);
  await until(
    () => api.reprocessing.getReprocessing(id),
    ({ status }) => status === 'completed',
  );
  await api.reprocessing.listReprocessings({ limit: 10 });
  await api.reprocessing.listReprocessedFiles(id, { limit: 10 });
  await api.reprocessing.rollBackReprocessing(id);
  await until(
    () => api.reprocessing.getReprocessing(id),
    ({ status }) => status === 'rolled_back',
  );
  await api.reprocessing.closeReprocessing(id);
  await api.reprocessing.cancelReprocessing(await begin(1));
  // The example in the document is that of the last request.
  await api.reprocessing.reprocessFiles({ ...asked, dry_run: true });
}

async function exports({ api, until }: Environment, fileId: string): Promise<void> {
  const { data: columns } = await api.files.listExportColumns();
  if (!columns.groups['basic']) throw new Error('the basic columns are missing');
  const { data: table } = await api.files.exportFiles({
    format: 'csv',
    columns: [{ field_key: 'title' }, { field_key: 'description', display_name: 'What it shows' }],
    file_ids: [fileId],
    include_subfolders: true,
  });
  if (table.record_count !== 1) throw new Error('the export must have one record');
  const { data: history } = await api.data.listDescriptions({ search: 'harbour', source_types: 'single' });
  const days: { date: string; count: number }[] = history.statistics.daily_counts;
  if (days.length !== 1) throw new Error('the history must cover one day');
  const { data: begun } = await api.data.exportDescriptions({
    data_type: 'descriptions',
    format: 'jsonl',
    search_terms: ['harbour'],
    fields: ['image_id', 'created_at', 'description'],
    include_metadata: false,
  });
  await until(
    () => api.data.getExport(begun.export_id),
    ({ status }) => status === 'completed',
  );
  await api.data.listExports({ limit: 10 });
  const events = await api.data.streamExportEvents(begun.export_id);
  if (!(await events.text()).includes('export.terminal')) throw new Error('the last frame is missing');
  await api.data.discardExport(begun.export_id);
}

async function connections({ api, settings, consent }: Environment, fileId: string): Promise<void> {
  const { data: asked } = await settings.connections.startConnection({ name: 'Drive of the studio' });
  const returned = await consent(asked.authorization_url);
  await settings.connections.finishConnection(returned);
  const { data: connection } = await settings.connections.createConnection({
    name: 'Drive of the archive',
    refresh_token: 'account-of-the-archive',
  });
  await api.connections.listConnections();
  await api.connections.getConnection(connection.id);
  const { data: sheet } = await api.files.exportFiles({
    format: 'google_sheets',
    columns: [{ field_key: 'title' }, { field_key: 'tags' }],
    file_ids: [fileId],
    sheet_name: 'Harbour',
    connection_id: connection.id,
  });
  if (!sheet.spreadsheet_url) throw new Error('the spreadsheet URL is missing');
  await settings.connections.deleteConnection(connection.id);
}

async function apiKeys({ settings }: Environment): Promise<void> {
  const { data: created } = await settings.apiKeys.createApiKey({
    name: 'Build server',
    scopes: ['files.read', 'files.write'],
    expires_at: '2099-12-31T23:59:59Z',
  });
  const secret: string = created.key;
  if (!secret.startsWith('drk_')) throw new Error('the API key is malformed');
  await settings.apiKeys.listApiKeys({ active: true, limit: 10 });
  const { data: changed } = await settings.apiKeys.changeApiKey(created.id, { scopes: ['files.read'] });
  if (changed.scopes.length !== 1) throw new Error('the key must have one scope');
  await settings.apiKeys.revokeApiKey(created.id);
  await settings.apiKeys.getApiKey(created.id);
}

async function webhooks({ settings, until }: Environment): Promise<void> {
  const { data: created } = await settings.webhooks.createWebhook({
    url: 'https://example.com/webhooks',
    description: 'Tells the warehouse',
    event_types: ['file.*', 'export.completed'],
    ordered: true,
  });
  const secret: string = created.secret;
  if (!secret.startsWith('whsec_')) throw new Error('the secret is malformed');
  await settings.webhooks.listWebhooks({ limit: 10 });
  await settings.webhooks.getWebhook(created.id);
  await settings.webhooks.changeWebhook(created.id, { event_types: ['*'] });
  await settings.webhooks.rotateWebhookSecret(created.id, {});
  const { data: test } = await settings.webhooks.testWebhook(created.id);
  const tried = await until(
    () => settings.webhooks.getWebhookDelivery(test.id),
    ({ attempts }) => attempts.length > 0,
  );
  if (tried.event_type !== 'webhook.test') throw new Error('the event must be a test event');
  await settings.webhooks.listWebhookDeliveries(created.id, { limit: 10 });
  await settings.webhooks.redeliverWebhook(test.id);
  await settings.webhooks.redeliverFailedWebhooks(created.id, { since: '2026-01-01T00:00:00Z' });
  await settings.webhooks.deleteWebhook(created.id);
}

async function members({ settings }: Environment): Promise<void> {
  const { data: invited } = await settings.tenant.inviteMember({ email: 'ada@example.org', role: 'viewer' });
  const { data: changed } = await settings.tenant.changeMemberRole(invited.id, { role: 'editor' });
  if (changed.role !== 'editor') throw new Error('the role must be editor');
  await settings.tenant.listMembers();
  await settings.tenant.removeMember(invited.id);
}

async function tenant({ settings }: Environment): Promise<void> {
  const { data: changed } = await settings.tenant.changeTenantSettings({
    name: 'Harbour pictures',
    allowed_vlm_providers: ['openai', 'anthropic'],
    allowed_domains: ['example.org'],
    custom_config: { theme: 'sea' },
  });
  const domains: string[] = changed.allowed_domains;
  if (domains.length !== 1) throw new Error('there must be one allowed domain');
  await settings.tenant.getTenantSettings();
  await settings.tenant.getTenantLimits();
  const { data: log } = await settings.tenant.listAuditLogs({ event_type: 'member.removed', limit: 10 });
  const [entry] = log.items;
  if (!entry) throw new Error('the audit log must contain the removal');
  await settings.tenant.getAuditLog(entry.id);
}

async function usage({ api, until }: Environment): Promise<void> {
  const { data: check } = await api.usage.checkCredits({ verification_level: 'thorough', item_count: 20 });
  if (!check.can_proceed) throw new Error(check.message ?? 'no credits');
  // Requests are recorded a second after their responses.
  const details = await until(
    () => api.usage.listUsageEvents({ operation_type: 'request', page_size: 2 }),
    ({ events }) => events.length > 0,
  );
  const [event] = details.events;
  if (!event?.api_key_id) throw new Error('the log must contain a request with an API key');
  await api.auditEvents.followAuditLog({ limit: 2 });
  await api.usage.getUsageSummary({ period: 'week', api_key_id: event.api_key_id });
  await api.usage.getUsageOverTime({ period_type: 'month' });
  await api.usage.listTopEndpoints({ limit: 2 });
  await api.usage.getUsageBreakdown();
  await api.usage.getUsagePlan({ period: 'quarter' });
  await api.usage.getMonthlyTokens();
  await api.usage.listFileTokens({ limit: 2 });
  await api.usage.listConversationTokens();
}

async function ownBucket({ api, settings, bucket, until }: Environment): Promise<void> {
  await settings.tenant.configureStorage(bucket);
  const { data: status } = await settings.tenant.getStorageConfig();
  if (!status.configured) throw new Error('the bucket must be configured');
  const { data: checked } = await settings.tenant.validateStorageConfig();
  if (!checked.valid) throw new Error(checked.error ?? 'the bucket cannot be used');
  await imports({ api, settings, bucket, until });
  await settings.tenant.removeStorageConfig();
}

async function imports({
  api,
  settings,
  bucket,
  until,
}: Pick<Environment, 'api' | 'settings' | 'bucket' | 'until'>): Promise<void> {
  const { data: connection } = await settings.connections.createConnection({
    provider: 's3',
    name: 'Archive of the harbour',
    ...bucket,
  });
  const source = { type: 'bucket', connection_id: connection.id, prefix: 'scans/' } as const;
  const { data: begun } = await api.imports.createImport({ source, tags: ['archive'], auto_describe: false });
  // It may have ended before.
  await api.imports.pauseImport(begun.id).catch(unlessConflict);
  await api.imports.resumeImport(begun.id).catch(unlessConflict);
  await until(
    () => api.imports.getImport(begun.id),
    ({ status }) => status === 'completed',
  );
  await api.imports.listImports({ limit: 10 });
  await api.imports.listImportItems(begun.id, { status: 'failed' });
  await api.imports.retryImport(begun.id).catch(unlessConflict);
  const { data: another } = await api.imports.createImport({ source, tags: ['archive'] });
  await api.imports.cancelImport(another.id);
  await settings.connections.deleteConnection(connection.id);
}

async function accounts(surroundings: Environment): Promise<void> {
  const { browser, tokenFor, invitationFor } = surroundings;
  const email = 'owner@agency.example';
  const password = 'a long passphrase';
  await browser.auth.register({ email, password, name: 'Owner', tenant_name: 'Studio' });
  await browser.auth.verifyEmail({ token: await tokenFor(email, /Verify/), password });
  await browser.auth.resendVerification({ email });
  const { data: login } = await browser.auth.logIn({ email, password });
  const role: string = login.tenant.role;
  if (role !== 'owner') throw new Error('a new user must be the owner of their tenant');
  await browser.auth.switchTenant({ tenant_id: login.tenant.id });
  await browser.auth.getSession();
  await browser.auth.acceptInvitation({ token: await invitationFor(email) });
  // There is no identity provider in this setup.
  const unlessAbsent = ({ status }: { status: number }) => {
    if (status !== 404) throw new Error(`${status}`);
  };
  const { data: methods } = await browser.auth.getLoginMethods();
  if (methods.identity_provider) throw new Error('there is no identity provider in this setup');
  await browser.auth.startOidcLogin().catch(unlessAbsent);
  await browser.auth.finishOidcLogin({ code: 'c', state: 's' }).catch(unlessAbsent);
  await browser.auth.finishProviderLogin('none', { code: 'c', state: 's' }).catch(unlessAbsent);
  await userSettings(surroundings, { email, password });
}

async function userSettings(
  { browser, tokenFor, forgetPassword }: Environment,
  { email, password }: { email: string; password: string },
): Promise<void> {
  await browser.user.getProfile();
  await browser.user.changeProfile({ preferences: { timezone: 'Europe/Paris', theme: 'dark' } });
  const next = 'another long passphrase';
  await browser.user.changePassword({ current_password: password, new_password: next });
  const newEmail = 'hello@studio.example';
  await browser.user.changeEmail({ new_email: newEmail, password: next });
  await browser.user.confirmEmailChange({ token: await tokenFor(newEmail, /Confirm/) });
  await browser.auth.forgotPassword({ email: newEmail });
  await browser.auth.resetPassword({
    token: await tokenFor(newEmail, /Reset/),
    password,
    revoke_api_keys: true,
  });
  await browser.auth.logIn({ email: newEmail, password });
  await browser.user.revokeOtherSessions();
  const { data: sessions } = await browser.user.listLoginSessions();
  const [current] = sessions;
  if (!current?.is_current) throw new Error(`${email} must have only this session`);
  await forgetPassword(newEmail);
  await browser.user.setInitialPassword(password);
  await browser.user.revokeLoginSession(current.id);
  await browser.auth.logIn({ email: newEmail, password });
  await browser.user.deleteAccount({ confirmation: 'delete my account', password });
  await browser.auth.logOut();
}

function unlessConflict({ status }: { status: number }): void {
  if (status !== 409) throw new Error(`${status}`);
}
