import { z } from 'zod';
import { showInForm, useSchemaForm } from '../../../lib/forms.ts';
import { TEXTS } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog, Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { TextInput } from '../../../ui/field.tsx';
import { notifyError } from '../../../ui/notices.tsx';
import { RetentionForm } from '../../shared/retention-form.tsx';
import { LIBRARY_TEXTS } from '../texts.ts';
import { isProject, useFolderChange, type Folder, type FolderTask } from './folder-queries.ts';
import { MoveDialog } from './move-dialog.tsx';

const texts = LIBRARY_TEXTS;

/** The dialogs for the work on folders and projects, of which one is open at most. */
export function FolderDialogs({
  task,
  onClose,
  onDeleted,
}: {
  task: FolderTask | null;
  onClose: () => void;
  onDeleted: (folder: Folder) => void;
}) {
  const change = useFolderChange();
  const folder = task && 'folder' in task ? task.folder : undefined;
  const isNaming = task?.do === 'create' || task?.do === 'create-project' || task?.do === 'rename';
  return (
    <>
      <Dialog open={isNaming} onClose={onClose} title={task ? titleOf(task) : ''}>
        {isNaming && <NameForm task={task} onClose={onClose} />}
      </Dialog>
      <Dialog open={task?.do === 'retention'} onClose={onClose} title={task ? titleOf(task) : ''}>
        {task?.do === 'retention' && (
          <RetentionForm
            of="folder"
            settings={task.folder}
            save={async (settings) => {
              await change.mutateAsync({ do: 'retention', id: task.folder.id, settings });
              onClose();
            }}
          />
        )}
      </Dialog>
      <MoveDialog
        open={task?.do === 'move'}
        title={task ? titleOf(task) : ''}
        onClose={onClose}
        onPick={(parent) => {
          onClose();
          if (folder) change.mutate({ do: 'move', id: folder.id, parent }, { onError: notifyError });
        }}
      />
      <ConfirmDialog
        open={task?.do === 'delete'}
        title={task ? titleOf(task) : ''}
        action={TEXTS.common.delete}
        busy={change.isPending}
        onClose={onClose}
        onConfirm={() => {
          if (!folder) return;
          change.mutate(
            { do: 'delete', folder },
            { onError: notifyError, onSuccess: () => onDeleted(folder), onSettled: onClose },
          );
        }}
      >
        {texts.deleteFolderNote}
      </ConfirmDialog>
    </>
  );
}

function titleOf(task: FolderTask): string {
  if (task.do === 'create') return task.parent ? texts.newFolderInside(task.parent.name) : texts.newFolder;
  if (task.do === 'create-project') return texts.newProject;
  const { name } = task.folder;
  if (task.do === 'rename') return texts.renameFolder(name);
  if (task.do === 'move') return texts.moveFolder(name);
  if (task.do === 'retention') return texts.retentionOf(name);
  return isProject(task.folder) ? texts.deleteProject(name) : texts.deleteFolder(name);
}

const schema = z.object({
  name: z.string().trim().min(1, TEXTS.errors.required).max(255, texts.nameTooLong),
});

function NameForm({ task, onClose }: { task: FolderTask; onClose: () => void }) {
  const change = useFolderChange();
  const form = useSchemaForm(schema, { name: 'folder' in task ? task.folder.name : '' });
  const { errors, isSubmitting } = form.formState;
  const save = form.handleSubmit(async ({ name }) => {
    try {
      if ('folder' in task) await change.mutateAsync({ do: 'rename', folder: task.folder, name });
      else if (task.do === 'create')
        await change.mutateAsync({ do: 'create', name, parent: task.parent?.id ?? null });
      else await change.mutateAsync({ do: 'create-project', name });
      onClose();
    } catch (error) {
      showInForm(form, error);
    }
  });
  return (
    <form noValidate className="flex flex-col gap-4" onSubmit={(event) => void save(event)}>
      <TextInput
        label={texts.name}
        autoFocus
        autoComplete="off"
        error={errors.name?.message ?? errors.root?.message}
        {...form.register('name')}
      />
      <DialogActions>
        <Button onClick={onClose}>{TEXTS.common.cancel}</Button>
        <Button type="submit" variant="primary" busy={isSubmitting}>
          {TEXTS.common.save}
        </Button>
      </DialogActions>
    </form>
  );
}
