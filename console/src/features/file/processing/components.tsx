import type { Body } from 'darkroom-client';
import { RotateCcw } from 'lucide-react';
import { formatDateTime, formatNumber } from '../../../lib/format.ts';
import { Button } from '../../../ui/button.tsx';
import { StatusBadge } from '../../../ui/status.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import type { ProcessingStatus } from '../queries.ts';
import { FILE_TEXTS } from '../texts.ts';

export type ComponentName = NonNullable<NonNullable<Body<'/files/{file_id}/retry'>>['components']>[number];

const NAMES = FILE_TEXTS.processing.names;
const isName = (name: string): name is ComponentName => name in NAMES;

/**
 * The parts of the work on a file, with their status, attempts and errors.
 *
 * @param onRetry absent for people who may not
 */
export function Components({
  components,
  onRetry,
  isBusy,
}: {
  components: ProcessingStatus['components'];
  onRetry: ((name: ComponentName) => void) | undefined;
  isBusy: boolean;
}) {
  const texts = FILE_TEXTS.processing;
  return (
    <Table
      caption={texts.components}
      columns={[texts.component, texts.status, texts.attempts, texts.ended, ...(onRetry ? [''] : [])]}
    >
      {Object.entries(components).map(
        ([name, { status, attempt, completed_at: at, error_message: error }]) => (
          <tr key={name}>
            <Cell>
              <span className="font-medium">{isName(name) ? NAMES[name] : name}</span>
              {error && (
                <p lang="en" className="max-w-prose text-bad wrap-anywhere">
                  {error}
                </p>
              )}
            </Cell>
            <Cell>
              <StatusBadge status={status} />
            </Cell>
            <Cell>{formatNumber(attempt)}</Cell>
            <Cell className="whitespace-nowrap">{formatDateTime(at)}</Cell>
            {onRetry && (
              <Cell className="text-right">
                {isName(name) && status !== 'skipped' && (
                  <Button
                    size="small"
                    variant="quiet"
                    icon={RotateCcw}
                    disabled={isBusy}
                    onClick={() => onRetry(name)}
                  >
                    {texts.again}
                    <span className="sr-only">: {NAMES[name]}</span>
                  </Button>
                )}
              </Cell>
            )}
          </tr>
        ),
      )}
    </Table>
  );
}
