import { fileURLToPath } from 'node:url';
import { HostEnded } from '../hosts/host.ts';
import { createProcessPool } from '../hosts/process-pool.ts';
import type { TaskBudget } from '../hosts/task-host.ts';
import type { ElementContent } from 'darkroom-reader/document';
import type { Margins } from '../../domain/compliance/compliance.ts';
import { DecoderClosed, DecoderCrashed, DecoderTimeout, ImageRefused } from './errors.ts';
import type { GreyImage, GreySize, RenderedView, ViewSize } from './render-view.ts';
import type { DecodeReply, DecodeRequest, TaskName, Tasks } from './decoder-process.ts';
import type { RenderedImage, RenderOptions } from './render-image.ts';
import type { SetPage, SheetSize } from './set-page/set-page.ts';

export type { GreyImage, GreySize } from './render-view.ts';
export type { RenderedImage, RenderedVariant, RenderOptions } from './render-image.ts';

export interface DecodeOptions {
  /** The tenant, for fair sharing of the decoders. */
  tenantId: string;
  /** Shown in the process list, as `darkroom-decoder <label>`. */
  label: string;
  /** Aborting kills the child and rejects with the reason. */
  signal?: AbortSignal | undefined;
}

/** Decodes images in child processes, so that no image can harm, block or outlive its caller. */
export interface ImageDecoder {
  /**
   * Waits for a free slot, then renders.
   *
   * @param original the bytes of a JPEG, PNG, WebP, GIF, AVIF, HEIC or TIFF
   * @throws ImageRefused (invalid image, permanent), DecoderCrashed, DecoderTimeout, DecoderClosed, or the reason of an
   *   abort, which takes effect immediately
   */
  render(original: Uint8Array, options: DecodeOptions & RenderOptions): Promise<RenderedImage>;
  /** Decodes only the luminance, for text recognition; otherwise like `render`. */
  grey(original: Uint8Array, options: DecodeOptions & GreySize): Promise<GreyImage>;
  /** Renders a single view for a reader of small print; otherwise like `render`. */
  view(original: Uint8Array, options: DecodeOptions & ViewSize): Promise<RenderedView>;
  /** Measures only the edges; otherwise like `render`. */
  margins(original: Uint8Array, options: DecodeOptions): Promise<Margins>;
  /** Sets a page of a document without a layout, as large as it needs within the size. */
  setPage(
    elements: readonly ElementContent[],
    options: DecodeOptions & { size: SheetSize },
  ): Promise<SetPage>;
  /** Rejects waiting and running work with `DecoderClosed`; resolves when all children have exited. Idempotent. */
  close(): Promise<void>;
}

export interface ImageDecoderOptions {
  /** Images rendered at the same time, each in its own process: one per core. */
  slots: number;
  /** Budget of one image, by the size of its original. */
  budget?: (bytes: number) => TaskBudget;
  /** Images per child, or its memory, before it is replaced: codecs do not free everything. */
  maxImages?: number;
  maxRssBytes?: number;
  /** Memory of a child above which its image is refused. */
  maxTaskBytes?: number;
}

const MODULE = new URL('./decoder-process.ts', import.meta.url);
/** Without fonts of the machine: those of set pages are opened one by one. */
const FONTS = fileURLToPath(new URL('./set-page/fonts.conf', import.meta.url));
/** A process title is stored in the space of the original arguments, so one of them reserves space. */
const ROOM_FOR_TITLE = '-'.repeat(128);
const MIB = 2 ** 20;
const NO_IMAGE = new Uint8Array();
const MAX_IMAGES = 500;
const MAX_RSS_BYTES = 384 * MIB;
/** 100 megapixels of interlaced 16-bit PNG take 1.3 GiB. */
const MAX_TASK_BYTES = 3072 * MIB;

/** The slowest accepted image, 100 megapixels of interlaced 16-bit PNG, takes some seconds. */
const decodingBudget = (bytes: number): TaskBudget => ({ cpuMs: 15_000 + (1000 * bytes) / MIB });

/** Children start on demand and are reused; one that has died or reached a limit is replaced. */
export function createImageDecoder({
  slots,
  budget = decodingBudget,
  maxImages = MAX_IMAGES,
  maxRssBytes = MAX_RSS_BYTES,
  maxTaskBytes = MAX_TASK_BYTES,
}: ImageDecoderOptions): ImageDecoder {
  const pool = createProcessPool<DecodeRequest, DecodeReply>({
    slots,
    module: MODULE,
    args: [ROOM_FOR_TITLE],
    env: { FONTCONFIG_FILE: FONTS },
    stderr: 'inherit',
    contained: {},
    maxBytes: maxTaskBytes,
    maxTasks: maxImages,
    idleBytes: maxRssBytes,
  });

  async function run<Name extends TaskName>(
    task: { task: Name; options: Tasks[Name]['options']; original: Uint8Array },
    { tenantId, label, signal: aborted }: DecodeOptions,
  ): Promise<Tasks[Name]['result']> {
    const allowed = budget(task.original.byteLength);
    const reply = await pool
      .run(tenantId, aborted, (child, signal) =>
        child.run({ ...task, label } as DecodeRequest, allowed, signal),
      )
      .catch((error: unknown) => {
        if (!(error instanceof HostEnded)) throw error;
        if (error.why === 'memory') throw new ImageRefused('IMAGE_TOO_LARGE', 'memory of the decoder');
        if (error.why === 'crash') throw new DecoderCrashed(error.exitCode, error.signal);
        throw new DecoderTimeout(allowed.cpuMs);
      });
    if (reply.kind === 'done') return reply.result;
    if (reply.kind === 'refused') throw new ImageRefused(reply.code, reply.detail);
    throw new Error(reply.message);
  }

  return {
    render: (original, { luminance = false, ...options }) =>
      run({ task: 'render', options: { luminance }, original }, options),
    grey: (original, { maxDimension, maxEnlargement, ...options }) =>
      run({ task: 'grey', options: { maxDimension, maxEnlargement }, original }, options),
    view: (original, { maxDimension, ...options }) =>
      run({ task: 'view', options: { maxDimension }, original }, options),
    margins: (original, options) => run({ task: 'margins', options: {}, original }, options),
    setPage: (elements, { size, ...options }) =>
      run({ task: 'setPage', options: { elements, size }, original: NO_IMAGE }, options),
    close: () => pool.close(new DecoderClosed()),
  };
}
