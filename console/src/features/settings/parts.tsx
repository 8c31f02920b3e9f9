import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMay } from '../../lib/session.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { notify, notifyError } from '../../ui/notices.tsx';
import { Empty, Page } from '../../ui/page.tsx';
import { SETTINGS_TEXTS } from './texts.ts';

/** An action of a settings page: reads its lists anew afterwards, and says what was done or why it was not. */
export function useAction<A, R>(
  act: (argument: A) => Promise<R>,
  {
    changes,
    done,
    onDone,
    onError = notifyError,
  }: {
    changes: QueryKey;
    done?: string | ((result: R) => string);
    onDone?: (result: R) => void;
    onError?: (error: unknown) => void;
  },
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: async (result) => {
      await queries.invalidateQueries({ queryKey: changes });
      const text = typeof done === 'function' ? done(result) : done;
      if (text) notify(text);
      onDone?.(result);
    },
    onError,
  });
}

/** A page that only admins see, as the API answers only them. */
export function AdminPage({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const isAdmin = useMay('admin');
  return (
    <Page title={title} actions={isAdmin && actions}>
      {isAdmin ? children : <Empty icon={Lock} title={SETTINGS_TEXTS.adminsOnly} />}
    </Page>
  );
}

/** A secret that the API returns only once. */
export function SecretDialog({
  title,
  text,
  secret,
  onClose,
}: {
  title: string;
  text: string;
  /** Undefined while there is none to show. */
  secret: string | undefined;
  onClose: () => void;
}) {
  return (
    <Dialog open={secret !== undefined} onClose={onClose} title={title}>
      <p className="text-muted">{text}</p>
      <code className="rounded-lg bg-sunken px-3 py-2 font-mono text-sm break-all select-all">{secret}</code>
      <DialogActions>
        <CopyButton text={secret ?? ''} />
        <Button size="small" variant="primary" onClick={onClose}>
          {TEXTS.common.close}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** A pair of a name and a value. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </div>
  );
}
