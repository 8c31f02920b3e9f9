import type { FileDetail } from 'darkroom-client';
import { Download } from 'lucide-react';
import { formatDateTime } from '../../../lib/format.ts';
import { Card } from '../../../ui/page.tsx';
import { FILE_TEXTS } from '../texts.ts';
import { Description } from './description.tsx';
import { Facts } from './facts-list.tsx';
import { factsOf } from './facts.ts';
import { RetentionCard } from './retention-card.tsx';

/** Description, facts, sizes to download, and every description that a model has given. */
export function AboutTab({ file }: { file: FileDetail }) {
  const former = file.full_descriptions.toReversed();
  return (
    <div className="grid gap-5 lg:grid-cols-2 lg:items-start">
      <div className="flex flex-col gap-5">
        <Description file={file} />
        {former.length > 1 && (
          <Card title={FILE_TEXTS.description.history}>
            <ol className="flex flex-col gap-4">
              {former.map(({ provider, model, created_at: at, description }) => (
                <li key={`${provider} ${at}`}>
                  <p className="text-sm text-muted">
                    {provider} {model}, {formatDateTime(at)}
                  </p>
                  <p className="wrap-anywhere">{description}</p>
                </li>
              ))}
            </ol>
          </Card>
        )}
      </div>
      <div className="flex flex-col gap-5">
        <Card title={FILE_TEXTS.facts.title}>
          <Facts facts={factsOf(file)} />
        </Card>
        <RetentionCard fileId={file.id} />
        {'variant_count' in file && (file.variant_count ?? 0) > 0 && <Variants fileId={file.id} />}
      </div>
    </div>
  );
}

const SIZES = [
  ['tiny_64', 64],
  ['small_256', 256],
  ['medium_750', 750],
  ['large_1024', 1024],
] as const;

/** The sizes in which a picture is stored. */
function Variants({ fileId }: { fileId: string }) {
  const { variants } = FILE_TEXTS;
  return (
    <Card title={variants.title}>
      <ul className="divide-y divide-line">
        {SIZES.map(([type, width]) => (
          <li key={type} className="flex items-center justify-between gap-3 py-1.5">
            <span>{variants.pixels(width)}</span>
            <a
              href={`/api/v2/files/${fileId}/variant/${type}`}
              target="_blank"
              rel="noopener"
              className="inline-flex h-8 items-center gap-1.5 rounded-lg px-2 text-sm text-accent underline-offset-2 hover:underline"
            >
              <Download aria-hidden className="size-4" />
              {variants.open}
              <span className="sr-only">: {variants.pixels(width)}</span>
            </a>
          </li>
        ))}
      </ul>
    </Card>
  );
}
