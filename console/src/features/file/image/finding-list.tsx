import { useEffect, useRef } from 'react';
import { formatPercent } from '../../../lib/format.ts';
import { Card } from '../../../ui/page.tsx';
import { Facts } from '../about/facts-list.tsx';
import { FILE_TEXTS } from '../texts.ts';
import type { Linked } from '../use-linked.ts';
import type { Finding, FindingGroup } from './findings.ts';

/** The findings of one kind, as text; each is linked with its box in the picture. */
export function FindingList({ group, linked }: { group: FindingGroup; linked: Linked }) {
  const { domain, reason, whole, findings } = group;
  const { findings: texts } = FILE_TEXTS;
  return (
    <Card title={texts.domains[domain]}>
      {reason && <p className="mb-2 text-sm text-warn">{reason}</p>}
      {whole.length > 0 && (
        <div className="mb-3">
          <Facts facts={whole} />
        </div>
      )}
      {findings.length === 0 && <p className="text-muted">{texts.none}</p>}
      <ul className="-mx-2 flex max-h-96 flex-col overflow-y-auto">
        {findings.map((finding) => (
          <FindingItem key={finding.id} finding={finding} linked={linked} />
        ))}
      </ul>
    </Card>
  );
}

function FindingItem({ finding, linked }: { finding: Finding; linked: Linked }) {
  const { id, label, details, confidence } = finding;
  const ref = useRef<HTMLButtonElement>(null);
  const isSelected = linked.selected === id;
  useEffect(() => {
    // Selected in the picture, it may be out of sight here.
    if (isSelected) ref.current?.scrollIntoView({ block: 'nearest' });
  }, [isSelected]);
  return (
    <li className="[contain-intrinsic-size:auto_2rem] [content-visibility:auto]">
      <button
        ref={ref}
        type="button"
        aria-pressed={isSelected}
        onPointerEnter={() => linked.point(id)}
        onPointerLeave={() => linked.point(null)}
        onFocus={() => linked.point(id)}
        onBlur={() => linked.point(null)}
        onClick={() => {
          linked.select(id);
          document
            .querySelector(`[data-box="${id}"]`)
            ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
        }}
        className={`w-full rounded-lg px-2 py-1 text-left -outline-offset-2 ${linked.active.has(id) ? 'bg-accent-soft' : 'hover:bg-sunken'}`}
      >
        <span className="wrap-anywhere">{label}</span>
        {confidence !== null && (
          <span className="ml-2 text-xs text-muted">
            {FILE_TEXTS.findings.sure(formatPercent(confidence))}
          </span>
        )}
        {details.map(([name, value]) => (
          <span key={name} className="block text-sm text-muted wrap-anywhere">
            {name}: {value}
          </span>
        ))}
      </button>
    </li>
  );
}
