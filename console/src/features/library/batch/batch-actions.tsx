import { Download, FolderInput, RotateCcw, Tags, Trash2 } from 'lucide-react';
import { lazyRouteComponent } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../../lib/session.ts';
import { TEXTS } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Later } from '../../../ui/later.tsx';
import { MoveDialog } from '../folders/move-dialog.tsx';
import type { Selection } from '../selection.ts';
import { LIBRARY_TEXTS } from '../texts.ts';
import { deleteSteps, moveSteps, restoreSteps, retrySteps, tagSteps, type Batch } from './run-batch.ts';
import { SelectionBar } from './selection-bar.tsx';

const texts = LIBRARY_TEXTS;
const TagsDialog = lazyRouteComponent(() => import('./tags-dialog.tsx'), 'TagsDialog');
const ExportDialog = lazyRouteComponent(() => import('./export-dialog.tsx'), 'ExportDialog');
export type BatchDialog = 'move' | 'tags' | 'export' | 'delete' | null;

/** The selection bar of the library with its actions and their dialogs. */
export function BatchActions({
  selection,
  batch,
  dialog,
  onDialog,
}: {
  selection: Selection;
  batch: Batch;
  dialog: BatchDialog;
  onDialog: (dialog: BatchDialog) => void;
}) {
  const mayEdit = useMay('editor');
  const [isRetrying, setRetrying] = useState(false);
  const ids = [...selection.ids];
  const close = () => onDialog(null);
  const retry = async () => {
    setRetrying(true);
    await batch.start(retrySteps(ids), texts.retried);
    setRetrying(false);
  };
  return (
    <>
      <SelectionBar selection={selection} batch={batch}>
        {mayEdit && (
          <>
            <Button size="small" variant="quiet" icon={FolderInput} onClick={() => onDialog('move')}>
              {texts.moveTo}
            </Button>
            <Button size="small" variant="quiet" icon={Tags} onClick={() => onDialog('tags')}>
              {texts.tag}
            </Button>
          </>
        )}
        <Button size="small" variant="quiet" icon={Download} onClick={() => onDialog('export')}>
          {texts.export}
        </Button>
        {mayEdit && (
          <>
            <Button
              size="small"
              variant="quiet"
              icon={RotateCcw}
              disabled={isRetrying}
              onClick={() => void retry()}
            >
              {texts.retry}
            </Button>
            <Button size="small" variant="quiet" icon={Trash2} onClick={() => onDialog('delete')}>
              {TEXTS.common.delete}
            </Button>
          </>
        )}
      </SelectionBar>
      <MoveDialog
        open={dialog === 'move'}
        title={texts.moveFiles(ids.length)}
        onClose={close}
        onPick={(folder) => {
          close();
          selection.clear();
          void batch.start(moveSteps(ids, folder), texts.moved);
        }}
      />
      <Later when={dialog === 'tags'}>
        <TagsDialog
          open={dialog === 'tags'}
          count={ids.length}
          onClose={close}
          onSave={(change) => {
            close();
            void batch.start(tagSteps(ids, change), texts.tagged);
          }}
        />
      </Later>
      <Later when={dialog === 'export'}>
        <ExportDialog open={dialog === 'export'} ids={ids} onClose={close} />
      </Later>
      <ConfirmDialog
        open={dialog === 'delete'}
        title={texts.deleteFiles(ids.length)}
        action={texts.toTrash}
        onClose={close}
        onConfirm={() => {
          close();
          selection.clear();
          const undo = () =>
            void batch.start(
              restoreSteps(ids, () => undefined),
              texts.restored,
            );
          void batch.start(deleteSteps(ids), texts.deleted, undo);
        }}
      >
        {texts.deleteNote}
      </ConfirmDialog>
    </>
  );
}
