import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { client } from '../../../lib/client.ts';
import { useMay } from '../../../lib/session.ts';
import { TEXTS } from '../../../texts.ts';
import { notify } from '../../../ui/notices.tsx';
import { Page } from '../../../ui/page.tsx';
import { EXTRACTION_TEXTS } from '../texts.ts';
import { SchemaFields, type SchemaValues } from './schema-fields.tsx';

const texts = EXTRACTION_TEXTS;
const START: SchemaValues = {
  name: '',
  description: '',
  prompt_hint: '',
  status: 'live',
  schema: { type: 'object', properties: { field_1: { type: 'string' } } },
};

/** Writes a schema to be used by name. */
export function NewSchemaPage() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const mayEdit = useMay('editor');
  const save = async (body: SchemaValues) => {
    const { data } = await client.api.POST('/extraction-schemas', { body });
    await queries.invalidateQueries({ queryKey: ['extraction-schemas'] });
    notify(TEXTS.common.saved);
    await navigate({ to: '/extract/schemas/$schemaId', params: { schemaId: data.id } });
  };
  return (
    <Page title={texts.newPage}>
      {mayEdit ? (
        <SchemaFields start={START} action={() => texts.saveSchema} save={save} />
      ) : (
        <p className="text-muted">{texts.noEdit}</p>
      )}
    </Page>
  );
}
