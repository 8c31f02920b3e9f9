import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { FileDetail } from 'darkroom-client';
import { useState } from 'react';
import { client } from '../../lib/client.ts';
import { formatDate } from '../../lib/format.ts';
import { useMay } from '../../lib/session.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectInput } from '../../ui/field.tsx';
import { notify, notifyError } from '../../ui/notices.tsx';
import { FILE_TEXTS } from './texts.ts';

const texts = FILE_TEXTS.share;
const DAYS = [1, 7, 30, 90, 365];
const USUAL_DAYS = 7;

/** A link for members, and links for others that end by themselves or are revoked. */
export function ShareDialog({
  file,
  open,
  onClose,
}: {
  file: FileDetail;
  open: boolean;
  onClose: () => void;
}) {
  const mayShare = useMay('editor');
  return (
    <Dialog open={open} onClose={onClose} title={texts.title}>
      <section className="flex flex-col items-start gap-2">
        <h3 className="font-medium">{texts.members}</h3>
        <p className="text-sm text-muted">{texts.membersHint}</p>
        <CopyButton text={`${location.origin}/files/${file.id}`} label={texts.copyLink} />
      </section>
      {mayShare && <LinksForOthers fileId={file.id} />}
    </Dialog>
  );
}

function LinksForOthers({ fileId }: { fileId: string }) {
  const queries = useQueryClient();
  const [days, setDays] = useState(USUAL_DAYS);
  const queryKey = ['shares', fileId];
  const params = { path: { file_id: fileId } };
  const links = useQuery({
    queryKey,
    queryFn: async ({ signal }) =>
      (await client.api.GET('/files/{file_id}/shares', { params, signal })).data.items,
  });
  const changed = () => queries.invalidateQueries({ queryKey });
  const create = useMutation({
    mutationFn: () => client.api.POST('/files/{file_id}/shares', { params, body: { expires_in_days: days } }),
    onSuccess: changed,
    onError: notifyError,
  });
  const revoke = useMutation({
    mutationFn: (id: string) =>
      client.api.DELETE('/files/{file_id}/shares/{share_id}', {
        params: { path: { file_id: fileId, share_id: id } },
      }),
    onSuccess: async ({ data }) => {
      if (data.id === create.data?.data.id) create.reset();
      notify(texts.revoked);
      await changed();
    },
    onError: notifyError,
  });
  const url = create.data?.data.url;
  return (
    <section className="flex flex-col gap-3 border-t border-line pt-4">
      <h3 className="font-medium">{texts.others}</h3>
      <p className="-mt-2 text-sm text-muted">{texts.othersHint}</p>
      <div className="flex flex-wrap items-end gap-3">
        <div className="w-40">
          <SelectInput
            label={texts.days}
            value={String(days)}
            options={DAYS.map((value) => [String(value), texts.daysOf(value)] as const)}
            onChange={({ target }) => setDays(Number(target.value))}
          />
        </div>
        <Button variant="primary" busy={create.isPending} onClick={() => create.mutate()}>
          {texts.create}
        </Button>
      </div>
      {url !== undefined && (
        <div role="status" className="flex flex-col items-start gap-2 rounded-xl bg-sunken p-3">
          <p className="text-sm">{texts.created}</p>
          <code className="font-mono text-xs break-all select-all">{url}</code>
          <CopyButton text={url} />
        </div>
      )}
      {links.data && links.data.length > 0 && (
        <ul aria-label={texts.existing} className="flex flex-col divide-y divide-line">
          {links.data.map((link) => (
            <li key={link.id} className="flex flex-wrap items-center justify-between gap-2 py-2 text-sm">
              <span>
                {texts.until(formatDate(link.expires_at))}
                <span className="text-muted">
                  {' · '}
                  {link.opened_count > 0 ? texts.opened(link.opened_count) : texts.neverOpened}
                </span>
              </span>
              <Button size="small" busy={revoke.isPending} onClick={() => revoke.mutate(link.id)}>
                {texts.revoke}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
