import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FileDetail } from 'darkroom-client';
import { Paperclip } from 'lucide-react';
import { fileLink } from '../../lib/file-link.ts';
import { fileQuery, partsQuery } from './queries.ts';
import { FILE_TEXTS } from './texts.ts';

const texts = FILE_TEXTS.related;

/** The parts of a file, as the attachments of a letter or the documents in a PDF, and the file that it is a part of. */
export function RelatedFiles({ file }: { file: FileDetail }) {
  const { parent_file_id: parentId, parent_pages: pages } = file;
  const { data: parent } = useQuery({ ...fileQuery(parentId ?? ''), enabled: Boolean(parentId) });
  const { data: parts = [] } = useQuery({ ...partsQuery(file.id), enabled: file.media_type === 'document' });
  const attached = parts.filter((part) => part.parent_pages === null);
  const divided = parts.filter((part) => part.parent_pages !== null);
  return (
    <>
      {parent && <FileLinks label={pages === null ? texts.parent : texts.pagesOf(pages)} files={[parent]} />}
      {attached.length > 0 && <FileLinks label={texts.parts} files={attached} />}
      {divided.length > 0 && <FileLinks label={texts.documents} files={divided} />}
    </>
  );
}

function FileLinks({ label, files }: { label: string; files: readonly { id: string; title: string }[] }) {
  return (
    <div className="flex flex-wrap items-center gap-x-2 text-sm text-muted">
      <Paperclip aria-hidden className="size-4 shrink-0" />
      <span aria-hidden>{label}</span>
      <ul aria-label={label} className="flex flex-wrap gap-x-3">
        {files.map(({ id, title }) => (
          <li key={id}>
            <Link
              {...fileLink({ fileId: id })}
              className="inline-flex min-h-6 items-center text-accent underline underline-offset-2 wrap-anywhere"
            >
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
