import { z } from 'zod';
import { useSchemaForm } from '../../../lib/forms.ts';
import { TEXTS } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { TextInput } from '../../../ui/field.tsx';
import { LIBRARY_TEXTS } from '../texts.ts';

const texts = LIBRARY_TEXTS;
const tags = z
  .string()
  .transform((text) => [...new Set(text.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== ''))
  .pipe(z.array(z.string().max(50, texts.tagTooLong)).max(40, texts.tooManyTags));
const schema = z
  .object({ add: tags, remove: tags })
  .refine(({ add, remove }) => add.length + remove.length > 0, { path: ['add'], error: texts.noTags });

/** Asks which tags to add to the selected files, and which to remove. */
export function TagsDialog({
  open,
  count,
  onClose,
  onSave,
}: {
  open: boolean;
  count: number;
  onClose: () => void;
  onSave: (change: { add: string[]; remove: string[] }) => void;
}) {
  return (
    <Dialog open={open} onClose={onClose} title={texts.tagFiles(count)}>
      <TagsForm onClose={onClose} onSave={onSave} />
    </Dialog>
  );
}

function TagsForm({
  onClose,
  onSave,
}: {
  onClose: () => void;
  onSave: (change: { add: string[]; remove: string[] }) => void;
}) {
  const form = useSchemaForm(schema, { add: '', remove: '' });
  const { errors } = form.formState;
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => void form.handleSubmit(onSave)(event)}
    >
      <TextInput
        label={texts.addTags}
        hint={texts.tagsHint}
        error={messageIn(errors.add)}
        autoFocus
        {...form.register('add')}
      />
      <TextInput label={texts.removeTags} error={messageIn(errors.remove)} {...form.register('remove')} />
      <DialogActions>
        <Button onClick={onClose}>{TEXTS.common.cancel}</Button>
        <Button type="submit" variant="primary">
          {TEXTS.common.save}
        </Button>
      </DialogActions>
    </form>
  );
}

/** The message of a field or, as the field is a list when checked, of its first wrong entry. */
function messageIn(error: { message?: string } | undefined): string | undefined {
  const entries = Object.values(error ?? {}) as { message?: string }[];
  return error?.message ?? entries.find((entry) => entry?.message)?.message;
}
