import type { EntityManager } from '@mikro-orm/postgresql';
import type { DataExport } from '../../db/entities/exports/export.ts';
import { isExportOpen } from '../../domain/exports/export.ts';
import { channelName, type ChannelKind } from '../../domain/live-channels.ts';
import { isTerminalPrimary } from '../../domain/primary-status.ts';
import { exportWork } from '../../services/exports/export-work.ts';
import { findFileOrUpload } from '../../services/files/find-file.ts';
import type { FileObservation } from '../../services/processing/observe-file.ts';
import { isUuid } from '../../services/shared/sql.ts';
import { extractionWork } from '../../services/structured-extraction/extraction-work.ts';
import { observeFileOrUpload } from '../../services/direct-uploads/observe-file-or-upload.ts';
import { presentExport } from '../resources/export/present.ts';
import { presentProcessingStatus } from '../resources/processing/present.ts';
import { presentExtraction } from '../resources/structured-extraction.ts';
import type { ChannelDeps, ChannelRequest, LiveChannel, LiveFrame } from './channel.ts';

/** The state of a resource, as returned by its `GET` operation. */
interface Reading {
  /** Never decreases, and increases with every change of the rows. */
  version: number;
  data: object;
  /** The part to compare for changes, if `data` also depends on the time of reading. */
  compared?: object;
  /** Whether only a new request can change the resource. */
  ended: boolean;
}

/** The channel of one resource for one subscriber: a snapshot, each change, and the end. */
class ResourceChannel implements LiveChannel {
  readonly name: string;
  readonly #kind: ChannelKind;
  readonly #after: number;
  readonly #read: (em: EntityManager) => Promise<Reading>;
  #sent: string | undefined;
  ended = false;

  constructor(
    kind: ChannelKind,
    { id, after }: Pick<ChannelRequest, 'id' | 'after'>,
    read: (em: EntityManager) => Promise<Reading>,
  ) {
    this.name = channelName(kind, id);
    this.#kind = kind;
    this.#after = after;
    this.#read = read;
  }

  async poll(em: EntityManager): Promise<LiveFrame[]> {
    const { version: seq, data, compared = data, ended } = await this.#read(em);
    const state = JSON.stringify(compared);
    const types: string[] = [];
    // The version does not cover progress that only the engine knows, so an unfinished resource always starts
    // with a snapshot.
    if (this.#sent === undefined && !(ended && seq === this.#after)) types.push('snapshot');
    else if (this.#sent !== undefined && !ended && state !== this.#sent) types.push(`${this.#kind}.status`);
    if (ended) types.push(`${this.#kind}.terminal`);
    this.#sent = state;
    this.ended = ended;
    const timestamp = new Date().toISOString();
    return types.map((type) => ({ channel: this.name, seq, type, timestamp, data }));
  }
}

/** Factor of the run or attempt number in a version, above any counter within a run. */
const RUN = 2 ** 32;

/** Opens the channel of a file's processing status: its components and steps, also during a direct upload. */
export async function openFileChannel(deps: ChannelDeps, request: ChannelRequest): Promise<LiveChannel> {
  const { objects, engine } = deps;
  const { tenantId } = request;
  const id = isUuid(request.id) ? request.id.toLowerCase() : await wholeId(deps, request);
  return new ResourceChannel('file', { ...request, id }, async (em) => {
    const seen = await observeFileOrUpload({ em, objects, engine }, tenantId, id);
    const data = await presentProcessingStatus(em, seen);
    return { version: versionOfFile(seen), data, ended: isTerminalPrimary(seen.primaryStatus) };
  });
}

/** Resolves the first 8 characters of a file or upload id. @throws AppError NOT_FOUND, AMBIGUOUS_ID */
async function wholeId({ orm }: ChannelDeps, { tenantId, id }: ChannelRequest): Promise<string> {
  const found = await findFileOrUpload(orm.em.fork(), tenantId, id);
  return 'file' in found ? found.file.id : found.uploading.fileId;
}

/** The version of an upload is below that of the file's first run. */
function versionOfFile({ file, upload }: FileObservation): number {
  if (upload) return upload.status === 'FAILED' ? 1 : 0;
  return file.generation * RUN + file.seq;
}

/** Opens the channel of a schema extraction, with the result at the end. */
export async function openExtractionChannel(
  { engine }: ChannelDeps,
  { tenantId, id, after }: ChannelRequest,
): Promise<LiveChannel> {
  return new ResourceChannel('extraction', { id: id.toLowerCase(), after }, async (em) => {
    const extraction = await extractionWork.find({ em, engine }, tenantId, id);
    const ended = extraction.status !== 'processing';
    return { version: ended ? 2 : 1, data: presentExtraction(extraction), ended };
  });
}

/** Opens the channel of an export's progress, with the URL of the file at the end. */
export async function openExportChannel(
  { engine, objects }: ChannelDeps,
  { tenantId, id, after }: ChannelRequest,
): Promise<LiveChannel> {
  return new ResourceChannel('export', { id: id.toLowerCase(), after }, async (em) => {
    const row = await exportWork.find({ em, engine }, tenantId, id);
    const ended = !isExportOpen(row.status);
    const data = await presentExport(objects, row);
    const compared = { ...data, estimated_completion_time: null };
    return { version: versionOfExport(row), data, compared, ended };
  });
}

/** The sum of counters that only grow within an attempt. */
function versionOfExport({ fence, recordCount, expectedCount, status }: DataExport): number {
  const counted = typeof expectedCount === 'number' ? 1 : 0;
  const progress = isExportOpen(status) ? (status === 'pending' ? 0 : 1) : 2;
  return fence * RUN + recordCount + counted + progress;
}
