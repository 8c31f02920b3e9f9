import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { DocumentReader } from '../../engines/document-reader/document-reader.ts';
import type { ImageDecoder } from '../../engines/image-decoder/image-decoder.ts';
import { type DocumentType, hasLayout } from 'darkroom-reader/document';
import { DocumentPage } from '../../db/entities/documents/document-page.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { DocumentCache } from './document-cache.ts';
import { documentTypeOf } from './document-target.ts';
import { FILE_WORKFLOWS } from '../../temporal/contract/process-file.ts';

export interface PictureDeps {
  em: EntityManager;
  objects: ObjectStore;
  reader: DocumentReader;
  copies: DocumentCache;
  decoder: ImageDecoder;
}

/** Bounds in pixels. */
export interface PictureSize {
  width: number;
  maxHeight: number;
}

/** Height of a sheet by its width: A4, and a slide. */
const SHEET = Math.SQRT2;
const SLIDE = 9 / 16;

/**
 * The picture of a page: as the document shows it, or set from its text if the document has no layout.
 *
 * @param pageNumber of a page that has been read, unless the document has a layout
 * @throws ObjectNotFound, UnreadableDocument, and the other errors of store, reader and decoder
 */
export async function drawPicture(
  { em, reader, copies, decoder }: PictureDeps,
  file: StoredFile,
  pageNumber: number,
  { width, maxHeight }: PictureSize,
  signal: AbortSignal,
): Promise<{ bytes: Uint8Array; contentType: 'image/jpeg' | 'image/webp' }> {
  const type = requireType(file);
  const { id: fileId, tenantId } = file;
  if (hasLayout(type)) {
    const page = { pageNumber, bounds: { width, height: maxHeight } };
    return copies.with(file.objectKey, signal, (path) =>
      reader.drawPage({ path, type, tenantId }, page, signal),
    );
  }
  const { elements } = await em.findOneOrFail(DocumentPage, { fileId, pageNumber }, { refresh: true });
  const least = Math.round(width * (type === 'pptx' ? SLIDE : SHEET));
  return decoder.setPage(elements, {
    tenantId,
    label: FILE_WORKFLOWS.of(fileId),
    signal,
    size: { width, height: { least, most: Math.max(least, maxHeight) } },
  });
}

export function requireType(file: StoredFile): DocumentType {
  const type = documentTypeOf(file);
  if (!type) throw new Error(`file ${file.id} is not a document`);
  return type;
}
