import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Pencil, Save } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../../lib/session.ts';
import { Button } from '../../ui/button.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { SelectInput } from '../../ui/field.tsx';
import { ErrorNote, MoreButton, Skeleton } from '../../ui/page.tsx';
import { SaveSchemaDialog } from './save-schema-dialog.tsx';
import { savedSchemaQuery, savedSchemasQuery } from './schema/queries.ts';
import { SchemaEditor, schemaText } from './schema/schema-editor.tsx';
import { SchemaOutline } from './schema/schema-outline.tsx';
import { useSchemaCheck } from './schema/use-schema-check.ts';
import { EXTRACTION_TEXTS } from './texts.ts';

const texts = EXTRACTION_TEXTS;
const KEY = 'darkroom.schema-draft';
const START = schemaText({ type: 'object', properties: { field_1: { type: 'string' } } });

/** Keeps the schema that is being written until the browser's tab is closed, also while other pages are shown. */
export const keepDraft = (text: string): void => sessionStorage.setItem(KEY, text);

/** The schema of the next extraction: a saved one, or the one that is being written. */
export function useChosenSchema(id: string | undefined) {
  const [text, setText] = useState(() => sessionStorage.getItem(KEY) ?? START);
  const check = useSchemaCheck(text);
  const saved = useQuery({ ...savedSchemaQuery(id ?? ''), enabled: id !== undefined });
  const write = (next: string) => {
    keepDraft(next);
    setText(next);
  };
  return {
    id,
    text,
    write,
    check,
    saved,
    isValid: id === undefined ? check.isValid : saved.data !== undefined,
    /** As the fields of a request. */
    source: id === undefined ? { schema: check.schema } : { custom_schema_id: id },
  };
}

export function SchemaChoice({
  chosen,
  onChoose,
}: {
  chosen: ReturnType<typeof useChosenSchema>;
  /** @param id undefined to write a schema */
  onChoose: (id: string | undefined) => void;
}) {
  const { id, saved, check } = chosen;
  const mayEdit = useMay('editor');
  const [isSaving, setSaving] = useState(false);
  const list = useInfiniteQuery(savedSchemasQuery);
  const schemas = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const isListed = id === undefined || schemas.some((each) => each.id === id);
  return (
    <div className="flex flex-col gap-4">
      {list.error && <ErrorNote error={list.error} onRetry={() => void list.refetch()} />}
      <div className="flex flex-wrap items-end gap-2">
        <div className="min-w-0 grow">
          <SelectInput
            label={texts.schema}
            value={id ?? ''}
            options={[
              ['', texts.newSchema],
              ...schemas.map((each) => [each.id, texts.schemaOf(each.name, each.version)] as const),
              ...(isListed ? [] : [[id, saved.data?.name ?? id.slice(0, 8)] as const]),
            ]}
            onChange={({ target }) => onChoose(target.value || undefined)}
          />
        </div>
        <MoreButton list={list} />
      </div>
      {id === undefined ? (
        <>
          <SchemaEditor text={chosen.text} check={check} onChange={chosen.write} />
          {mayEdit && (
            <div>
              <Button icon={Save} disabled={!check.isValid} onClick={() => setSaving(true)}>
                {texts.saveAs}
              </Button>
            </div>
          )}
          <SaveSchemaDialog
            open={isSaving}
            schema={check.schema}
            onClose={() => setSaving(false)}
            onSaved={(schema) => onChoose(schema.id)}
          />
        </>
      ) : saved.error ? (
        <ErrorNote error={saved.error} onRetry={() => void saved.refetch()} />
      ) : saved.data ? (
        <>
          {saved.data.description && <p className="text-muted">{saved.data.description}</p>}
          <SchemaOutline schema={saved.data.schema} />
          {mayEdit && (
            <div>
              <LinkButton to="/extract/schemas/$schemaId" params={{ schemaId: id }} icon={Pencil}>
                {texts.change}
              </LinkButton>
            </div>
          )}
        </>
      ) : (
        <Skeleton lines={5} />
      )}
    </div>
  );
}
