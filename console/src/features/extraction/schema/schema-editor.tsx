import { useState } from 'react';
import { ErrorNote } from '../../../ui/page.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { EXTRACTION_TEXTS } from '../texts.ts';
import type { SchemaNode } from './model.ts';
import { SchemaForm } from './schema-form.tsx';
import { SchemaJson } from './schema-json.tsx';
import type { SchemaCheck } from './use-schema-check.ts';

const texts = EXTRACTION_TEXTS;

/** The text of a schema, well formed. */
export const schemaText = (schema: SchemaNode): string => JSON.stringify(schema, null, 2);

/**
 * One schema in two views: a form and its JSON. The text is the only state; the form changes the fields in it.
 *
 * @param check what `useSchemaCheck` says about the text
 */
export function SchemaEditor({
  text,
  check,
  onChange,
}: {
  text: string;
  check: SchemaCheck;
  onChange: (text: string) => void;
}) {
  const [view, setView] = useState<'form' | 'json'>('form');
  const { schema, problems } = check;
  return (
    <div className="flex flex-col gap-3">
      <Tabs
        label={texts.views}
        value={view}
        onChange={setView}
        tabs={[
          {
            id: 'form',
            name: texts.form,
            content: schema ? (
              <SchemaForm
                object={schema}
                pointer=""
                problems={problems}
                onChange={(next) => onChange(schemaText(next))}
              />
            ) : (
              <p className="rounded-lg bg-bad-soft px-3 py-2">{texts.brokenJson}</p>
            ),
          },
          {
            id: 'json',
            name: texts.json,
            content: <SchemaJson text={text} problems={problems} onChange={onChange} />,
          },
        ]}
      />
      {check.error ? <ErrorNote error={check.error} /> : null}
      <p role="status" className={`text-sm ${problems.length > 0 ? 'text-bad' : 'text-muted'}`}>
        {check.isChecking
          ? texts.checking
          : check.isValid
            ? texts.valid
            : problems.length > 0 && texts.problems(problems.length)}
      </p>
    </div>
  );
}
