import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Check, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { components } from 'darkroom-client';
import { client } from '../../../lib/client.ts';
import { useMay } from '../../../lib/session.ts';
import { Button } from '../../../ui/button.tsx';
import { notifyError } from '../../../ui/notices.tsx';
import { leafText, readable } from '../result/values.tsx';
import { EXTRACTION_TEXTS } from '../texts.ts';
import { CorrectableValue } from './correctable-value.tsx';
import { findingsOf, isReviewable, type CategoryExtraction, type Finding } from './findings.ts';

type Verdict = components['schemas']['ItemReview'];
interface Review {
  item_reviews?: Record<string, Verdict>;
  field_edits?: Record<string, unknown>;
}

const texts = EXTRACTION_TEXTS;

/** The findings of one domain; those who may change files confirm, reject and correct them. */
export function FindingsList({
  fileId,
  extraction,
  active,
  onShow,
}: {
  fileId: string;
  extraction: CategoryExtraction;
  /** Path of the finding that stands out in the picture. */
  active: string | null;
  onShow: (path: string | null) => void;
}) {
  const mayEdit = useMay('editor');
  const { domain_name: domain, corrections } = extraction;
  const queries = useQueryClient();
  const review = useMutation({
    mutationFn: async (body: Review) => {
      if (!isReviewable(domain)) throw new Error(`${domain} has no review`);
      await client.api.PATCH('/files/{file_id}/extractions/{domain_name}/review', {
        params: { path: { file_id: fileId, domain_name: domain } },
        body,
      });
    },
    onError: notifyError,
    onSettled: () => queries.invalidateQueries({ queryKey: ['files', fileId, 'extractions'] }),
  });
  const findings = findingsOf(extraction);
  if (findings.length === 0) return <p className="text-muted">{texts.noItems}</p>;
  const isEditable = mayEdit && isReviewable(domain);
  return (
    <>
      {mayEdit && !isEditable && <p className="text-sm text-muted">{texts.noReview}</p>}
      <ol className="flex flex-col gap-2">
        {findings.map((finding, index) => (
          <FindingCard
            key={finding.path ?? 'single'}
            finding={finding}
            name={titleOf(finding, index)}
            verdict={finding.path === null ? undefined : corrections.item_reviews[finding.path]}
            isActive={finding.path !== null && active === finding.path}
            isEditable={isEditable}
            isBusy={review.isPending}
            onShow={onShow}
            onReview={review.mutateAsync}
          />
        ))}
      </ol>
    </>
  );
}

/** The first text of a finding, else its number. */
function titleOf({ path, fields }: Finding, index: number): string {
  const text = fields.find(({ value }) => typeof value === 'string')?.value;
  return path !== null && typeof text === 'string' ? text : texts.item(index + 1);
}

function FindingCard({
  finding: { path, fields, box },
  name,
  verdict,
  isActive,
  isEditable,
  isBusy,
  onShow,
  onReview,
}: {
  finding: Finding;
  name: string;
  verdict: Verdict | undefined;
  isActive: boolean;
  isEditable: boolean;
  isBusy: boolean;
  onShow: (path: string | null) => void;
  onReview: (body: Review) => Promise<unknown>;
}) {
  const ref = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isActive) ref.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  const judge = (wanted: Verdict) =>
    path !== null && void onReview({ item_reviews: { [path]: wanted } }).catch(() => undefined);
  return (
    <li
      ref={ref}
      onFocus={() => box && onShow(path)}
      onMouseEnter={() => box && onShow(path)}
      className={`scroll-mt-[calc(45dvh+5rem)] rounded-xl border bg-surface p-3 lg:scroll-mt-5 ${isActive ? 'border-accent' : 'border-line'}`}
    >
      <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-4 gap-y-1">
        {fields.map((field) => (
          <div key={field.path} className="contents">
            <dt className="text-sm text-muted">{readable(field.name)}</dt>
            <dd className={`min-w-0 ${verdict === 'rejected' ? 'line-through' : ''}`}>
              {isEditable ? (
                <CorrectableValue
                  field={field}
                  onCorrect={(value) => onReview({ field_edits: { [field.path]: value } })}
                />
              ) : (
                <span className="wrap-anywhere">{leafText(field.value)}</span>
              )}
            </dd>
          </div>
        ))}
      </dl>
      {path !== null && (
        <div className="mt-2 flex flex-wrap items-center gap-2">
          {isEditable ? (
            <>
              <Button
                size="small"
                icon={Check}
                aria-pressed={verdict === 'confirmed'}
                aria-label={texts.judged(verdict === 'confirmed' ? texts.confirmed : texts.confirm, name)}
                disabled={isBusy}
                onClick={() => judge('confirmed')}
                className={verdict === 'confirmed' ? 'border-good! text-good!' : ''}
              >
                {verdict === 'confirmed' ? texts.confirmed : texts.confirm}
              </Button>
              <Button
                size="small"
                icon={X}
                aria-pressed={verdict === 'rejected'}
                aria-label={texts.judged(verdict === 'rejected' ? texts.rejected : texts.reject, name)}
                disabled={isBusy}
                onClick={() => judge('rejected')}
                className={verdict === 'rejected' ? 'border-bad! text-bad!' : ''}
              >
                {verdict === 'rejected' ? texts.rejected : texts.reject}
              </Button>
            </>
          ) : (
            verdict && <span className="text-sm text-muted">{texts[verdict]}</span>
          )}
        </div>
      )}
    </li>
  );
}
