import { useState } from 'react';
import { z } from 'zod';
import { showInForm, useSchemaForm } from '../../../lib/forms.ts';
import { useMay } from '../../../lib/session.ts';
import { TEXTS } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { SelectInput, TextArea, TextInput } from '../../../ui/field.tsx';
import { Card } from '../../../ui/page.tsx';
import type { SchemaNode } from '../schema/model.ts';
import { SchemaEditor, schemaText } from '../schema/schema-editor.tsx';
import { SchemaOutline } from '../schema/schema-outline.tsx';
import { useSchemaCheck } from '../schema/use-schema-check.ts';
import { EXTRACTION_TEXTS } from '../texts.ts';

const texts = EXTRACTION_TEXTS;
const fields = z.object({
  name: z.string().trim().min(1, TEXTS.errors.required),
  description: z.string(),
  prompt_hint: z.string(),
  status: z.enum(['live', 'draft']),
});

/** What a person decides about a saved schema. */
export type SchemaValues = z.output<typeof fields> & { schema: SchemaNode };

/**
 * The form of a saved schema, new or to be changed; to those who may not change it, its fields to read.
 *
 * @param action text of the button, for a schema that has changed or not
 * @param save   throws what the API says
 */
export function SchemaFields({
  start,
  action,
  save,
}: {
  start: SchemaValues;
  action: (hasNewVersion: boolean) => string;
  save: (values: SchemaValues) => Promise<void>;
}) {
  const { schema: first, ...rest } = start;
  const mayEdit = useMay('editor');
  const [text, setText] = useState(() => schemaText(first));
  const check = useSchemaCheck(text);
  const form = useSchemaForm(fields, rest);
  const { errors, isSubmitting } = form.formState;
  const submit = form.handleSubmit(async (values) => {
    if (!check.schema) return;
    try {
      await save({ ...values, schema: check.schema });
    } catch (error) {
      showInForm(form, error);
    }
  });
  if (!mayEdit) {
    return (
      <Card title={texts.schema}>
        <SchemaOutline schema={first} />
      </Card>
    );
  }
  const isChanged = text !== schemaText(first) || form.watch('prompt_hint') !== start.prompt_hint;
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-5">
      <Card>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextInput
            label={texts.name}
            autoComplete="off"
            error={errors.name?.message}
            {...form.register('name')}
          />
          <SelectInput
            label={texts.status}
            hint={texts.statusHint}
            options={(['live', 'draft'] as const).map((status) => [status, texts.statuses[status]] as const)}
            {...form.register('status')}
          />
          <TextArea
            label={texts.about}
            optional
            rows={2}
            error={errors.description?.message}
            {...form.register('description')}
          />
          <TextArea
            label={texts.prompt}
            optional
            rows={2}
            error={errors.prompt_hint?.message}
            {...form.register('prompt_hint')}
          />
        </div>
      </Card>
      <Card title={texts.schema}>
        <SchemaEditor text={text} check={check} onChange={setText} />
      </Card>
      <p role="alert" className={errors.root ? 'rounded-lg bg-bad-soft px-3 py-2 text-bad' : 'sr-only'}>
        {errors.root?.message}
      </p>
      <div>
        <Button type="submit" variant="primary" busy={isSubmitting} disabled={!check.isValid}>
          {action(isChanged)}
        </Button>
      </div>
    </form>
  );
}
