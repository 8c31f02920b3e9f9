import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import { useMay } from '../../lib/session.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { notify, notifyError } from '../../ui/notices.tsx';
import { ProgressBar, StatusBadge, type Status } from '../../ui/status.tsx';

/** A line of a list of work, which opens to its details. */
export function WorkEntry({
  title,
  notes,
  status,
  progress,
  children,
}: {
  title: string;
  /** Facts about it; false ones are left out. */
  notes: readonly (string | false)[];
  status: Status;
  /** Shown while it is open: how much of `max` is done. */
  progress: { label: string; value: number | undefined; max: number } | undefined;
  /** The details, which are rendered while they are shown. */
  children: () => ReactNode;
}) {
  const [isShown, setShown] = useState(false);
  const id = useId();
  const Icon = isShown ? ChevronDown : ChevronRight;
  return (
    <li>
      <button
        type="button"
        aria-expanded={isShown}
        aria-controls={id}
        onClick={() => setShown(!isShown)}
        className="flex w-full items-center gap-x-4 px-4 py-3 text-left hover:bg-sunken focus-visible:-outline-offset-2"
      >
        <Icon aria-hidden className="size-4 shrink-0 text-muted" />
        <span className="min-w-0 grow">
          <span className="block font-medium wrap-anywhere">{title}</span>
          <span className="block text-sm text-muted">{notes.filter(Boolean).join(' · ')}</span>
        </span>
        <StatusBadge status={status} />
      </button>
      {progress && !isShown && (
        <div className="px-4 pb-3">
          <ProgressBar {...progress} />
        </div>
      )}
      <div id={id}>{isShown && children()}</div>
    </li>
  );
}

/** The list around the lines. */
export function WorkList({ children }: { children: ReactNode }) {
  return (
    <ul className="divide-y divide-line overflow-hidden rounded-2xl border border-line bg-surface">
      {children}
    </ul>
  );
}

/** Pairs of a name and a value; false ones are left out. */
export function WorkFacts({ facts }: { facts: readonly (readonly [name: string, value: string] | false)[] }) {
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-2 text-sm">
      {facts
        .filter((fact) => fact !== false)
        .map(([name, value]) => (
          <div key={name}>
            <dt className="text-muted">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

interface WorkAction<A> {
  action: A;
  name: string;
  /** Asked first, before something that cannot be taken back. */
  question?: { title: string; text: string; keep: string };
}

/**
 * Buttons for what an editor may do with a piece of work.
 *
 * @param act     resolves to a sentence for the user, if there is one
 * @param changes what is read again afterwards
 */
export function WorkActions<A extends string>({
  actions,
  act,
  changes,
}: {
  actions: readonly (WorkAction<A> | false)[];
  act: (action: A) => Promise<string | undefined>;
  changes: QueryKey;
}) {
  const mayChange = useMay('editor');
  const queries = useQueryClient();
  const [asked, setAsked] = useState<WorkAction<A>>();
  const change = useMutation({
    mutationFn: act,
    onSuccess: async (sentence) => {
      setAsked(undefined);
      if (sentence !== undefined) notify(sentence);
      await queries.invalidateQueries({ queryKey: changes });
    },
    onError: notifyError,
  });
  const offered = actions.filter((each) => each !== false);
  if (!mayChange || offered.length === 0) return null;
  return (
    <div className="flex flex-wrap gap-2">
      {offered.map((each) => (
        <Button
          key={each.action}
          size="small"
          variant={each.question ? 'danger' : 'secondary'}
          busy={change.isPending && change.variables === each.action && !asked}
          onClick={() => (each.question ? setAsked(each) : change.mutate(each.action))}
        >
          {each.name}
        </Button>
      ))}
      <ConfirmDialog
        open={asked !== undefined}
        onClose={() => setAsked(undefined)}
        onConfirm={() => asked && change.mutate(asked.action)}
        title={asked?.question?.title ?? ''}
        action={asked?.name ?? ''}
        keep={asked?.question?.keep ?? ''}
        busy={change.isPending}
      >
        {asked?.question?.text}
      </ConfirmDialog>
    </div>
  );
}
