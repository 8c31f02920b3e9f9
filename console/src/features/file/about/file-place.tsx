import { useQuery } from '@tanstack/react-query';
import type { FileDetail } from 'darkroom-client';
import { Folder } from 'lucide-react';
import { formatBytes } from '../../../lib/format.ts';
import { TEXTS } from '../../../texts.ts';
import { folderQuery, projectQuery } from './folder-queries.ts';

/** What a file is and where it lies: its medium, size, project and folder. */
export function FilePlace({ file }: { file: FileDetail }) {
  const { data: folder } = useQuery(folderQuery(file.folder_id));
  const { data: project } = useQuery(projectQuery(file.project_id));
  const place = [project?.name, folder?.path].filter(Boolean).join(' · ');
  return (
    <>
      <span>
        {TEXTS.media[file.media_type]}, {file.format.toUpperCase()}, {formatBytes(file.size_bytes)}
      </span>
      {place && (
        <span className="flex items-center gap-1.5 wrap-anywhere">
          <Folder aria-hidden className="size-4 shrink-0" />
          {place}
        </span>
      )}
    </>
  );
}
