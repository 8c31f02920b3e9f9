import { useQuery } from '@tanstack/react-query';
import type { FileDetail } from 'darkroom-client';
import { ExternalLink, RotateCcw } from 'lucide-react';
import { useMay } from '../../../lib/session.ts';
import { fromApi } from '../../../lib/translate.ts';
import { Button } from '../../../ui/button.tsx';
import { Card, ErrorNote, Skeleton } from '../../../ui/page.tsx';
import { processingQuery, timelineQuery } from '../queries.ts';
import { FILE_TEXTS } from '../texts.ts';
import { Components } from './components.tsx';
import { useRetry } from './retry.ts';
import { Run } from './run.tsx';

/** Why a file is not done: its components, and every run with its steps, attempts and errors. */
export function ProcessingTab({ file }: { file: FileDetail }) {
  const processing = useQuery(processingQuery(file.id));
  const timeline = useQuery(timelineQuery(file.id));
  const mayRetry = useMay('editor');
  const retry = useRetry(file.id);
  const error = processing.error ?? timeline.error;
  if (error) {
    return (
      <ErrorNote
        error={error}
        onRetry={() => {
          void processing.refetch();
          void timeline.refetch();
        }}
      />
    );
  }
  if (!processing.data || !timeline.data) return <Skeleton lines={8} />;
  const { components, explanation, primary_status: status } = processing.data;
  const { runs, workflow_url: workflowUrl } = timeline.data;
  const texts = FILE_TEXTS.processing;
  const hasFailed = status === 'failed' || status === 'partially_completed';
  const titles = new Map(
    Object.values(components).flatMap(({ steps }) =>
      steps.map(({ step, title }) => [step, fromApi(title)] as const),
    ),
  );
  return (
    <div className="flex flex-col gap-5">
      <Card
        title={texts.components}
        actions={
          <div className="flex flex-wrap gap-2">
            {hasFailed && mayRetry && (
              <Button
                size="small"
                variant="primary"
                icon={RotateCcw}
                busy={retry.isPending}
                onClick={() => retry.mutate({})}
              >
                {texts.retryFailed}
              </Button>
            )}
            {workflowUrl && (
              <a
                href={workflowUrl}
                target="_blank"
                rel="noopener"
                className="inline-flex h-8 items-center gap-2 rounded-lg border border-line px-2.5 text-sm font-medium hover:bg-sunken"
              >
                <ExternalLink aria-hidden className="size-4" />
                {texts.temporal}
              </a>
            )}
          </div>
        }
      >
        <p role="status" lang="en" className="mb-3 wrap-anywhere">
          {explanation}
        </p>
        <Components
          components={components}
          onRetry={mayRetry ? (name) => retry.mutate({ components: [name] }) : undefined}
          isBusy={retry.isPending || status === 'pending' || status === 'processing'}
        />
      </Card>
      {runs.toReversed().map((run) => (
        <Run key={run.run_id} run={run} titles={titles} />
      ))}
      {runs.length === 0 && <p className="text-muted">{texts.noRuns}</p>}
    </div>
  );
}
