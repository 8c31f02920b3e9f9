import { linkOptions } from '@tanstack/react-router';

/** What the page of a file shows; part of its address. */
export interface FileSearch {
  /** A tab of its medium; the first without it. */
  tab?: string;
  /** Page of a document, from 1. */
  page?: number;
  /** Element of that page. */
  element?: string;
  /** Words of the file, where no element is known. */
  quote?: string;
}

/**
 * A link to a file that opens at a place of it and highlights that place, for `Link`, `LinkButton` and `navigate`.
 *
 * @param place page from 1; element of that page; words that stand there
 */
export function fileLink({
  fileId,
  tab,
  page,
  elementId,
  quote,
}: {
  fileId: string;
  tab?: string;
  page?: number;
  elementId?: string;
  quote?: string;
}) {
  return linkOptions({
    to: '/files/$fileId',
    params: { fileId },
    search: { tab, page, element: elementId, quote },
  });
}

/** Reads the place from an address; anything malformed is left out. */
export function readFileSearch(search: Record<string, unknown>): FileSearch {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
  const page = Number(search['page']);
  return {
    tab: text(search['tab']),
    page: Number.isInteger(page) && page > 0 ? page : undefined,
    element: text(search['element']),
    quote: text(search['quote']),
  };
}
