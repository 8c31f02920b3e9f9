import { useQueryClient } from '@tanstack/react-query';
import { z } from 'zod';
import { client } from '../../lib/client.ts';
import { showInForm, useSchemaForm } from '../../lib/forms.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { TextInput } from '../../ui/field.tsx';
import { notify } from '../../ui/notices.tsx';
import type { SchemaNode } from './schema/model.ts';
import type { SavedSchema } from './schema/queries.ts';
import { EXTRACTION_TEXTS } from './texts.ts';

const texts = EXTRACTION_TEXTS;
const fields = z.object({ name: z.string().trim().min(1, TEXTS.errors.required), description: z.string() });

/** Saves a schema under a name. @param schema undefined while there is none to save */
export function SaveSchemaDialog({
  open,
  schema,
  onClose,
  onSaved,
}: {
  open: boolean;
  schema: SchemaNode | undefined;
  onClose: () => void;
  onSaved: (saved: SavedSchema) => void;
}) {
  const queries = useQueryClient();
  const form = useSchemaForm(fields, { name: '', description: '' });
  const { errors, isSubmitting } = form.formState;
  const save = form.handleSubmit(async (values) => {
    if (!schema) return;
    try {
      const { data } = await client.api.POST('/extraction-schemas', { body: { ...values, schema } });
      await queries.invalidateQueries({ queryKey: ['extraction-schemas'] });
      notify(TEXTS.common.saved);
      form.reset();
      onClose();
      onSaved(data);
    } catch (error) {
      showInForm(form, error);
    }
  });
  return (
    <Dialog open={open} onClose={onClose} title={texts.saveAs}>
      <form noValidate onSubmit={(event) => void save(event)} className="flex flex-col gap-4">
        <TextInput
          label={texts.name}
          autoComplete="off"
          error={errors.name?.message}
          {...form.register('name')}
        />
        <TextInput
          label={texts.about}
          optional
          autoComplete="off"
          error={errors.description?.message}
          {...form.register('description')}
        />
        <p role="alert" className={errors.root ? 'text-sm text-bad' : 'sr-only'}>
          {errors.root?.message}
        </p>
        <DialogActions>
          <Button onClick={onClose}>{TEXTS.common.cancel}</Button>
          <Button type="submit" variant="primary" busy={isSubmitting}>
            {TEXTS.common.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
