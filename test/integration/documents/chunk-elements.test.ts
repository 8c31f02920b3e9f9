import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { DocumentDetails } from '../../../db/entities/documents/document-details.ts';
import { DocumentPage } from '../../../db/entities/documents/document-page.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import type { ElementPlace } from '../../../domain/documents/split-element.ts';
import type { PageElement } from 'darkroom-reader/document';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { replaceChunks } from '../../../services/documents/chunk-document.ts';
import { locateElements } from '../../../services/documents/locate-elements.ts';
import { failPages, recordPages } from '../../../services/documents/record-pages.ts';
import { removeSeeded } from '../../support/seed-descriptions.ts';

const orm = createOrm(readConfig([databaseConfig], process.env));
const em = () => orm.em.fork();
const tenantId = randomUUID();
before(() =>
  em().insert(Tenant, { id: tenantId, name: 'elements', tier: 'enterprise', createdAt: new Date() }),
);
after(async () => {
  await removeSeeded(orm, tenantId);
  await orm.close(true);
});

/** Elements one below the other. */
const elements = (count: number): PageElement[] =>
  Array.from({ length: count }, (_, at) => ({
    type: 'paragraph',
    content: `paragraph ${at}`,
    box: { x: 0, y: at / count, w: 1, h: 1 / count },
  }));

/** A document that was read, with a chunk for each list of places. */
async function chunked(pages: readonly PageElement[][], chunks: readonly ElementPlace[][]) {
  const fileId = randomUUID();
  await em().insert(StoredFile, {
    id: fileId,
    tenantId,
    mediaType: 'document',
    contentType: 'application/pdf',
    format: 'pdf',
    filename: 'elements.pdf',
    tags: [],
    contentCategory: 'general',
    sizeBytes: 1,
    sha256: '0'.repeat(64),
    objectKey: fileId,
    options: { autoDescribe: false, skipDuplicates: false },
    generation: 1,
    seq: 1,
    components: { text_extraction: { status: 'processing' } },
    primaryStatus: 'processing',
    createdAt: new Date(),
    updatedAt: new Date(),
  });
  await em().insert(DocumentDetails, { fileId, pageCount: pages.length, profile: {} });
  await em().insertMany(
    DocumentPage,
    pages.map((listed, at) => ({
      fileId,
      pageNumber: at + 1,
      status: 'completed' as const,
      needsOcr: false,
      elements: listed,
      text: '',
      attempts: 1,
      updatedAt: new Date(),
    })),
  );
  const made = chunks.map((places, at) => ({
    id: randomUUID(),
    content: `chunk ${at}`,
    pageNumbers: [...new Set(places.map(([page]) => page))],
    headingPath: [],
    tokenCount: 2,
    type: 'text' as const,
    role: 'body' as const,
    elements: places,
    dictionary: 'simple',
  }));
  await em().transactional((tx) => replaceChunks(tx, { fileId, tenantId }, made));
  const located = async (tenant = tenantId) => {
    const found = await locateElements(em(), tenant, made);
    return made.map(({ id }) => found.get(id));
  };
  return { target: { fileId, tenantId, generation: 1 }, located };
}

test('elements of chunks are located on their pages, and only for their tenant', async () => {
  const { located } = await chunked(
    [elements(2), elements(4)],
    [
      [
        [1, 0],
        [1, 1],
        [2, 0],
      ],
      [
        [2, 0],
        [2, 3],
      ],
      [],
    ],
  );
  const half = { x: 0, w: 1, h: 0.5 };
  const quarter = { x: 0, w: 1, h: 0.25 };
  assert.deepEqual(await located(), [
    [
      { page: 1, position: 0, box: { ...half, y: 0 } },
      { page: 1, position: 1, box: { ...half, y: 0.5 } },
      { page: 2, position: 0, box: { ...quarter, y: 0 } },
    ],
    [
      { page: 2, position: 0, box: { ...quarter, y: 0 } },
      { page: 2, position: 3, box: { ...quarter, y: 0.75 } },
    ],
    undefined,
  ]);
  assert.deepEqual(await located(randomUUID()), [undefined, undefined, undefined]);
});

test('a chunk of many elements lists the first hundred', async () => {
  const places = Array.from({ length: 130 }, (_, at) => [1, at] as const);
  const { located } = await chunked([elements(130)], [places]);
  const [list] = await located();
  assert.deepEqual(
    list?.map(({ position }) => position),
    [...Array(100).keys()],
  );
});

test('chunks of a page that was read again have no elements until they are made again', async () => {
  const { target, located } = await chunked(
    [elements(1), elements(1), elements(1)],
    [[[1, 0]], [[2, 0]], [[3, 0]]],
  );
  await em().nativeUpdate(
    DocumentPage,
    { fileId: target.fileId, pageNumber: { $in: [1, 2] } },
    { status: 'pending' },
  );
  await recordPages(em(), target, [1], [{ pageNumber: 1, source: 'ocr', elements: elements(3) }]);
  await failPages(em(), target, [2], { code: 'PAGE_UNREADABLE', message: 'the page could not be read' });
  assert.deepEqual(
    (await located()).map((list) => list?.map(({ page }) => page)),
    [undefined, undefined, [3]],
  );
});
