import { useQuery } from '@tanstack/react-query';
import { Cable } from 'lucide-react';
import { useState } from 'react';
import type { Data } from 'darkroom-client';
import { client } from '../../lib/client.ts';
import { formatAgo } from '../../lib/format.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Empty, ErrorNote, Skeleton } from '../../ui/page.tsx';
import { Badge } from '../../ui/status.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { ConnectBucket } from './connect-bucket.tsx';
import { AdminPage, useAction } from './parts.tsx';
import { SETTINGS_TEXTS } from './texts.ts';

const texts = SETTINGS_TEXTS.connections;
const changes = ['connections'];

type Connection = Data<'/connections', 'get'>['items'][number];

export function Connections() {
  const [leaving, setLeaving] = useState<Connection>();
  const [isAdding, setAdding] = useState(false);
  const list = useQuery({
    queryKey: changes,
    queryFn: async ({ signal }) => (await client.api.GET('/connections', { signal })).data.items,
  });
  const connect = useAction(
    async () => (await client.api.POST('/connections/oauth/start', { body: {} })).data,
    {
      changes,
      onDone: ({ authorization_url: url }) => location.assign(url),
    },
  );
  const remove = useAction(
    (id: string) =>
      client.api.DELETE('/connections/{connection_id}', { params: { path: { connection_id: id } } }),
    { changes, onDone: () => setLeaving(undefined) },
  );
  return (
    <AdminPage
      title={SETTINGS_TEXTS.pages.connections}
      actions={
        <>
          <Button icon={Cable} onClick={() => setAdding(true)}>
            {texts.connectBucket}
          </Button>
          <Button
            variant="primary"
            icon={Cable}
            busy={connect.isPending}
            onClick={() => connect.mutate(undefined)}
          >
            {texts.connect}
          </Button>
        </>
      }
    >
      <p className="max-w-prose text-muted">{texts.intro}</p>
      {list.error && <ErrorNote error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton />}
      {list.data?.length === 0 && <Empty icon={Cable} title={texts.empty} />}
      {list.data && list.data.length > 0 && (
        <Table
          caption={SETTINGS_TEXTS.pages.connections}
          columns={[texts.name, texts.provider, texts.lastUsed, texts.state, '']}
        >
          {list.data.map((connection) => (
            <tr key={connection.id}>
              <Cell className="font-medium">{connection.name}</Cell>
              <Cell>{texts.providers[connection.provider]}</Cell>
              <Cell>{connection.last_used_at ? formatAgo(connection.last_used_at) : TEXTS.common.never}</Cell>
              <Cell>
                <Badge
                  tone={connection.status === 'active' ? 'bg-good-soft text-good' : 'bg-bad-soft text-bad'}
                >
                  {texts.states[connection.status]}
                </Badge>
                {connection.error && <p className="mt-1 text-sm text-muted">{connection.error}</p>}
              </Cell>
              <Cell className="text-right">
                <Button size="small" variant="danger" onClick={() => setLeaving(connection)}>
                  {texts.remove}
                </Button>
              </Cell>
            </tr>
          ))}
        </Table>
      )}
      <ConnectBucket open={isAdding} onClose={() => setAdding(false)} />
      <ConfirmDialog
        open={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        onConfirm={() => leaving && remove.mutate(leaving.id)}
        title={texts.removeTitle(leaving?.name ?? '')}
        action={texts.remove}
        busy={remove.isPending}
      >
        {texts.removeText}
      </ConfirmDialog>
    </AdminPage>
  );
}
