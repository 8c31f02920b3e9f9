import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Braces, Plus, ScanText, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../../lib/client.ts';
import { formatDate } from '../../../lib/format.ts';
import { useMay } from '../../../lib/session.ts';
import { TEXTS } from '../../../texts.ts';
import { IconButton } from '../../../ui/button.tsx';
import { LinkButton } from '../../../ui/link-button.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { notify, notifyError } from '../../../ui/notices.tsx';
import { Empty, ErrorNote, MoreButton, Page, Skeleton } from '../../../ui/page.tsx';
import { Badge } from '../../../ui/status.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { savedSchemasQuery, type SavedSchema } from '../schema/queries.ts';
import { EXTRACTION_TEXTS } from '../texts.ts';

const texts = EXTRACTION_TEXTS;

/** The saved schemas of the organisation. */
export function SchemasPage() {
  const list = useInfiniteQuery(savedSchemasQuery);
  const mayEdit = useMay('editor');
  const [doomed, setDoomed] = useState<SavedSchema>();
  const schemas = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const newButton = mayEdit && (
    <LinkButton to="/extract/schemas/new" variant="primary" icon={Plus}>
      {texts.newPage}
    </LinkButton>
  );
  return (
    <Page title={texts.schemas} actions={schemas.length > 0 && newButton}>
      {list.error && <ErrorNote error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending ? (
        <Skeleton lines={6} />
      ) : schemas.length === 0 && !list.error ? (
        <Empty icon={Braces} title={texts.noSchemas}>
          <p className="mb-4">{texts.noSchemasHint}</p>
          {newButton}
        </Empty>
      ) : (
        schemas.length > 0 && (
          <Table
            caption={texts.schemas}
            columns={[texts.name, texts.version, texts.status, texts.created, '']}
          >
            {schemas.map((schema) => (
              <tr key={schema.id}>
                <Cell className="min-w-40">
                  <Link
                    to="/extract/schemas/$schemaId"
                    params={{ schemaId: schema.id }}
                    className="font-medium text-accent underline wrap-anywhere"
                  >
                    {schema.name}
                  </Link>
                  {schema.description && <p className="text-muted">{schema.description}</p>}
                </Cell>
                <Cell>{schema.version}</Cell>
                <Cell>
                  <Badge tone={schema.status === 'live' ? 'bg-good-soft text-good' : undefined}>
                    {texts.statuses[schema.status]}
                  </Badge>
                </Cell>
                <Cell className="whitespace-nowrap">{formatDate(schema.created_at)}</Cell>
                <Cell className="text-right whitespace-nowrap">
                  <LinkButton
                    to="/extract"
                    search={{ schema: schema.id }}
                    size="small"
                    icon={ScanText}
                    className="mr-1"
                  >
                    {texts.useSchema}
                  </LinkButton>
                  {mayEdit && (
                    <IconButton
                      icon={Trash2}
                      size="smallIcon"
                      label={texts.deleteSchema(schema.name)}
                      onClick={() => setDoomed(schema)}
                    />
                  )}
                </Cell>
              </tr>
            ))}
          </Table>
        )
      )}
      <MoreButton list={list} />
      <DeleteDialog schema={doomed} onClose={() => setDoomed(undefined)} />
    </Page>
  );
}

function DeleteDialog({ schema, onClose }: { schema: SavedSchema | undefined; onClose: () => void }) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: (id: string) =>
      client.api.DELETE('/extraction-schemas/{schema_id}', { params: { path: { schema_id: id } } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['extraction-schemas'] });
      notify(texts.deleted);
      onClose();
    },
    onError: notifyError,
  });
  return (
    <ConfirmDialog
      open={schema !== undefined}
      onClose={onClose}
      onConfirm={() => schema && remove.mutate(schema.id)}
      title={texts.deleteSchema(schema?.name ?? '')}
      action={TEXTS.common.delete}
      busy={remove.isPending}
    >
      {texts.deleteSchemaText}
    </ConfirmDialog>
  );
}
