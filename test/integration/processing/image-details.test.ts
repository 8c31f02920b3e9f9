import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { ImageDecoder, RenderedImage } from '../../../engines/image-decoder/image-decoder.ts';
import type { TextRecogniser } from '../../../engines/text-recogniser/text-recogniser.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm, type Orm } from '../../../db/create-orm.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { FileVariant } from '../../../db/entities/files/file-variant.ts';
import { ImageDetails } from '../../../db/entities/files/image-details.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { VARIANTS } from '../../../domain/image-analysis.ts';
import { readImageItems } from '../../../services/images/read-image.ts';
import { readText } from '../../../services/images/read-text.ts';
import { renderVariants } from '../../../services/images/render-variants.ts';
import { ingestImage } from '../../support/ingest-image.ts';

/** The details that the steps of an image write, on a real Postgres; decoder, recogniser and store are fakes. */
let orm: Orm;
const tenantId = randomUUID();
const em = () => orm.em.fork();
const { signal } = new AbortController();

before(async () => {
  orm = createOrm(readConfig([databaseConfig], process.env));
  await em().insert(Tenant, { id: tenantId, name: 'details', tier: 'enterprise', createdAt: new Date() });
});
after(() => orm.close(true));

async function newImage() {
  const { id: fileId } = await ingestImage(em(), tenantId);
  return { fileId, tenantId, generation: 1 };
}

const objects = {
  read: async () => new Uint8Array(1),
  put: async () => undefined,
} as unknown as ObjectStore;
const region = { text: 'EXIT', box: { xMin: 0, yMin: 0, xMax: 1, yMax: 1 } };

/** @param meanwhile called during decoding */
function fakes(width: number, meanwhile: () => Promise<unknown> = async () => undefined) {
  const rendered = {
    width,
    height: 10,
    blurHash: 'hash',
    facts: { exif: {} },
    variants: VARIANTS.map(({ type }) => ({
      type,
      width,
      height: 10,
      contentType: 'image/webp',
      bytes: new Uint8Array(1),
    })),
  } as unknown as RenderedImage;
  const decoder = {
    render: async () => {
      await meanwhile();
      return rendered;
    },
    grey: async () => ({}),
  } as unknown as ImageDecoder;
  const recogniser = {
    hasText: async () => true,
    read: async () => {
      await meanwhile();
      return [region];
    },
  } as unknown as TextRecogniser;
  return { em: em(), objects, decoder, recogniser };
}

const overtake = (fileId: string) => em().nativeUpdate(StoredFile, { id: fileId }, { generation: 2 });
const detailsOf = (fileId: string) => em().findOne(ImageDetails, { fileId });

test('rendering again replaces size and hash, and keeps the recognised text', async () => {
  const target = await newImage();
  await renderVariants(fakes(20), target, signal);
  assert.equal((await detailsOf(target.fileId))?.textRegions, null);
  await readText(fakes(20), target, signal);
  await renderVariants(fakes(30), target, signal);
  const details = await detailsOf(target.fileId);
  assert.deepEqual([details?.width, details?.height, details?.textRegions], [30, 10, [region]]);
  const { visibleText } = await em().findOneOrFail(StoredFile, target.fileId);
  assert.equal(visibleText, 'EXIT');
});

test('a late attempt of an older generation writes nothing', async () => {
  const { fileId, ...rest } = await newImage();
  await renderVariants(
    fakes(20, () => overtake(fileId)),
    { fileId, ...rest },
    signal,
  );
  assert.equal(await detailsOf(fileId), null);
  assert.equal(await em().count(FileVariant, { fileId }), 0);

  const other = await newImage();
  await renderVariants(fakes(20), other, signal);
  await readText(
    fakes(20, () => overtake(other.fileId)),
    other,
    signal,
  );
  assert.equal((await detailsOf(other.fileId))?.textRegions, null);
});

test('the variants and details of a page of files are read in one statement', async () => {
  const [decoded, waiting] = [await newImage(), await newImage()];
  await renderVariants(fakes(20), decoded, signal);
  const items = await readImageItems(em(), [decoded.fileId, waiting.fileId]);
  assert.deepEqual([...items.keys()], [decoded.fileId]);
  const item = items.get(decoded.fileId);
  assert.deepEqual(item?.details, { width: 20, height: 10, blurHash: 'hash' });
  const stored = await em().find(FileVariant, { fileId: decoded.fileId });
  assert.deepEqual(
    item?.variants.map((variant) => ({ ...variant })).toSorted((a, b) => a.type.localeCompare(b.type)),
    stored.map((variant) => ({ ...variant })).toSorted((a, b) => a.type.localeCompare(b.type)),
  );
  assert.equal((await readImageItems(em(), [])).size, 0);
});
