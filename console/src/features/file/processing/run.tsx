import { formatDateTime, formatNumber } from '../../../lib/format.ts';
import { Card } from '../../../ui/page.tsx';
import { Badge } from '../../../ui/status.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import type { Timeline } from '../queries.ts';
import { FILE_TEXTS } from '../texts.ts';
import { formatMs, spanOf, TimeBar } from './time-bar.tsx';

type TimelineRun = Timeline['runs'][number];

const texts = FILE_TEXTS.processing;
const TONES: Partial<Record<TimelineRun['outcome'] | TimelineRun['steps'][number]['outcome'], string>> = {
  completed: 'bg-good-soft text-good',
  running: 'bg-busy-soft text-busy',
  failed: 'bg-bad-soft text-bad',
  timed_out: 'bg-bad-soft text-bad',
  terminated: 'bg-warn-soft text-warn',
};

/**
 * One run of the work on a file: when each step waited and ran, and what went wrong.
 *
 * @param titles of the steps by name
 */
export function Run({ run, titles }: { run: TimelineRun; titles: ReadonlyMap<string, string> }) {
  const { generation, outcome, started_at: startedAt, ended_at: endedAt, reason, steps } = run;
  const span = spanOf(run);
  return (
    <Card
      title={texts.run(generation)}
      actions={<Badge tone={TONES[outcome]}>{texts.outcomes[outcome]}</Badge>}
    >
      <p className="mb-3 text-sm text-muted">
        {(endedAt === null ? texts.goesOn : texts.began)(
          formatDateTime(startedAt),
          formatMs(span.to - span.from),
        )}
      </p>
      {reason && (
        <p lang="en" className="mb-3 text-bad wrap-anywhere">
          {reason.message}
        </p>
      )}
      <Table
        caption={texts.stepsOf(generation)}
        columns={[texts.step, texts.outcome, texts.attempts, texts.took, texts.time]}
      >
        {steps.map((step) => (
          <tr key={`${step.step} ${step.scheduled_at}`}>
            <Cell className="min-w-40">
              <span className="font-medium">{titles.get(step.step) ?? step.step}</span>
              {step.error && (
                <p className="max-w-prose text-bad wrap-anywhere">
                  {step.outcome === 'failed' ? step.error.message : texts.failedBefore(step.error.message)}
                </p>
              )}
              {step.operator_pause && (
                <p className="text-warn">
                  {texts.pausedBy(step.operator_pause.identity ?? texts.anOperator)}
                </p>
              )}
            </Cell>
            <Cell>
              <Badge tone={TONES[step.outcome]}>{texts.outcomes[step.outcome]}</Badge>
            </Cell>
            <Cell>{formatNumber(step.attempt)}</Cell>
            <Cell className="whitespace-nowrap">
              {step.duration_ms === null ? '–' : formatMs(step.duration_ms)}
            </Cell>
            <Cell className="w-1/2 min-w-48">
              <TimeBar step={step} span={span} />
            </Cell>
          </tr>
        ))}
      </Table>
    </Card>
  );
}
