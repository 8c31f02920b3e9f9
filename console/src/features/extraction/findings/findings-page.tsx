import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { FileText, ScanSearch, ScanText } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../../lib/client.ts';
import { LinkButton } from '../../../ui/link-button.tsx';
import { Empty, ErrorNote, Page, Skeleton } from '../../../ui/page.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { fileQuery } from '../../file/queries.ts';
import { SourceView } from '../source-view.tsx';
import { EXTRACTION_TEXTS } from '../texts.ts';
import { ComplianceFindings } from './compliance-findings.tsx';
import { FindingsList } from './findings-list.tsx';
import { findingsOf, isCompliance, isReviewable, type CategoryExtraction } from './findings.ts';

const texts = EXTRACTION_TEXTS;
const route = getRouteApi('/signed-in/files/$fileId/findings');

/** What the category and the compliance standard of an image have found in it, to confirm, reject and correct. */
export function FindingsPage() {
  const { fileId } = route.useParams();
  const { domain } = route.useSearch();
  const navigate = useNavigate({ from: '/files/$fileId/findings' });
  const [active, setActive] = useState<string | null>(null);
  const file = useQuery(fileQuery(fileId));
  const isImage = file.data?.media_type === 'image';
  const findings = useQuery({
    queryKey: ['files', fileId, 'extractions'],
    enabled: isImage,
    queryFn: async ({ signal }) =>
      (
        await client.api.GET('/files/{file_id}/extractions', {
          params: { path: { file_id: fileId } },
          signal,
        })
      ).data.extractions,
  });
  const title = file.data ? texts.findingsOf(file.data.title) : texts.findings;
  const error = file.error ?? findings.error;
  if (error || !file.data || (isImage && !findings.data)) {
    return (
      <Page title={title}>
        {error ? (
          <ErrorNote error={error} onRetry={() => void (file.error ? file : findings).refetch()} />
        ) : (
          <Skeleton lines={8} />
        )}
      </Page>
    );
  }
  const extractions = findings.data ?? [];
  const shown = extractions.find(({ domain_name: name }) => name === domain) ?? extractions[0];
  const marks = shown
    ? findingsOf(shown).flatMap(({ path, box, fields }) =>
        box && path !== null ? [{ id: path, page: 1, box, label: String(fields[0]?.value ?? '') }] : [],
      )
    : [];
  return (
    <Page
      full
      title={title}
      actions={
        <>
          <LinkButton to="/files/$fileId" params={{ fileId }} size="small" icon={FileText}>
            {texts.openFile}
          </LinkButton>
          <LinkButton to="/extract" search={{ file: [fileId] }} size="small" icon={ScanText}>
            {texts.title}
          </LinkButton>
        </>
      }
    >
      {!shown ? (
        <Empty icon={ScanSearch} title={isImage ? texts.noFindings : texts.onlyImages}>
          {isImage && texts.noFindingsHint}
        </Empty>
      ) : (
        <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-2">
          <div
            role="group"
            aria-label={texts.pictureOf}
            tabIndex={0}
            className="sticky top-14 z-10 max-h-[45dvh] overflow-y-auto bg-bg pb-2 lg:top-5 lg:max-h-[calc(100dvh-2.5rem)]"
          >
            <SourceView file={file.data} page={1} marks={marks} active={active} onSelect={setActive} />
          </div>
          <Tabs
            label={texts.domains}
            value={shown.domain_name}
            onChange={(next) => {
              setActive(null);
              void navigate({ search: { domain: next }, replace: true });
            }}
            tabs={extractions.map((extraction) => ({
              id: extraction.domain_name,
              name: texts.domainNames[extraction.domain_name],
              content: (
                <Findings fileId={fileId} extraction={extraction} active={active} onShow={setActive} />
              ),
            }))}
          />
        </div>
      )}
    </Page>
  );
}

function Findings({
  fileId,
  extraction,
  active,
  onShow,
}: {
  fileId: string;
  extraction: CategoryExtraction;
  active: string | null;
  onShow: (path: string | null) => void;
}) {
  const { status, reason, superseded_corrections: superseded } = extraction;
  const list = <FindingsList fileId={fileId} extraction={extraction} active={active} onShow={onShow} />;
  return (
    <div className="flex flex-col gap-4">
      {status !== 'completed' && (
        <p className="rounded-lg bg-warn-soft px-3 py-2">
          {texts.completeness[status]}
          {reason && `: ${reason}`}
        </p>
      )}
      {superseded && <p className="rounded-lg bg-sunken px-3 py-2 text-sm">{texts.superseded}</p>}
      {isCompliance(extraction) ? (
        <>
          <ComplianceFindings result={extraction.corrected_result ?? extraction.result} />
          {isReviewable(extraction.domain_name) && (
            <details>
              <summary className="min-h-6 text-accent underline">{texts.reviewRules}</summary>
              <div className="mt-3">{list}</div>
            </details>
          )}
        </>
      ) : (
        list
      )}
    </div>
  );
}
