import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FileDetail } from 'darkroom-client';
import { useNavigate } from '@tanstack/react-router';
import {
  Download,
  Ellipsis,
  FolderInput,
  MessageCircleQuestion,
  Pencil,
  ScanText,
  Scissors,
  Share2,
  Trash2,
} from 'lucide-react';
import { useState } from 'react';
import { client } from '../../lib/client.ts';
import { useMay } from '../../lib/session.ts';
import { TEXTS } from '../../texts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { notify, notifyError } from '../../ui/notices.tsx';
import { EditDialog } from './about/edit-dialog.tsx';
import { ShareDialog } from './share-dialog.tsx';
import { SplitDialog } from './document/split-dialog.tsx';
import { MoveDialog } from './about/move-dialog.tsx';
import { FILE_TEXTS } from './texts.ts';

type Action = 'edit' | 'move' | 'share' | 'split' | 'delete';

/** What can be done with a file as a whole. */
export function FileActions({ file }: { file: FileDetail }) {
  const mayChange = useMay('editor');
  const queries = useQueryClient();
  const [action, setAction] = useState<Action | null>(null);
  const close = () => setAction(null);
  const navigate = useNavigate();
  const { id, media_type: medium } = file;
  const mayAsk = medium === 'document' || medium === 'link';
  const mayExtract = mayChange && (medium === 'document' || medium === 'image');
  const maySplit =
    mayChange && medium === 'document' && file.document_type === 'pdf' && (file.page_count ?? 0) > 1;
  const restore = () => {
    const params = { path: { file_id: id } };
    client.api
      .POST('/files/{file_id}/restore', { params })
      .then(() => queries.invalidateQueries({ queryKey: ['files'] }), notifyError);
  };
  const remove = useMutation({
    mutationFn: () => client.api.DELETE('/files/{file_id}', { params: { path: { file_id: file.id } } }),
    onSuccess: () => {
      notify(FILE_TEXTS.trash.done, false, { name: TEXTS.common.undo, run: restore });
      return queries.invalidateQueries({ queryKey: ['files'] });
    },
    onError: notifyError,
    onSettled: close,
  });
  const { actions } = FILE_TEXTS;
  return (
    <>
      <Button icon={Download} onClick={() => download(file.id)}>
        {actions.download}
      </Button>
      <Button icon={Share2} onClick={() => setAction('share')}>
        {actions.share}
      </Button>
      {(mayAsk || mayChange) && (
        <Menu trigger={<IconButton icon={Ellipsis} label={TEXTS.common.actions} variant="secondary" />}>
          {mayAsk && (
            <MenuItem
              icon={MessageCircleQuestion}
              onSelect={() => void navigate({ to: '/ask', search: { document: [id] } })}
            >
              {actions.ask}
            </MenuItem>
          )}
          {mayExtract && (
            <MenuItem
              icon={ScanText}
              onSelect={() => void navigate({ to: '/extract', search: { file: [id] } })}
            >
              {actions.extract}
            </MenuItem>
          )}
          {maySplit && (
            <MenuItem icon={Scissors} onSelect={() => setAction('split')}>
              {actions.split}
            </MenuItem>
          )}
          {mayChange && (
            <>
              {(mayAsk || mayExtract) && <MenuSeparator />}
              <MenuItem icon={Pencil} onSelect={() => setAction('edit')}>
                {actions.edit}
              </MenuItem>
              <MenuItem icon={FolderInput} onSelect={() => setAction('move')}>
                {actions.move}
              </MenuItem>
              <MenuSeparator />
              <MenuItem icon={Trash2} danger onSelect={() => setAction('delete')}>
                {actions.delete}
              </MenuItem>
            </>
          )}
        </Menu>
      )}
      <ShareDialog file={file} open={action === 'share'} onClose={close} />
      <SplitDialog file={file} open={action === 'split'} onClose={close} />
      <EditDialog file={file} open={action === 'edit'} onClose={close} />
      <MoveDialog file={file} open={action === 'move'} onClose={close} />
      <ConfirmDialog
        open={action === 'delete'}
        onClose={close}
        onConfirm={() => remove.mutate()}
        busy={remove.isPending}
        title={actions.deleteTitle}
        action={actions.delete}
      >
        {actions.deleteHint(file.title)}
      </ConfirmDialog>
    </>
  );
}

/** The API leads to the store, which sends it as an attachment: the page stays. */
function download(fileId: string): void {
  location.assign(`/api/v2/files/${fileId}/download`);
}
