import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { ScanText } from 'lucide-react';
import { client } from '../../../lib/client.ts';
import { TEXTS } from '../../../texts.ts';
import { LinkButton } from '../../../ui/link-button.tsx';
import { SelectInput } from '../../../ui/field.tsx';
import { notify } from '../../../ui/notices.tsx';
import { ErrorNote, Page, Skeleton } from '../../../ui/page.tsx';
import { savedSchemaQuery, type SavedSchema } from '../schema/queries.ts';
import { EXTRACTION_TEXTS } from '../texts.ts';
import { SchemaFields, type SchemaValues } from './schema-fields.tsx';

const texts = EXTRACTION_TEXTS;
const route = getRouteApi('/signed-in/extract/schemas/$schemaId');

/** A saved schema in its newest or another version; saving it makes a new version if the schema has changed. */
export function SchemaPage() {
  const { schemaId } = route.useParams();
  const { version } = route.useSearch();
  const navigate = useNavigate({ from: '/extract/schemas/$schemaId' });
  const queries = useQueryClient();
  const newest = useQuery(savedSchemaQuery(schemaId));
  const shown = useQuery(savedSchemaQuery(schemaId, version));
  const error = newest.error ?? shown.error;
  const save = async (body: SchemaValues) => {
    await client.api.PATCH('/extraction-schemas/{schema_id}', {
      params: { path: { schema_id: schemaId } },
      body,
    });
    await queries.invalidateQueries({ queryKey: ['extraction-schemas'] });
    notify(TEXTS.common.saved);
    await navigate({ search: {} });
  };
  if (error) {
    return (
      <Page title={texts.schema}>
        <ErrorNote error={error} onRetry={() => void shown.refetch()} />
      </Page>
    );
  }
  if (!newest.data || !shown.data) {
    return (
      <Page title={texts.schema}>
        <Skeleton lines={8} />
      </Page>
    );
  }
  const last = newest.data.version;
  const isOld = shown.data.version !== last;
  return (
    <Page
      title={newest.data.name}
      actions={
        <>
          {last > 1 && (
            <SelectInput
              label={texts.version}
              hideLabel
              value={String(shown.data.version)}
              options={Array.from({ length: last }, (_, index) => {
                const number = last - index;
                return [String(number), texts.versionOf(number, last)] as const;
              })}
              onChange={({ target }) => {
                const chosen = Number(target.value);
                void navigate({ search: chosen === last ? {} : { version: chosen } });
              }}
            />
          )}
          <LinkButton to="/extract" search={{ schema: schemaId }} icon={ScanText}>
            {texts.useSchema}
          </LinkButton>
        </>
      }
    >
      {isOld && <p className="rounded-lg bg-warn-soft px-3 py-2">{texts.oldVersion(shown.data.version)}</p>}
      <SchemaFields
        key={`${shown.data.version} ${last}`}
        start={valuesOf(shown.data, newest.data)}
        action={(isChanged) => (isOld || isChanged ? texts.saveVersion(last + 1) : TEXTS.common.save)}
        save={save}
      />
    </Page>
  );
}

/** The schema and prompt of a version; the name and state belong to all versions. */
function valuesOf({ schema, prompt_hint: hint }: SavedSchema, newest: SavedSchema): SchemaValues {
  const { name, description, status } = newest;
  return { name, description: description ?? '', prompt_hint: hint ?? '', status, schema };
}
