import type { AllowedFolder } from '../../adapters/source-folder/allowed-folder.ts';
import { SourceFolderError } from '../../adapters/source-folder/folder-error.ts';
import { openSourceFolder, type SourceFolder } from '../../adapters/source-folder/source-folder.ts';
import type { FailureReason } from '../../domain/components.ts';
import { boundedListing, type OpenSource, type SourcePage } from './source.ts';

/** Of the server and of its files; the operator allows which. What is no ordinary file is skipped, with the reason. */
export function openFolder(folders: readonly AllowedFolder[], tenantId: string, path: string): OpenSource {
  let opened: SourceFolder | undefined;
  const folder = () => (opened ??= openSourceFolder(folders, { tenantId, path }));

  async function* pages(signal: AbortSignal): AsyncGenerator<Omit<SourcePage, 'next'>, undefined> {
    for await (const { entries, isPartial } of folder().list(signal)) {
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

  const listing = boundedListing(pages);
  return {
    ...listing,
    probe: async (signal) => folder().probe(signal),
    open: async ({ key, etag }, signal) => folder().open(key, etag, signal),
    async close() {
      await listing.close();
      opened?.close();
    },
  };
}

/** Why a folder, or a file in it, cannot be read; undefined for other errors. */
export function folderReason(error: unknown): FailureReason | undefined {
  return error instanceof SourceFolderError ? { code: error.code, message: error.message } : undefined;
}
