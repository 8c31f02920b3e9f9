import { useQuery } from '@tanstack/react-query';
import type { Body } from 'darkroom-client';
import { useState, type FormEvent } from 'react';
import { client } from '../../lib/client.ts';
import { useMay } from '../../lib/session.ts';
import { fromApi } from '../../lib/translate.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { DialogActions } from '../../ui/dialog.tsx';
import { CheckboxInput, SelectInput } from '../../ui/field.tsx';
import { ErrorNote, Skeleton } from '../../ui/page.tsx';
import { FolderChoice } from '../shared/folder-choice.tsx';
import { WORK_TEXTS } from './texts.ts';

const texts = WORK_TEXTS.exports;

export type FilesRequest = Body<'/files/export'>;
type Column = FilesRequest['columns'][number]['field_key'];
type Format = FilesRequest['format'];

/** What most people want of their files; the rest is a click away. */
const USUAL: readonly Column[] = [
  'filename',
  'media_type',
  'created_at',
  'folder_path',
  'description',
  'tags',
];

/** The format, the files and the columns of an export of files. */
export function FilesForm({
  busy,
  onCancel,
  onSubmit,
}: {
  busy: boolean;
  onCancel: () => void;
  onSubmit: (body: FilesRequest) => void;
}) {
  const [format, setFormat] = useState<Format>('csv');
  const [folder, setFolder] = useState('');
  const [isDeep, setDeep] = useState(true);
  const [chosen, setChosen] = useState<ReadonlySet<Column>>(new Set(USUAL));
  const [connection, setConnection] = useState('');
  const mayWrite = useMay('editor');
  const columns = useQuery({
    queryKey: ['exports', 'columns'],
    staleTime: Infinity,
    queryFn: async ({ signal }) => (await client.api.GET('/files/export/columns', { signal })).data.groups,
  });
  const connections = useQuery({
    queryKey: ['connections', 'export'],
    enabled: mayWrite,
    queryFn: async ({ signal }) => (await client.api.GET('/connections', { signal })).data.items,
  });
  const usable =
    connections.data?.filter(({ provider, status }) => provider === 'google_sheets' && status === 'active') ??
    [];
  const formats = (['csv', 'xlsx', 'docx', 'google_sheets'] as const).filter(
    (name) => name !== 'google_sheets' || usable.length > 0,
  );
  const known = Object.values(columns.data ?? {}).flat();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = known.filter(({ field_key: key }) => chosen.has(key));
    if (wanted.length === 0) return;
    onSubmit({
      format,
      columns: wanted.map(({ field_key, display_name }) => ({
        field_key,
        display_name: fromApi(display_name),
      })),
      ...(folder && { folder_id: folder, include_subfolders: isDeep }),
      ...(format === 'google_sheets' && { connection_id: connection || usable[0]?.id }),
    });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectInput
          label={texts.format}
          value={format}
          options={formats.map((name) => [name, texts.formats[name]] as const)}
          onChange={({ target }) => setFormat(target.value as Format)}
        />
        <FolderChoice
          label={texts.folder}
          none={texts.allFolders}
          value={folder}
          onChoose={(one) => setFolder(one?.id ?? '')}
        />
        {format === 'google_sheets' && (
          <SelectInput
            label={texts.connection}
            value={connection || usable[0]?.id}
            options={usable.map(({ id, name }) => [id, name] as const)}
            onChange={({ target }) => setConnection(target.value)}
          />
        )}
      </div>
      {folder && (
        <CheckboxInput
          label={texts.subfolders}
          checked={isDeep}
          onChange={({ target }) => setDeep(target.checked)}
        />
      )}
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="font-medium">{texts.chooseColumns}</h3>
        <span role="status" className={`grow text-sm ${chosen.size === 0 ? 'text-bad' : 'text-muted'}`}>
          {chosen.size === 0 ? texts.needColumns : texts.chosen(chosen.size)}
        </span>
        <Button size="small" onClick={() => setChosen(new Set(known.map(({ field_key: key }) => key)))}>
          {texts.selectAll}
        </Button>
        <Button size="small" onClick={() => setChosen(new Set())}>
          {texts.selectNone}
        </Button>
      </div>
      {columns.isPending && <Skeleton />}
      {columns.error && <ErrorNote error={columns.error} onRetry={() => void columns.refetch()} />}
      <div className="grid max-h-[40dvh] gap-x-6 gap-y-4 overflow-y-auto rounded-xl border border-line p-4 sm:grid-cols-2 lg:grid-cols-3">
        {Object.entries(columns.data ?? {}).map(([group, members]) => (
          <fieldset key={group} className="flex flex-col gap-1">
            <legend className="mb-1 text-sm font-medium text-muted">
              {texts.groups[group as keyof typeof texts.groups] ?? group}
            </legend>
            {members.map(({ field_key: key, display_name: name }) => (
              <CheckboxInput
                key={key}
                label={fromApi(name)}
                checked={chosen.has(key)}
                onChange={({ target }) => {
                  const next = new Set(chosen);
                  if (target.checked) next.add(key);
                  else next.delete(key);
                  setChosen(next);
                }}
              />
            ))}
          </fieldset>
        ))}
      </div>
      <DialogActions>
        <Button onClick={onCancel}>{TEXTS.common.cancel}</Button>
        <Button type="submit" variant="primary" busy={busy} disabled={chosen.size === 0 || !columns.data}>
          {texts.submit}
        </Button>
      </DialogActions>
    </form>
  );
}
