import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Data } from 'darkroom-client';
import { client } from '../../lib/client.ts';
import { formatAgo, formatDateTime, formatMilliseconds } from '../../lib/format.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Card, ErrorNote, MoreButton, Skeleton } from '../../ui/page.tsx';
import { Badge } from '../../ui/status.tsx';
import { AdminPage, Fact, SecretDialog, useAction } from './parts.tsx';
import { SETTINGS_TEXTS } from './texts.ts';
import { namesOf, WebhookState } from './webhooks.tsx';

const texts = SETTINGS_TEXTS.webhooks;
const route = getRouteApi('/signed-in/settings/webhooks/$webhookId');
const DAY_MS = 24 * 3600 * 1000;
const PAGE_SIZE = 50;
/** Deliveries change while they are retried, and their answers change the state of the webhook. */
const REFRESH_MS = 5000;

type Delivery = Data<'/webhooks/subscriptions/{webhook_id}/deliveries', 'get'>['items'][number];

export function Webhook() {
  const { webhookId } = route.useParams();
  const navigate = useNavigate();
  const [secret, setSecret] = useState<string>();
  const [isLeaving, setLeaving] = useState(false);
  const path = { webhook_id: webhookId };
  const hook = useQuery({
    queryKey: ['webhooks', webhookId],
    queryFn: async ({ signal }) =>
      (await client.api.GET('/webhooks/subscriptions/{webhook_id}', { params: { path }, signal })).data,
    refetchInterval: REFRESH_MS,
  });
  const changes = ['webhooks'];
  const enable = useAction(
    (enabled: boolean) =>
      client.api.PATCH('/webhooks/subscriptions/{webhook_id}', { params: { path }, body: { enabled } }),
    { changes, done: TEXTS.common.saved },
  );
  const rotate = useAction(
    async () =>
      (
        await client.api.POST('/webhooks/subscriptions/{webhook_id}/rotate-secret', {
          params: { path },
          body: {},
        })
      ).data,
    { changes, onDone: (answer) => setSecret(answer.secret) },
  );
  const test = useAction(
    () => client.api.POST('/webhooks/subscriptions/{webhook_id}/test', { params: { path } }),
    { changes, done: texts.testSent },
  );
  const remove = useAction(
    () => client.api.DELETE('/webhooks/subscriptions/{webhook_id}', { params: { path } }),
    { changes: ['webhooks', 'list'], onDone: () => void navigate({ to: '/settings/webhooks' }) },
  );
  return (
    <AdminPage title={hook.data?.url ?? SETTINGS_TEXTS.pages.webhooks}>
      {hook.error && <ErrorNote error={hook.error} onRetry={() => void hook.refetch()} />}
      {hook.isPending && <Skeleton />}
      {hook.data && (
        <Card>
          <dl className="grid gap-3 sm:grid-cols-3">
            <Fact name={texts.state}>
              <WebhookState hook={hook.data} />
              {hook.data.disabled_reason && <p className="mt-1 text-sm">{hook.data.disabled_reason}</p>}
            </Fact>
            <Fact name={texts.events}>{namesOf(hook.data.event_types)}</Fact>
            {hook.data.description && <Fact name={texts.description}>{hook.data.description}</Fact>}
          </dl>
          <div className="mt-4 flex flex-wrap gap-2">
            <Button size="small" busy={test.isPending} onClick={() => test.mutate(undefined)}>
              {texts.test}
            </Button>
            <Button
              size="small"
              busy={rotate.isPending}
              title={texts.rotateText}
              onClick={() => rotate.mutate(undefined)}
            >
              {texts.rotate}
            </Button>
            <Button size="small" busy={enable.isPending} onClick={() => enable.mutate(!hook.data.enabled)}>
              {hook.data.enabled ? texts.disable : texts.enable}
            </Button>
            <Button size="small" variant="danger" onClick={() => setLeaving(true)}>
              {texts.remove}
            </Button>
          </div>
        </Card>
      )}
      <Deliveries webhookId={webhookId} />
      <SecretDialog
        title={texts.secretTitle}
        text={`${texts.secretText} ${texts.rotateText}`}
        secret={secret}
        onClose={() => setSecret(undefined)}
      />
      <ConfirmDialog
        open={isLeaving}
        onClose={() => setLeaving(false)}
        onConfirm={() => remove.mutate(undefined)}
        title={texts.removeTitle}
        action={texts.remove}
        busy={remove.isPending}
      >
        {texts.removeText}
      </ConfirmDialog>
    </AdminPage>
  );
}

/** The log of what was sent, newest first, with each attempt. */
function Deliveries({ webhookId }: { webhookId: string }) {
  const path = { webhook_id: webhookId };
  const list = useInfiniteQuery({
    queryKey: ['webhooks', webhookId, 'deliveries'],
    queryFn: async ({ signal, pageParam: offset }) => {
      const params = { path, query: { offset, limit: PAGE_SIZE } };
      return (await client.api.GET('/webhooks/subscriptions/{webhook_id}/deliveries', { params, signal }))
        .data;
    },
    initialPageParam: 0,
    getNextPageParam: ({ has_more: more, offset, limit }) => (more ? offset + limit : undefined),
    refetchInterval: REFRESH_MS,
  });
  const redeliverFailed = useAction(
    async () => {
      const body = { since: new Date(Date.now() - DAY_MS).toISOString() };
      const params = { path };
      return (
        await client.api.POST('/webhooks/subscriptions/{webhook_id}/redeliver-failed', { params, body })
      ).data;
    },
    { changes: ['webhooks'], done: ({ redelivered }) => texts.redeliveredMany(redelivered) },
  );
  const deliveries = list.data?.pages.flatMap(({ items }) => items);
  return (
    <Card
      title={texts.deliveries}
      actions={
        <Button
          size="small"
          busy={redeliverFailed.isPending}
          onClick={() => redeliverFailed.mutate(undefined)}
        >
          {texts.redeliverFailed}
        </Button>
      }
    >
      {list.error && <ErrorNote error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton />}
      {deliveries?.length === 0 && <p className="text-muted">{texts.noDeliveries}</p>}
      <ul className="divide-y divide-line">
        {deliveries?.map((delivery) => (
          <li key={delivery.id}>
            <DeliveryRow delivery={delivery} />
          </li>
        ))}
      </ul>
      <MoreButton list={list} />
    </Card>
  );
}

const TONES = {
  pending: 'bg-sunken text-muted',
  sending: 'bg-busy-soft text-busy',
  retrying: 'bg-warn-soft text-warn',
  delivered: 'bg-good-soft text-good',
  failed: 'bg-bad-soft text-bad',
  cancelled: 'bg-sunken text-muted',
} as const satisfies Record<Delivery['status'], string>;

function DeliveryRow({ delivery }: { delivery: Delivery }) {
  const redeliver = useAction(
    () =>
      client.api.POST('/webhooks/deliveries/{delivery_id}/redeliver', {
        params: { path: { delivery_id: delivery.id } },
      }),
    { changes: ['webhooks'], done: texts.redelivered },
  );
  const isEnded = delivery.ended_at !== null;
  return (
    <details className="group py-2">
      <summary className="flex flex-wrap items-center gap-3 rounded-lg px-1 py-1">
        <Badge tone={TONES[delivery.status]}>{texts.deliveryStatus[delivery.status]}</Badge>
        <span className="font-medium">{namesOf([delivery.event_type])}</span>
        <code className="text-sm text-muted">{delivery.event_type}</code>
        <time
          dateTime={delivery.created_at}
          title={formatDateTime(delivery.created_at)}
          className="text-muted"
        >
          {formatAgo(delivery.created_at)}
        </time>
        {delivery.next_attempt_at && (
          <span className="text-sm text-muted">{texts.nextAttempt(formatAgo(delivery.next_attempt_at))}</span>
        )}
      </summary>
      <div className="flex flex-col gap-3 px-1 py-3">
        <ol className="flex flex-col gap-2 text-sm">
          {delivery.attempts.map((attempt) => (
            <li key={attempt.number} className="rounded-lg bg-sunken px-3 py-2">
              <p>
                {texts.attempt(attempt.number)} · {formatDateTime(attempt.started_at)} ·{' '}
                {formatMilliseconds(attempt.latency_ms)} ·{' '}
                {attempt.status_code ?? attempt.error ?? texts.noAnswer}
              </p>
              {attempt.response_body && <Code title={texts.answer} text={attempt.response_body} />}
            </li>
          ))}
        </ol>
        <Code title={texts.body} text={JSON.stringify(delivery.event_data, null, 2)} />
        {isEnded && (
          <Button
            size="small"
            className="self-start"
            busy={redeliver.isPending}
            onClick={() => redeliver.mutate(undefined)}
          >
            {texts.redeliver}
          </Button>
        )}
      </div>
    </details>
  );
}

function Code({ title, text }: { title: string; text: string }) {
  return (
    <figure>
      <figcaption className="text-xs text-muted">{title}</figcaption>
      <pre
        tabIndex={0}
        className="max-h-60 overflow-auto font-mono text-xs whitespace-pre-wrap wrap-anywhere"
      >
        {text}
      </pre>
    </figure>
  );
}
