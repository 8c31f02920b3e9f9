import { z } from 'zod';
import { showInForm, useSchemaForm } from '../../lib/forms.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { TextInput } from '../../ui/field.tsx';

const texts = TEXTS.retention;

const days = (least: number, most: number) =>
  z
    .string()
    .trim()
    .refine(
      (value) => value === '' || (/^\d{1,5}$/.test(value) && Number(value) >= least && Number(value) <= most),
      texts.wrong(least, most),
    )
    .transform((value) => (value === '' ? null : Number(value)));

const schemaOf = (least: number) =>
  z.object({ retention_days: days(least, 36_500), trash_days: days(1, 3650) });
const SCHEMAS = { organisation: schemaOf(1), folder: schemaOf(0) };
type Settings = z.output<typeof SCHEMAS.folder>;

/** How long files of an organisation or of a folder stay, for admins. @param save throws the error to show */
export function RetentionForm({
  of,
  settings,
  save,
}: {
  of: keyof typeof SCHEMAS;
  settings: Settings;
  save: (settings: Settings) => Promise<void>;
}) {
  const show = (value: number | null) => (value === null ? '' : String(value));
  const form = useSchemaForm(SCHEMAS[of], {
    retention_days: show(settings.retention_days),
    trash_days: show(settings.trash_days),
  });
  const { errors, isSubmitting } = form.formState;
  const submit = form.handleSubmit(async (body) => {
    try {
      await save(body);
    } catch (error) {
      showInForm(form, error);
    }
  });
  return (
    <form noValidate className="flex max-w-md flex-col gap-4" onSubmit={(event) => void submit(event)}>
      <TextInput
        label={texts.until}
        hint={of === 'folder' ? texts.ofFolder : texts.ofOrganisation}
        inputMode="numeric"
        autoComplete="off"
        error={errors.retention_days?.message ?? errors.root?.message}
        {...form.register('retention_days')}
      />
      <TextInput
        label={texts.inTrash}
        hint={texts.inTrashHint}
        inputMode="numeric"
        autoComplete="off"
        error={errors.trash_days?.message}
        {...form.register('trash_days')}
      />
      <Button type="submit" busy={isSubmitting} className="self-start">
        {TEXTS.common.save}
      </Button>
    </form>
  );
}
