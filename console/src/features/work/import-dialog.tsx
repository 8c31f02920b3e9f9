import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Body } from 'darkroom-client';
import { useState, type FormEvent } from 'react';
import { client } from '../../lib/client.ts';
import { useMay } from '../../lib/session.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { CheckboxInput, SelectInput, TextInput } from '../../ui/field.tsx';
import { notify } from '../../ui/notices.tsx';
import { ErrorNote } from '../../ui/page.tsx';
import { FolderChoice } from '../shared/folder-choice.tsx';
import { WORK_TEXTS } from './texts.ts';

const texts = WORK_TEXTS.imports;

/** Hours between two passes. */
const REPEATS = { once: 0, hourly: 1, daily: 24, weekly: 168 };

type Source = Body<'/imports'>['source'];

/** Starts an import: from a bucket that was connected, from the account's own, from a list of URLs, or from a folder of the server. */
export function ImportDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const queries = useQueryClient();
  const [chosen, setChosen] = useState('');
  const [place, setPlace] = useState('');
  const [folder, setFolder] = useState('');
  const [tags, setTags] = useState('');
  const [isOnce, setOnce] = useState(true);
  const [isDescribed, setDescribed] = useState(true);
  const [repeat, setRepeat] = useState<keyof typeof REPEATS>('once');
  const [isDiscarded, setDiscarded] = useState(false);
  const isAdmin = useMay('admin');
  const connections = useQuery({
    queryKey: ['connections', 'imports'],
    enabled: open,
    queryFn: async ({ signal }) => (await client.api.GET('/connections', { signal })).data.items,
  });
  const buckets =
    connections.data?.filter(({ provider, status }) => provider === 's3' && status === 'active') ?? [];
  const from = chosen || (buckets[0]?.id ?? 'manifest');
  const source: Source =
    from === 'manifest'
      ? { type: 'manifest', url: place }
      : from === 'folder'
        ? { type: 'folder', path: place }
        : from === 'own_bucket'
          ? { type: 'own_bucket', prefix: place }
          : { type: 'bucket', connection_id: from, prefix: place };
  const start = useMutation({
    mutationFn: () =>
      client.api.POST('/imports', {
        body: {
          source,
          tags: tags
            .split(',')
            .map((tag) => tag.trim())
            .filter(Boolean),
          skip_duplicates: isOnce,
          auto_describe: isDescribed,
          ...(repeat !== 'once' && {
            repeat_every_hours: REPEATS[repeat],
            when_gone: isDiscarded ? 'trash' : 'keep',
          }),
          ...(folder && { folder_id: folder }),
        },
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['imports'] });
      notify(texts.started);
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate();
  };
  return (
    <Dialog open={open} onClose={onClose} title={texts.start}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {start.error && <ErrorNote error={start.error} />}
        <SelectInput
          label={texts.source}
          value={from}
          hint={texts.sourceHint}
          options={[
            ...buckets.map(({ id, name }) => [id, name] as const),
            ['own_bucket', texts.sources.own_bucket],
            ['manifest', texts.sources.manifest],
            ...(isAdmin ? [['folder', texts.sources.folder] as const] : []),
          ]}
          onChange={({ target }) => setChosen(target.value)}
        />
        {from === 'manifest' ? (
          <TextInput
            label={texts.url}
            type="url"
            required
            hint={texts.urlHint}
            value={place}
            onChange={({ target }) => setPlace(target.value)}
          />
        ) : from === 'folder' ? (
          <TextInput
            label={texts.path}
            required
            hint={texts.pathHint}
            value={place}
            onChange={({ target }) => setPlace(target.value)}
          />
        ) : (
          <TextInput
            label={texts.prefix}
            optional
            hint={texts.prefixHint}
            value={place}
            onChange={({ target }) => setPlace(target.value)}
          />
        )}
        <FolderChoice
          label={texts.folder}
          none={texts.noFolder}
          value={folder}
          onChoose={(one) => setFolder(one?.id ?? '')}
        />
        <TextInput
          label={texts.tags}
          optional
          hint={texts.tagsHint}
          value={tags}
          onChange={({ target }) => setTags(target.value)}
        />
        <CheckboxInput
          label={texts.once}
          checked={isOnce}
          onChange={({ target }) => setOnce(target.checked)}
        />
        <CheckboxInput
          label={texts.describe}
          checked={isDescribed}
          onChange={({ target }) => setDescribed(target.checked)}
        />
        <SelectInput
          label={texts.repeat}
          value={repeat}
          hint={repeat !== 'once' && texts.repeatHint}
          options={Object.keys(REPEATS).map(
            (name) => [name, texts.repeats[name as keyof typeof REPEATS]] as const,
          )}
          onChange={({ target }) => setRepeat(target.value as keyof typeof REPEATS)}
        />
        {repeat !== 'once' && (
          <CheckboxInput
            label={texts.discard}
            checked={isDiscarded}
            onChange={({ target }) => setDiscarded(target.checked)}
          />
        )}
        <DialogActions>
          <Button onClick={onClose}>{TEXTS.common.cancel}</Button>
          <Button type="submit" variant="primary" busy={start.isPending} disabled={connections.isPending}>
            {texts.submit}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
