import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { FileDetail } from 'darkroom-client';
import { ChevronLeft, Folder } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../../lib/client.ts';
import { TEXTS } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { notify, notifyError } from '../../../ui/notices.tsx';
import { ErrorNote, MoreButton, Skeleton } from '../../../ui/page.tsx';
import { FILE_TEXTS } from '../texts.ts';
import { folderQuery, subfoldersQuery } from './folder-queries.ts';

/** Moves a file into a folder, which is found by opening the folders above it. */
export function MoveDialog({
  file,
  open,
  onClose,
}: {
  file: FileDetail;
  open: boolean;
  onClose: () => void;
}) {
  return (
    <Dialog open={open} onClose={onClose} title={FILE_TEXTS.move.title}>
      <FolderChoice file={file} onClose={onClose} />
    </Dialog>
  );
}

function FolderChoice({ file, onClose }: { file: FileDetail; onClose: () => void }) {
  const queries = useQueryClient();
  const [folderId, setFolderId] = useState(file.folder_id);
  const { data: folder } = useQuery(folderQuery(folderId));
  const list = useInfiniteQuery(subfoldersQuery(folderId));
  const { data, error } = list;
  const move = useMutation({
    mutationFn: () =>
      client.api.PATCH('/files/{file_id}', {
        params: { path: { file_id: file.id } },
        body: { folder_id: folderId },
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['files'] });
      notify(FILE_TEXTS.move.done);
      onClose();
    },
    onError: notifyError,
  });
  const folders = data?.pages.flatMap(({ items }) => items) ?? [];
  const path = folderId === null ? FILE_TEXTS.move.root : (folder?.path ?? TEXTS.common.loading);
  return (
    <>
      <div className="flex items-center gap-2">
        <Button
          size="small"
          icon={ChevronLeft}
          disabled={folderId === null}
          onClick={() => setFolderId(folder?.parent_id ?? null)}
        >
          {FILE_TEXTS.move.up}
        </Button>
        <p aria-live="polite" className="font-medium wrap-anywhere">
          {path}
        </p>
      </div>
      {error && <ErrorNote error={error} />}
      {!data && !error && <Skeleton />}
      {data && folders.length === 0 && <p className="text-muted">{FILE_TEXTS.move.empty}</p>}
      <ul className="max-h-72 overflow-y-auto">
        {folders.map(({ id, name }) => (
          <li key={id}>
            <Button
              variant="quiet"
              icon={Folder}
              className="w-full justify-start!"
              onClick={() => setFolderId(id)}
            >
              {name}
            </Button>
          </li>
        ))}
      </ul>
      <MoreButton list={list} />
      <DialogActions>
        <Button onClick={onClose}>{TEXTS.common.cancel}</Button>
        <Button
          variant="primary"
          busy={move.isPending}
          disabled={folderId === file.folder_id}
          onClick={() => move.mutate()}
        >
          {FILE_TEXTS.move.here}
        </Button>
      </DialogActions>
    </>
  );
}
