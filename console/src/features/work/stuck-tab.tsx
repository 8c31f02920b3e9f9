import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Data } from 'darkroom-client';
import { CircleCheck, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../lib/client.ts';
import { formatAgo, formatTime } from '../../lib/format.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { SelectInput } from '../../ui/field.tsx';
import { Empty, ErrorNote, Skeleton } from '../../ui/page.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { WORK_TEXTS } from './texts.ts';

const texts = WORK_TEXTS.stuck;
const LOOK_MS = 15_000;
const MINUTES = [1, 5, 15, 30, 60];
const USUAL_MINUTES = 30;
/** As many as the names of can be read in one request. */
const MOST = 100;

type StuckFile = Data<'/files/sessions/stuck', 'get'>['images'][number];
type Component = keyof StuckFile['component_statuses'];

/** Unfinished files without a sign of life, with the cause; looks again by itself, also behind other windows. */
export function StuckTab() {
  const [minutes, setMinutes] = useState(USUAL_MINUTES);
  const stuck = useQuery({
    queryKey: ['files', 'stuck', minutes],
    queryFn: ({ signal }) => readStuck(minutes, signal),
    refetchInterval: LOOK_MS,
    refetchIntervalInBackground: true,
    staleTime: 0,
  });
  const { data, error, dataUpdatedAt: lookedAt } = stuck;
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">{texts.intro}</p>
      <div className="flex flex-wrap items-end justify-between gap-3">
        <div className="w-48">
          <SelectInput
            label={texts.minutes}
            value={String(minutes)}
            options={MINUTES.map((value) => [String(value), texts.minutesOf(value)] as const)}
            onChange={({ target }) => setMinutes(Number(target.value))}
          />
        </div>
        <div className="flex items-center gap-3 text-sm text-muted">
          {lookedAt > 0 && <span className="tabular-nums">{texts.looked(formatTime(lookedAt))}</span>}
          <Button size="small" icon={RefreshCw} busy={stuck.isFetching} onClick={() => void stuck.refetch()}>
            {texts.lookNow}
          </Button>
        </div>
      </div>
      {error && <ErrorNote error={error} />}
      {stuck.isPending && <Skeleton />}
      <p role="status" className={data && data.count > 0 ? 'font-medium' : 'sr-only'}>
        {data && (data.count > 0 ? texts.count(data.count) : texts.none)}
      </p>
      {data?.count === 0 && (
        <Empty icon={CircleCheck} title={texts.none}>
          {texts.noneHint}
        </Empty>
      )}
      {data && data.files.length > 0 && (
        <Table caption={texts.caption} columns={texts.columns}>
          {data.files.map((file) => (
            <StuckRow key={file.file_id} file={file} name={data.names.get(file.file_id)} />
          ))}
        </Table>
      )}
      {data && data.count > data.files.length && (
        <p className="text-sm text-muted">{texts.more(data.files.length)}</p>
      )}
    </div>
  );
}

async function readStuck(minutes: number, signal: AbortSignal) {
  const query = { stuck_minutes: minutes, limit: MOST };
  const { data } = await client.api.GET('/files/sessions/stuck', { params: { query }, signal });
  const ids = data.images.map(({ file_id: id }) => id);
  const names = new Map<string, string>();
  if (ids.length > 0) {
    const named = await client.api.GET('/files', { params: { query: { ids, limit: MOST } }, signal });
    for (const { id, filename } of named.data.items) names.set(id, filename);
  }
  return { count: data.stuck_count, files: data.images, names };
}

function StuckRow({ file, name }: { file: StuckFile; name: string | undefined }) {
  const cause = file.cause ?? 'unknown';
  const open = (Object.entries(file.component_statuses) as [Component, string][])
    .filter(([component]) => component !== 'processing_status')
    .filter(([, status]) => ['pending', 'queued', 'processing'].includes(status))
    .map(([component]) => texts.components[component]);
  const alive = file.last_sign_of_life_at ?? file.created_at;
  return (
    <tr>
      <Cell className="max-w-60">
        <Link
          to="/files/$fileId"
          params={{ fileId: file.file_id }}
          className="block truncate text-accent underline"
        >
          {name ?? file.file_id}
        </Link>
      </Cell>
      <Cell className="min-w-52">
        <span className="block font-medium">{texts.causes[cause]}</span>
        <span className="block text-muted">{texts.hints[cause]}</span>
      </Cell>
      <Cell className="whitespace-nowrap">{open.join(', ') || TEXTS.common.none}</Cell>
      <Cell className="whitespace-nowrap">
        <time dateTime={alive}>{formatAgo(alive)}</time>
      </Cell>
      <Cell className="min-w-52 wrap-anywhere">{file.error_message ?? TEXTS.common.none}</Cell>
    </tr>
  );
}
