import { useMutation, useQuery } from '@tanstack/react-query';
import type { Body } from 'darkroom-client';
import { useState } from 'react';
import { client } from '../../../lib/client.ts';
import { fromApi } from '../../../lib/translate.ts';
import { TEXTS } from '../../../texts.ts';
import { WORK_TEXTS } from '../../work/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { CheckboxInput, SelectInput } from '../../../ui/field.tsx';
import { notify } from '../../../ui/notices.tsx';
import { ErrorNote, Skeleton } from '../../../ui/page.tsx';
import { LIBRARY_TEXTS } from '../texts.ts';

const texts = LIBRARY_TEXTS;
const { groups } = WORK_TEXTS.exports;
/** The API takes so many ids at most. */
const MOST = 1000;

type ExportBody = Body<'/files/export'>;
type Column = ExportBody['columns'][number]['field_key'];
const FORMATS = ['xlsx', 'csv', 'docx'] as const;
const USUAL: readonly Column[] = [
  'title',
  'filename',
  'media_type',
  'size_bytes',
  'created_at',
  'description',
  'tags',
];

/** Asks for format and columns, makes a table of the selected files, and saves it. */
export function ExportDialog({
  open,
  ids,
  onClose,
}: {
  open: boolean;
  ids: readonly string[];
  onClose: () => void;
}) {
  return (
    <Dialog open={open} onClose={onClose} title={texts.exportFiles(ids.length)} wide>
      {ids.length > MOST ? (
        <p className="text-muted">{texts.exportTooMany(MOST)}</p>
      ) : (
        <ExportForm ids={ids} onClose={onClose} />
      )}
    </Dialog>
  );
}

function ExportForm({ ids, onClose }: { ids: readonly string[]; onClose: () => void }) {
  const [format, setFormat] = useState<(typeof FORMATS)[number]>('xlsx');
  const [chosen, setChosen] = useState<ReadonlySet<Column>>(new Set(USUAL));
  const known = useQuery({
    queryKey: ['export-columns'],
    staleTime: Infinity,
    queryFn: async ({ signal }) => (await client.api.GET('/files/export/columns', { signal })).data.groups,
  });
  const make = useMutation({
    mutationFn: async () => {
      const columns = Object.values(known.data ?? {})
        .flat()
        .filter(({ field_key: key }) => chosen.has(key))
        .map(({ field_key: key, display_name: name }) => ({ field_key: key, display_name: fromApi(name) }));
      return client.exportFiles({ format, columns, file_ids: [...ids] });
    },
    onSuccess: ({ download_url: url, record_count: count }) => {
      if (url) location.assign(url);
      notify(texts.exported(count ?? ids.length));
      onClose();
    },
  });
  const toggle = (key: Column) => {
    const next = new Set(chosen);
    if (!next.delete(key)) next.add(key);
    setChosen(next);
  };
  if (known.error) return <ErrorNote error={known.error} onRetry={() => void known.refetch()} />;
  if (!known.data) return <Skeleton lines={6} />;
  return (
    <>
      <SelectInput
        label={texts.format}
        value={format}
        onChange={({ target }) => setFormat(FORMATS.find((name) => name === target.value) ?? 'xlsx')}
        options={FORMATS.map((name) => [name, texts.formats[name]] as const)}
      />
      <div className="grid max-h-[55dvh] gap-x-6 gap-y-4 overflow-y-auto rounded-xl border border-line p-4 sm:grid-cols-2 lg:grid-cols-3">
        {Object.entries(known.data).map(([group, columns]) => (
          <fieldset key={group} className="flex flex-col gap-1">
            <legend className="mb-1 text-sm font-medium">
              {groups[group as keyof typeof groups] ?? group}
            </legend>
            {columns.map(({ field_key: key, display_name: name }) => (
              <CheckboxInput
                key={key}
                label={fromApi(name)}
                checked={chosen.has(key)}
                onChange={() => toggle(key)}
              />
            ))}
          </fieldset>
        ))}
      </div>
      {make.error && <ErrorNote error={make.error} />}
      <DialogActions>
        <Button onClick={onClose}>{TEXTS.common.cancel}</Button>
        <Button
          variant="primary"
          busy={make.isPending}
          disabled={chosen.size === 0}
          onClick={() => make.mutate()}
        >
          {texts.export}
        </Button>
      </DialogActions>
    </>
  );
}
