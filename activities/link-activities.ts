import { setTimeout as delay } from 'node:timers/promises';
import { log } from '@temporalio/activity';
import type { Screenshots } from '../adapters/browser/screenshots.ts';
import type { PageParser } from '../engines/page-parser/page-parser.ts';
import type { Robots } from '../adapters/web-fetch/robots.ts';
import type { ImageDecoder } from '../engines/image-decoder/image-decoder.ts';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import type { VectorIndex } from '../adapters/vector-index/vector-index.ts';
import type { WebFetch } from '../adapters/web-fetch/web-fetch.ts';
import type { Orm } from '../db/create-orm.ts';
import { StoredFile } from '../db/entities/files/stored-file.ts';
import { ConvertedToFile } from '../services/links/convert-to-file.ts';
import { crawlPage } from '../services/links/crawl-page.ts';
import type { HostSlots } from '../services/links/host-slots.ts';
import { renderPreview } from '../services/links/render-preview.ts';
import { takeScreenshot } from '../services/links/take-screenshot.ts';
import type { FileTarget } from '../services/processing/file-target.ts';
import { startFileWork } from '../services/processing/start-file-work.ts';
import type { PartBuffers } from '../services/uploads/streaming/part-buffers.ts';
import type { Engine } from '../temporal/client.ts';
import { attempt } from './attempt.ts';
import { classifyImageFailure, classifyLinkFailure } from './classify-failures.ts';

export interface LinkActivityDeps {
  orm: Orm;
  engine: Engine;
  objects: ObjectStore;
  decoder: ImageDecoder;
  chunkVectors: VectorIndex;
  web: WebFetch;
  robots: Robots;
  pages: PageParser;
  hosts: HostSlots;
  /** Undefined if no browser is configured. */
  screenshots: Screenshots | undefined;
  partBuffers: PartBuffers;
}

/** Activities of links that fetch from websites, on the queue `web`. */
export function createLinkActivities({ orm, engine, partBuffers: buffers, ...deps }: LinkActivityDeps) {
  const onError = (err: unknown, what: string) => log.error(what, { err });
  return {
    crawlPage: (target: FileTarget): Promise<void> =>
      attempt(async ({ signal }) => {
        try {
          await crawlPage({ em: orm.em.fork(), buffers, onError, ...deps }, target, signal);
        } catch (error) {
          if (error instanceof ConvertedToFile) {
            startNextRun({ orm, engine }, target).catch((cause: unknown) =>
              onError(cause, 'the sweep starts the next run of a link that became a file'),
            );
          }
          throw error;
        }
      }, classifyLinkFailure),

    renderPreview: (target: FileTarget): Promise<void> =>
      attempt(
        async (controls) => {
          await takeScreenshot({ em: orm.em.fork(), onError, ...deps }, target, controls.signal);
          await renderPreview({ em: orm.em.fork(), ...deps }, target, controls);
        },
        (error) => classifyImageFailure(error) ?? classifyLinkFailure(error),
      ),
  };
}

/** A run closes within this time after its last activity, even on a busy machine. */
const CLOSING = { tries: 10, pauseMs: 500 };

/** Starts the run of the file that a link was converted to once the run of the link has closed; otherwise the sweep does. */
async function startNextRun(
  { orm, engine }: { orm: Orm; engine: Engine },
  { fileId, tenantId, generation }: FileTarget,
): Promise<void> {
  const em = orm.em.fork();
  for (let attempts = 0; attempts < CLOSING.tries; attempts += 1) {
    const file = await em.findOne(StoredFile, { id: fileId, tenantId }, { refresh: true });
    if (!file?.engineDueAt || file.deletedAt || file.generation !== generation + 1) return;
    if (await startFileWork({ em, engine }, file)) return;
    await delay(CLOSING.pauseMs);
  }
}
