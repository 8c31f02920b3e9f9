import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FileDetail } from 'darkroom-client';
import { z } from 'zod';
import { client } from '../../../lib/client.ts';
import { showInForm, useSchemaForm } from '../../../lib/forms.ts';
import { TEXTS } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { TextArea, TextInput } from '../../../ui/field.tsx';
import { notify } from '../../../ui/notices.tsx';
import { FILE_TEXTS } from '../texts.ts';

const schema = z.object({ title: z.string(), tags: z.string(), user_description: z.string() });

/** Changes the title, the tags and the user's own description of a file. */
export function EditDialog({
  file,
  open,
  onClose,
}: {
  file: FileDetail;
  open: boolean;
  onClose: () => void;
}) {
  return (
    <Dialog open={open} onClose={onClose} title={FILE_TEXTS.edit.title}>
      <EditForm file={file} onClose={onClose} />
    </Dialog>
  );
}

function EditForm({ file, onClose }: { file: FileDetail; onClose: () => void }) {
  const queries = useQueryClient();
  const form = useSchemaForm(schema, {
    title: file.title === file.filename ? '' : file.title,
    tags: file.tags.join(', '),
    user_description: file.user_description ?? '',
  });
  const save = useMutation({
    mutationFn: ({ title, tags, user_description: description }: z.output<typeof schema>) =>
      client.api.PATCH('/files/{file_id}', {
        params: { path: { file_id: file.id } },
        body: {
          title: title.trim() || null,
          tags: tags.split(',').flatMap((tag) => tag.trim() || []),
          user_description: description.trim() || null,
        },
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['files'] });
      notify(TEXTS.common.saved);
      onClose();
    },
    onError: (error) => showInForm(form, error),
  });
  const { errors } = form.formState;
  const { edit } = FILE_TEXTS;
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => void form.handleSubmit((values) => save.mutate(values))(event)}
    >
      {errors.root && (
        <p role="alert" className="text-bad">
          {errors.root.message}
        </p>
      )}
      <TextInput
        label={edit.name}
        hint={edit.nameHint(file.filename)}
        error={errors.title?.message}
        {...form.register('title')}
      />
      <TextInput
        label={edit.tags}
        hint={edit.tagsHint}
        error={errors.tags?.message}
        {...form.register('tags')}
      />
      <TextArea
        label={edit.description}
        hint={edit.descriptionHint}
        rows={5}
        error={errors.user_description?.message}
        {...form.register('user_description')}
      />
      <DialogActions>
        <Button onClick={onClose}>{TEXTS.common.cancel}</Button>
        <Button type="submit" variant="primary" busy={save.isPending}>
          {TEXTS.common.save}
        </Button>
      </DialogActions>
    </form>
  );
}
