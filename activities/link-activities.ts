import { log } from '@temporalio/activity';
import type { PageParser } from '../adapters/web-page/page-parser.ts';
import type { Robots } from '../adapters/web-page/robots.ts';
import type { ImageDecoder } from '../adapters/image-decoder/image-decoder.ts';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import type { VectorIndex } from '../adapters/vector-index/vector-index.ts';
import type { WebFetch } from '../adapters/web-fetch/web-fetch.ts';
import type { Orm } from '../db/create-orm.ts';
import { crawlPage } from '../services/links/crawl-page.ts';
import type { HostSlots } from '../services/links/host-slots.ts';
import { renderPreview } from '../services/links/render-preview.ts';
import type { FileTarget } from '../services/processing/file-target.ts';
import type { PartBuffers } from '../services/uploads/streaming/part-buffers.ts';
import { attempt } from './attempt.ts';
import { classifyImageFailure, classifyLinkFailure } from './classify-failures.ts';

export interface LinkActivityDeps {
  orm: Orm;
  objects: ObjectStore;
  decoder: ImageDecoder;
  chunkVectors: VectorIndex;
  web: WebFetch;
  robots: Robots;
  pages: PageParser;
  hosts: HostSlots;
  partBuffers: PartBuffers;
}

/** Steps of links that fetch from the sites of strangers, on the `web` queue. */
export function createLinkActivities({ orm, partBuffers: buffers, ...deps }: LinkActivityDeps) {
  const onTrouble = (err: unknown, what: string) => log.error(what, { err });
  return {
    crawlPage: (target: FileTarget): Promise<void> =>
      attempt(
        ({ signal }) => crawlPage({ em: orm.em.fork(), buffers, onTrouble, ...deps }, target, signal),
        classifyLinkFailure,
      ),

    renderPreview: (target: FileTarget): Promise<void> =>
      attempt(
        (controls) => renderPreview({ em: orm.em.fork(), ...deps }, target, controls),
        (error) => classifyImageFailure(error) ?? classifyLinkFailure(error),
      ),
  };
}
