import { useSearch } from '@tanstack/react-router';
import { ImageOff } from 'lucide-react';
import { useState } from 'react';
import { CheckboxInput } from '../../../ui/field.tsx';
import { Empty } from '../../../ui/page.tsx';
import { Description } from '../about/description.tsx';
import { Boxes, type PlacedBox } from '../boxes.tsx';
import { useLinked } from '../use-linked.ts';
import { holds } from '../quote.ts';
import type { DetailOf } from '../queries.ts';
import { FILE_TEXTS } from '../texts.ts';
import { FindingList } from './finding-list.tsx';
import { findingsOf, type FindingGroup } from './findings.ts';
import { ZoomedPicture } from './zoomed-picture.tsx';

/** A picture with what was found in it drawn over it, beside its description and the text of the findings. */
export function ImageTab({ file }: { file: DetailOf<'image'> }) {
  const { quote } = useSearch({ from: '/signed-in/files/$fileId' });
  const groups = findingsOf(file);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const linked = useLinked(quotedIn(groups, quote));
  const shown = groups.filter(({ domain }) => !hidden.has(domain));
  const toggle = (domain: string) => {
    const next = new Set(hidden);
    if (!next.delete(domain)) next.add(domain);
    setHidden(next);
  };
  return (
    <div className="grid gap-5 lg:grid-cols-[minmax(0,1fr)_24rem] lg:items-start">
      <div className="flex flex-col gap-3 lg:sticky lg:top-5">
        {file.dimensions === null ? (
          <Empty icon={ImageOff} title={FILE_TEXTS.noPicture} />
        ) : (
          <ZoomedPicture file={file} dimensions={file.dimensions}>
            <Boxes
              boxes={shown.flatMap(boxesOf)}
              active={linked.active}
              onPoint={linked.point}
              onSelect={linked.select}
            />
          </ZoomedPicture>
        )}
        {groups.length > 0 && (
          <fieldset className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
            <legend className="sr-only">{FILE_TEXTS.findings.show}</legend>
            {groups.map(({ domain, findings }) => (
              <CheckboxInput
                key={domain}
                label={`${FILE_TEXTS.findings.domains[domain]} (${findings.length})`}
                checked={!hidden.has(domain)}
                onChange={() => toggle(domain)}
              />
            ))}
          </fieldset>
        )}
      </div>
      <div className="flex flex-col gap-5">
        <Description file={file} />
        {groups.map((group) => (
          <FindingList key={group.domain} group={group} linked={linked} />
        ))}
      </div>
    </div>
  );
}

function quotedIn(groups: readonly FindingGroup[], quote: string | undefined): string[] {
  if (!quote) return [];
  return groups.flatMap(({ findings }) =>
    findings.filter(({ label }) => holds(quote, label)).map(({ id }) => id),
  );
}

const TONES: Partial<Record<FindingGroup['domain'], string>> = {
  objects: 'border-accent border-2',
  text_regions: 'border-busy/70',
};

const boxesOf = ({ domain, findings }: FindingGroup): PlacedBox[] =>
  findings.flatMap(({ id, box, label }) =>
    box ? [{ id, box, label, tone: TONES[domain] ?? 'border-good' }] : [],
  );
