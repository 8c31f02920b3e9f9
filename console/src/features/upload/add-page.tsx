import { LockKeyhole } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../../lib/session.ts';
import { notify, notifyError } from '../../ui/notices.tsx';
import { Empty, Page } from '../../ui/page.tsx';
import { DestinationFields, destinationOf, EMPTY_DRAFT, tagsError } from './destination-fields.tsx';
import { DropArea } from './drop-area.tsx';
import type { FoundFile } from './dropped-files.ts';
import { LinkForm } from './link-form.tsx';
import { UPLOAD_TEXTS } from './texts.ts';
import { UploadList } from './upload-list.tsx';
import type { Added } from './upload-queue.ts';
import { useUploads } from './uploads.ts';

const texts = UPLOAD_TEXTS;

/** Adds files, folders and links, and shows how far each is. */
export function AddPage() {
  const mayAdd = useMay('editor');
  return (
    <Page title={texts.title}>
      {mayAdd ? <Adding /> : <Empty icon={LockKeyhole} title={texts.noPermission} />}
    </Page>
  );
}

function Adding() {
  const { queue } = useUploads();
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const add = async (found: AsyncIterable<Added> | Iterable<Added>) => {
    const error = tagsError(draft.tags);
    if (error) return notify(error, true);
    try {
      const count = await queue.add(found);
      if (count > 0) notify(texts.added(count));
    } catch (failure) {
      // Entries of the file system throw DOMExceptions.
      if (failure instanceof DOMException) notify(texts.unreadableFolder, true);
      else notifyError(failure);
    }
  };
  const addFiles = (files: AsyncIterable<FoundFile> | Iterable<FoundFile>) => {
    const destination = destinationOf(draft);
    void add(
      mapped(files, ({ file, folder }) => ({
        kind: 'file',
        name: file.name,
        folder: [destination.folder, folder].filter(Boolean).join('/'),
        size: file.size,
        destination,
        file,
      })),
    );
  };
  const addLinks = (links: readonly string[]) => {
    const destination = destinationOf(draft);
    const { folder } = destination;
    void add(links.map((name) => ({ kind: 'link', name, folder, size: 0, destination })));
  };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem] lg:grid-rows-[auto_1fr]">
      <div className="flex flex-col gap-5">
        <DropArea onFiles={addFiles} onLinks={addLinks} />
        <LinkForm onLinks={addLinks} />
      </div>
      <div className="lg:row-span-2">
        <DestinationFields draft={draft} onChange={setDraft} />
      </div>
      <UploadList />
    </div>
  );
}

async function* mapped<T, U>(
  entries: AsyncIterable<T> | Iterable<T>,
  to: (entry: T) => U,
): AsyncGenerator<U> {
  for await (const entry of entries) yield to(entry);
}
