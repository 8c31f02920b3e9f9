import { Link } from '@tanstack/react-router';
import type { Answer } from 'darkroom-client';
import { ASK_TEXTS } from './texts.ts';

const texts = ASK_TEXTS;

/** The passages that an answer was written from, each with the link to its place. */
export function Passages({ passages, isOpen }: { passages: Answer['passages']; isOpen: boolean }) {
  return (
    <details open={isOpen} className="mt-3 border-t border-line pt-3">
      <summary className="min-h-6 text-sm font-medium text-muted">{texts.passages(passages.length)}</summary>
      <ul className="mt-2 flex flex-col gap-3">
        {passages.map((passage) => {
          const [first] = passage.page_numbers;
          return (
            <li key={passage.chunk_id} className="rounded-xl bg-sunken p-3">
              <p className="flex flex-wrap items-baseline gap-x-2 text-sm">
                <Link
                  to="/files/$fileId"
                  params={{ fileId: passage.document_id }}
                  search={first === undefined ? {} : { page: first }}
                  className="inline-flex min-h-6 items-center font-medium text-accent underline wrap-anywhere"
                >
                  {passage.document_filename}
                </Link>
                {first !== undefined && (
                  <span className="text-muted">{texts.pages(passage.page_numbers.join(', '))}</span>
                )}
              </p>
              {passage.heading_hierarchy.length > 0 && (
                <p className="text-sm text-muted wrap-anywhere">{passage.heading_hierarchy.join(' › ')}</p>
              )}
              <p className="mt-1 text-sm whitespace-pre-line wrap-anywhere">{passage.content}</p>
            </li>
          );
        })}
      </ul>
    </details>
  );
}
