/** The module of the process that reads a folder. Its arguments: the folder that the operator allows, and the one below it. */
import type { FileHandle } from 'node:fs/promises';
import type { Numbered } from '../../engines/hosts/call-host.ts';
import { SourceFolderError, toFolderError } from './folder-error.ts';
import { checkVersion, findTop, openBelow, probeFolder, walkFolder } from './local-folder.ts';

export type FolderRequest =
  | { do: 'probe' }
  /** The next page of a listing, or the first of another. */
  | { do: 'list'; begin: boolean }
  /** The id is the caller's. */
  | { do: 'open'; id: string; key: string; version: string }
  /** The next bytes of a file; none at its end. */
  | { do: 'read'; id: string }
  | { do: 'close'; id: string };

export type FolderReply = { result: unknown } | { error: Pick<SourceFolderError, 'code' | 'message'> };

const [, , , root = '', path = ''] = process.argv;
const READ_BYTES = 256 * 1024;

process.title = 'darkroom-folder';

let pages: ReturnType<typeof walkFolder> | undefined;
const files = new Map<string, { handle: FileHandle; top: string; key: string; version: string }>();

async function answer(request: FolderRequest): Promise<unknown> {
  switch (request.do) {
    case 'probe':
      return probeFolder(await findTop(root, path));
    case 'list': {
      if (request.begin) {
        await pages?.return(undefined);
        pages = walkFolder(await findTop(root, path));
      }
      return (await (pages ?? missing()).next()).value;
    }
    case 'open': {
      const { id, key, version } = request;
      const top = await findTop(root, path);
      files.set(id, { handle: await openBelow(top, key, version), top, key, version });
      return undefined;
    }
    case 'read': {
      const { handle, top, key, version } = files.get(request.id) ?? missing();
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafeSlow(READ_BYTES), 0, READ_BYTES);
      if (bytesRead > 0) return buffer.subarray(0, bytesRead);
      await checkVersion(top, key, version);
      return undefined;
    }
    case 'close': {
      const file = files.get(request.id);
      files.delete(request.id);
      return file?.handle.close();
    }
  }
}

/** What a process knew that has ended. */
function missing(): never {
  throw new SourceFolderError('SOURCE_UNAVAILABLE', 'the process that read the folder has ended');
}

export async function handle({ id, value }: Numbered<FolderRequest>): Promise<Numbered<FolderReply>> {
  try {
    return { id, value: { result: await answer(value) } };
  } catch (error) {
    const { code, message } = toFolderError(error);
    return { id, value: { error: { code, message } } };
  }
}
