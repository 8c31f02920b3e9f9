import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { formatDateTime, formatNumber } from '../../../lib/format.ts';
import { TEXTS } from '../../../texts.ts';
import { Card } from '../../../ui/page.tsx';
import { Picture } from '../../../ui/picture.tsx';
import { Description } from '../about/description.tsx';
import { Facts } from '../about/facts-list.tsx';
import { holds } from '../quote.ts';
import { processingQuery, type DetailOf } from '../queries.ts';
import { FILE_TEXTS } from '../texts.ts';

/** A web page: its readable text, beside what it says about itself. */
export function LinkTab({ file }: { file: DetailOf<'link'> }) {
  const { quote } = useSearch({ from: '/signed-in/files/$fileId' });
  const texts = FILE_TEXTS.link;
  const picture = file.screenshot_url ?? file.full_url;
  const url = file.final_url ?? file.source_url;
  const blocks = (file.text ?? '').split(/\n{2,}/).filter((block) => block.trim() !== '');
  const quoted = quote === undefined ? -1 : blocks.findIndex((block) => holds(quote, block));
  return (
    <div className="grid gap-5 lg:grid-cols-[minmax(0,1fr)_24rem] lg:items-start">
      <article className="rounded-2xl border border-line bg-surface p-5 md:p-8">
        <header className="mb-5 flex max-w-prose flex-col gap-2">
          {file.site_name && <p className="text-sm text-muted">{file.site_name}</p>}
          <h2 className="text-xl font-semibold wrap-anywhere">{file.page_title ?? file.title}</h2>
          {file.description && <p className="text-muted">{file.description}</p>}
          <Outside url={url}>{url}</Outside>
        </header>
        <div className="flex max-w-prose flex-col gap-3 text-base leading-relaxed">
          {blocks.map((block, at) => (
            <p
              key={at}
              ref={at === quoted ? (element) => element?.scrollIntoView({ block: 'center' }) : undefined}
              className={`whitespace-pre-wrap wrap-anywhere ${at === quoted ? 'rounded-md bg-accent-soft ring-4 ring-accent-soft' : ''}`}
            >
              {block}
            </p>
          ))}
          {blocks.length === 0 && <p className="text-muted">{texts.noText}</p>}
          {file.crawl_status === 'failed' && <Tried file={file} />}
        </div>
      </article>
      <div className="flex flex-col gap-5">
        {picture && (
          <div className="aspect-16/10 overflow-hidden rounded-2xl border border-line bg-sunken">
            <Picture
              src={picture}
              alt={texts.picture(file.page_title ?? file.title)}
              blurHash={file.blur_hash}
            />
          </div>
        )}
        {file.screenshot_error && <p className="text-sm text-warn">{file.screenshot_error}</p>}
        <Description file={file} />
        <Card title={texts.facts.title}>
          <Facts facts={pageFacts(file)} />
        </Card>
        {file.extracted_images.length > 0 && (
          <Card title={texts.images(file.extracted_images_count)}>
            <ul className="flex flex-col gap-2">
              {file.extracted_images.map(({ url: image, alt, width, height }) => (
                <li key={image}>
                  <Outside url={image}>{alt || image}</Outside>
                  {width !== null && height !== null && (
                    <span className="block text-sm text-muted">
                      {FILE_TEXTS.facts.pixels(String(width), String(height))}
                    </span>
                  )}
                </li>
              ))}
            </ul>
          </Card>
        )}
      </div>
    </div>
  );
}

/** What was tried to fetch a page, and what came of it. */
function Tried({ file }: { file: DetailOf<'link'> }) {
  const { data } = useQuery(processingQuery(file.id));
  const crawl = data?.components['crawl'];
  const { tried } = FILE_TEXTS.link;
  if (!crawl) return null;
  return (
    <Card title={tried.title}>
      <Facts
        facts={[
          [tried.address, file.source_url],
          [tried.attempts, formatNumber(crawl.attempt)],
          [tried.last, formatDateTime(crawl.completed_at)],
          [tried.answer, crawl.error_message ?? TEXTS.common.none],
        ]}
      />
    </Card>
  );
}

/** A link to another site, which learns nothing about this page. */
function Outside({ url, children }: { url: string; children: string }) {
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      className="inline-flex min-h-6 items-center gap-1.5 text-sm text-accent underline underline-offset-2 wrap-anywhere"
    >
      <ExternalLink aria-hidden className="size-4 shrink-0" />
      {children}
    </a>
  );
}

function pageFacts(file: DetailOf<'link'>): (readonly [string, string])[] {
  const { facts } = FILE_TEXTS.link;
  const known: [string, string | null][] = [
    [facts.author, file.author],
    [facts.published, file.published_at && formatDateTime(file.published_at)],
    [facts.language, file.language],
    [facts.canonical, file.canonical_url],
    [facts.kinds, file.structured_types.join(', ')],
    [facts.crawled, file.crawled_at && formatDateTime(file.crawled_at)],
    [facts.changed, file.changed_at && formatDateTime(file.changed_at)],
  ];
  return known.flatMap(([name, value]) => (value ? [[name, value] as const] : []));
}
