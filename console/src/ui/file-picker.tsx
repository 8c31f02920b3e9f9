import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Check, FileText, Plus, Search, X } from 'lucide-react';
import { useState } from 'react';
import type { components, Data } from 'darkroom-client';
import { client } from '../lib/client.ts';
import { useDebounced } from '../lib/debounced.ts';
import { TEXTS } from '../texts.ts';
import { IconButton } from './button.tsx';
import { TextInput } from './field.tsx';
import { ErrorNote, Skeleton } from './page.tsx';
import { Picture } from './picture.tsx';

type MediaType = components['schemas']['MediaType'];
type Listed = Data<'/files', 'get'>['items'][number];

const texts = TEXTS.picker;
const SHOWN = 6;

/** The files of some ids, for their names. Those that do not exist are left out. */
export function useFilesByIds(ids: readonly string[]) {
  return useQuery({
    queryKey: ['files', 'by-ids', ids],
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (await client.api.GET('/files', { params: { query: { ids: [...ids], limit: ids.length } }, signal }))
        .data.items,
  });
}

/**
 * Chooses files by name; without a name, the newest are offered.
 *
 * @param chosen ids, in the order of choice
 * @param media  the only media that are offered
 */
export function FilePicker({
  chosen,
  media,
  onChange,
}: {
  chosen: readonly string[];
  media: readonly MediaType[];
  onChange: (chosen: string[]) => void;
}) {
  const [text, setText] = useState('');
  const search = useDebounced(text.trim());
  const found = useQuery({
    queryKey: ['files', 'picker', media, search],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const query = { media_types: [...media], limit: SHOWN, ...(search && { search }) };
      return (await client.api.GET('/files', { params: { query }, signal })).data;
    },
  });
  const names = useFilesByIds(chosen);
  const items = found.data?.items ?? [];
  const toggle = (id: string) =>
    onChange(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id]);
  return (
    <div className="flex flex-col gap-3">
      {chosen.length > 0 && (
        <ul aria-label={texts.chosen} className="flex flex-col gap-1">
          {chosen.map((id) => {
            const file = names.data?.find((each) => each.id === id);
            const title = file?.title ?? id.slice(0, 8);
            return (
              <li key={id} className="flex items-center gap-3 rounded-lg bg-accent-soft py-1 pr-1 pl-2">
                <Thumbnail file={file} />
                <span className="min-w-0 grow truncate">{title}</span>
                <IconButton
                  icon={X}
                  size="smallIcon"
                  label={texts.remove(title)}
                  onClick={() => toggle(id)}
                />
              </li>
            );
          })}
        </ul>
      )}
      <TextInput
        label={texts.search}
        type="search"
        value={text}
        onChange={({ target }) => setText(target.value)}
        autoComplete="off"
      />
      {found.error ? (
        <ErrorNote error={found.error} onRetry={() => void found.refetch()} />
      ) : found.isPending ? (
        <Skeleton lines={3} />
      ) : (
        <>
          <p role="status" className="sr-only">
            {texts.found(found.data.total_count)}
          </p>
          {items.length === 0 && (
            <p className="flex items-center gap-2 text-muted">
              <Search aria-hidden className="size-4" />
              {texts.none}
            </p>
          )}
          <ul aria-label={texts.results} className="flex flex-col divide-y divide-line">
            {items.map((file) => {
              const isChosen = chosen.includes(file.id);
              return (
                <li key={file.id}>
                  <button
                    type="button"
                    aria-pressed={isChosen}
                    onClick={() => toggle(file.id)}
                    className="flex w-full items-center gap-3 rounded-lg px-2 py-1.5 text-left hover:bg-sunken"
                  >
                    <Thumbnail file={file} />
                    <span className="min-w-0 grow">
                      <span className="block truncate">{file.title}</span>
                      <span className="block truncate text-sm text-muted">{file.filename}</span>
                    </span>
                    {isChosen ? (
                      <Check aria-hidden className="size-4 shrink-0 text-accent" />
                    ) : (
                      <Plus aria-hidden className="size-4 shrink-0 text-muted" />
                    )}
                  </button>
                </li>
              );
            })}
          </ul>
        </>
      )}
    </div>
  );
}

function Thumbnail({ file }: { file: Listed | undefined }) {
  return (
    <span className="flex size-9 shrink-0 items-center justify-center overflow-hidden rounded-md bg-sunken">
      {file?.thumbnail_url ? (
        <Picture src={file.thumbnail_url} alt="" blurHash={file.blur_hash} />
      ) : (
        <FileText aria-hidden className="size-4 text-muted" />
      )}
    </span>
  );
}
