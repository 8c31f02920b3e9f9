import { Link } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import { Fragment, useId } from 'react';
import type { Answer } from 'darkroom-client';
import { useElementAt } from '../file/document/page-queries.ts';
import { useFilesByIds } from '../../ui/file-picker.tsx';
import { ASK_TEXTS } from './texts.ts';

type Sentence = Answer['sentences'][number];
type Citation = Sentence['citations'][number];

const texts = ASK_TEXTS;
const keyOf = ({ document_id: id, page_number: page, quote }: Citation) => `${id} ${page} ${quote}`;

/** The sentences of an answer with numbers that lead to their sources below; the unsupported ones are marked. */
export function AnswerText({ sentences }: { sentences: readonly Sentence[] }) {
  const id = useId();
  // The same quote under several sentences is one source.
  const sources = [
    ...new Map(sentences.flatMap(({ citations }) => citations).map((each) => [keyOf(each), each])).values(),
  ];
  const files = useFilesByIds([...new Set(sources.map(({ document_id: file }) => file))].toSorted());
  const numberOf = (citation: Citation) => sources.findIndex((each) => keyOf(each) === keyOf(citation)) + 1;
  return (
    <>
      <p className="max-w-prose text-base leading-7 wrap-anywhere">
        {sentences.map((sentence, index) => (
          <Fragment key={index}>
            {sentence.supported ? (
              sentence.text
            ) : (
              <span className="rounded bg-warn-soft px-1">
                {sentence.text}{' '}
                <span className="inline-flex items-center gap-1 text-sm text-warn">
                  <TriangleAlert aria-hidden className="size-3.5" />
                  {texts.unsupported}
                </span>
              </span>
            )}
            {[...new Set(sentence.citations.map(numberOf))].map((number) => (
              <button
                key={number}
                type="button"
                aria-label={labelOf(number, sources[number - 1])}
                title={labelOf(number, sources[number - 1])}
                onClick={() => document.getElementById(`${id}-${number}`)?.focus()}
                className="ml-1 inline-flex size-6 items-center justify-center rounded-md bg-sunken align-text-bottom text-xs font-medium text-accent hover:bg-accent-soft"
              >
                {number}
              </button>
            ))}{' '}
          </Fragment>
        ))}
      </p>
      {sources.length > 0 && (
        <div>
          <h3 className="mb-1 text-sm font-medium text-muted">{texts.sources}</h3>
          <ol className="flex flex-col gap-1">
            {sources.map((source, index) => (
              <li
                key={keyOf(source)}
                id={`${id}-${index + 1}`}
                tabIndex={-1}
                className="flex gap-2.5 rounded-lg px-2 py-1.5 outline-none focus:bg-accent-soft"
              >
                <span aria-hidden className="w-5 shrink-0 pt-0.5 text-right text-sm text-muted">
                  {index + 1}
                </span>
                <Source
                  source={source}
                  hasPages={files.data?.some(
                    ({ id: file, media_type: medium }) =>
                      file === source.document_id && medium === 'document',
                  )}
                />
              </li>
            ))}
          </ol>
        </div>
      )}
    </>
  );
}

const labelOf = (number: number, source: Citation | undefined) =>
  source ? texts.sourceOf(number, source.document_filename, source.page_number) : String(number);

/** A quote, and the link that opens its document at it. */
function Source({
  source: { document_id: id, document_filename: name, page_number: page, quote, bounding_box: box },
  hasPages = false,
}: {
  source: Citation;
  /** Whether it is a document; the text of a link has no pages with elements. */
  hasPages: boolean | undefined;
}) {
  const element = useElementAt(hasPages ? id : null, page, box);
  return (
    <div className="min-w-0">
      <q className="wrap-anywhere">{quote}</q>
      <div>
        <Link
          to="/files/$fileId"
          params={{ fileId: id }}
          search={{ page, element }}
          className="inline-flex min-h-6 items-center text-sm text-accent underline wrap-anywhere"
        >
          {texts.place(name, page)}
        </Link>
      </div>
    </div>
  );
}
