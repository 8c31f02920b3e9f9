import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { DocumentSplit } from '../../db/entities/splits/document-split.ts';
import { rangeText } from '../../domain/splits.ts';
import type { SplitTarget } from '../../temporal/contract/split-document.ts';

/** A split, and the files that its parts have become, by their pages. */
export interface SplitState {
  row: DocumentSplit;
  files: ReadonlyMap<string, string>;
}

/** The row of a split, locked until the transaction ends, which serializes all changes of it; null if it is gone. */
export function lockSplit(
  tx: EntityManager,
  { splitId: id, tenantId }: SplitTarget,
): Promise<DocumentSplit | null> {
  return tx.findOne(DocumentSplit, { id, tenantId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
}

export async function readSplit(em: EntityManager, row: DocumentSplit): Promise<SplitState> {
  return { row, files: await filesOfParts(em, row) };
}

/** The live files of a document's parts, by their pages: also those of an earlier split of it. */
export async function filesOfParts(
  em: EntityManager,
  { tenantId, fileId, parts }: Pick<DocumentSplit, 'tenantId' | 'fileId' | 'parts'>,
): Promise<Map<string, string>> {
  const pages = (parts ?? []).map(rangeText);
  const found = await em.find(
    StoredFile,
    { tenantId, parentFileId: fileId, parentPages: { $in: pages }, deletedAt: null },
    { fields: ['id', 'parentPages'], orderBy: { createdAt: 'desc', id: 'desc' } },
  );
  return new Map(found.map(({ id, parentPages }) => [parentPages ?? '', id]));
}

/** One page of the splits of a document, newest first, as last recorded, and the total count. */
export async function listSplits(
  em: EntityManager,
  { id: fileId, tenantId }: Pick<StoredFile, 'id' | 'tenantId'>,
  page: { limit: number; offset: number },
): Promise<{ splits: SplitState[]; totalCount: number }> {
  const [rows, totalCount] = await em.findAndCount(
    DocumentSplit,
    { tenantId, fileId },
    { ...page, orderBy: { createdAt: 'desc', id: 'desc' } },
  );
  const files = await filesOfParts(em, {
    tenantId,
    fileId,
    parts: rows.flatMap(({ parts }) => parts ?? []),
  });
  return { splits: rows.map((row) => ({ row, files })), totalCount };
}
