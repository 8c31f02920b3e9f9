import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Image, RotateCcw, Save } from 'lucide-react';
import { useState } from 'react';
import type { components } from 'darkroom-client';
import { byCode, client } from '../../../lib/client.ts';
import { useLive } from '../../../lib/live.ts';
import { useMay } from '../../../lib/session.ts';
import { Button } from '../../../ui/button.tsx';
import { LinkButton } from '../../../ui/link-button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { ErrorNote, Page, Skeleton } from '../../../ui/page.tsx';
import { ProgressBar } from '../../../ui/status.tsx';
import { fileQuery } from '../../file/queries.ts';
import { SaveSchemaDialog } from '../save-schema-dialog.tsx';
import { keepDraft } from '../schema-choice.tsx';
import { schemaText } from '../schema/schema-editor.tsx';
import { EXTRACTION_TEXTS } from '../texts.ts';
import { ExtractionFacts, type StructuredExtraction } from './extraction-facts.tsx';
import { ResultBesideSource } from './result-beside-source.tsx';

const texts = EXTRACTION_TEXTS;
const route = getRouteApi('/signed-in/extractions/$extractionId');
/** While the live channel cannot be followed. */
const POLL_MS = 5000;

/** One extraction: followed until it has ended, then its values beside their sources. */
export function ExtractionPage() {
  const { extractionId } = route.useParams();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const mayEdit = useMay('editor');
  const [isSaving, setSaving] = useState(false);
  const key = ['extractions', extractionId];
  const { data, error, refetch } = useQuery<StructuredExtraction>({
    queryKey: key,
    refetchInterval: ({ state }) => (state.data?.status === 'processing' ? POLL_MS : false),
    queryFn: async ({ signal }) =>
      (
        await client.api.GET('/extractions/{extraction_id}', {
          params: { path: { extraction_id: extractionId } },
          signal,
        })
      ).data,
  });
  useLive(data?.status === 'processing' ? `/extractions/${extractionId}` : null, {
    onEvent: (event) => {
      const frame = event.data as components['schemas']['ExtractionFrame'];
      queries.setQueryData(key, frame.data);
    },
  });
  const fileId = data?.file_id ?? null;
  const file = useQuery({ ...fileQuery(fileId ?? ''), enabled: fileId !== null });
  if (error) {
    return (
      <Page title={texts.result}>
        <ErrorNote error={error} onRetry={() => void refetch()} />
      </Page>
    );
  }
  if (!data) {
    return (
      <Page title={texts.result}>
        <Skeleton lines={8} />
      </Page>
    );
  }
  return (
    <Page
      full
      title={file.data ? texts.of(file.data.title) : texts.result}
      actions={
        <>
          {data.extracted_data && (
            <CopyButton text={JSON.stringify(data.extracted_data, null, 2)} label={texts.asJson} />
          )}
          {file.data?.media_type === 'image' && (
            <LinkButton
              to="/files/$fileId/findings"
              params={{ fileId: file.data.id }}
              size="small"
              icon={Image}
            >
              {texts.findingsLink}
            </LinkButton>
          )}
          {mayEdit && !data.schema_id && (
            <Button size="small" icon={Save} onClick={() => setSaving(true)}>
              {texts.saveAs}
            </Button>
          )}
          {fileId && (
            <LinkButton
              to="/extract"
              search={{ file: [fileId], ...(data.schema_id && { schema: data.schema_id }) }}
              size="small"
              icon={RotateCcw}
              onClick={() => !data.schema_id && keepDraft(schemaText(data.schema))}
            >
              {texts.again}
            </LinkButton>
          )}
        </>
      }
    >
      <div role="status">
        {data.status === 'processing' && (
          <div className="flex max-w-xl flex-col gap-3">
            <p>{texts.processing}</p>
            <ProgressBar label={texts.running} value={undefined} />
          </div>
        )}
      </div>
      {data.error && (
        <div role="alert" className="rounded-xl border border-bad/40 bg-bad-soft px-4 py-3">
          <p className="font-medium text-bad">{texts.failed}</p>
          <p>{byCode(data.error.code, data.error.message)}</p>
        </div>
      )}
      {file.error && <ErrorNote error={file.error} onRetry={() => void file.refetch()} />}
      {data.extracted_data && (
        <ResultBesideSource
          data={data.extracted_data}
          schema={data.schema}
          citations={data.citations ?? {}}
          file={file.data}
        />
      )}
      <ExtractionFacts extraction={data} />
      <SaveSchemaDialog
        open={isSaving}
        schema={data.schema}
        onClose={() => setSaving(false)}
        onSaved={({ id }) => void navigate({ to: '/extract/schemas/$schemaId', params: { schemaId: id } })}
      />
    </Page>
  );
}
