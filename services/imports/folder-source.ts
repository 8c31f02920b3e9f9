import {
  openSourceFolder,
  SourceFolderError,
  type AllowedFolder,
} from '../../adapters/source-folder/source-folder.ts';
import type { FailureReason } from '../../domain/components.ts';
import { boundedListing, type OpenSource, type SourcePage } from './source.ts';

/** Of the server and of its files; the operator allows which. What is no ordinary file is skipped, with the reason. */
export function openFolder(folders: readonly AllowedFolder[], tenantId: string, path: string): OpenSource {
  const folder = (signal: AbortSignal) => openSourceFolder(folders, { tenantId, path, signal });

  async function* pages(signal: AbortSignal): AsyncGenerator<Omit<SourcePage, 'next'>, undefined> {
    for await (const { entries, isPartial } of (await folder(signal)).list(signal)) {
      const files = entries.map(({ key, version, sizeBytes, problem }) => ({
        key,
        etag: version,
        sizeBytes,
        ...(problem !== undefined && { reason: { code: 'SOURCE_NOT_A_FILE', message: problem } }),
      }));
      yield { files, isPartial };
    }
    return undefined;
  }

  return {
    ...boundedListing(pages),
    probe: async (signal) => (await folder(signal)).probe(signal),
    open: async ({ key, etag }, signal) => (await folder(signal)).open(key, etag, signal),
  };
}

/** Why a folder, or a file in it, cannot be read; undefined for other errors. */
export function folderReason(error: unknown): FailureReason | undefined {
  return error instanceof SourceFolderError ? { code: error.code, message: error.message } : undefined;
}
