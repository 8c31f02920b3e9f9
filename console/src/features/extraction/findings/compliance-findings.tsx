import type { components } from 'darkroom-client';
import { readable } from '../result/values.tsx';
import { Badge } from '../../../ui/status.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { EXTRACTION_TEXTS } from '../texts.ts';

const texts = EXTRACTION_TEXTS;
const TONES = {
  passed: 'bg-good-soft text-good',
  failed: 'bg-bad-soft text-bad',
  not_checked: 'bg-sunken text-muted',
  error: 'bg-warn-soft text-warn',
} as const;

/** The rules of a standard: what each demands, what was measured, and the verdict. */
export function ComplianceFindings({ result }: { result: components['schemas']['ComplianceResult'] }) {
  return (
    <div className="flex flex-col gap-3">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={TONES[result.status]}>{texts.complianceStatus[result.status]}</Badge>
        <span>{texts.standard(readable(result.standard), result.as_of)}</span>
      </p>
      <p className="text-sm text-muted wrap-anywhere">{texts.rulesFrom(result.source)}</p>
      <Table caption={result.standard} columns={[texts.rule, texts.expected, texts.measured, texts.verdict]}>
        {result.items.map(({ rule, expected, measured, verdict, reason }) => (
          <tr key={rule}>
            <Cell className="font-medium">{readable(rule)}</Cell>
            <Cell>{expected}</Cell>
            <Cell>{measured ?? <span className="text-muted">{reason ?? '–'}</span>}</Cell>
            <Cell>
              <Badge tone={TONES[verdict]}>{texts.verdicts[verdict]}</Badge>
            </Cell>
          </tr>
        ))}
      </Table>
    </div>
  );
}
