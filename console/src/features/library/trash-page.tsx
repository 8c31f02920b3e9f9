import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { ArrowLeft, RotateCcw, Trash2, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { client } from '../../lib/client.ts';
import { useMay } from '../../lib/session.ts';
import { TEXTS } from '../../texts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { notify, notifyError } from '../../ui/notices.tsx';
import { Card, Empty, Page } from '../../ui/page.tsx';
import { eraseSteps, restoreSteps, useBatch, type Restored } from './batch/run-batch.ts';
import { SelectionBar } from './batch/selection-bar.tsx';
import { FilesSection } from './files-section.tsx';
import { filtersOf, type LibrarySearch } from './search-params.ts';
import { useSelection } from './selection.ts';
import { LIBRARY_TEXTS } from './texts.ts';
import { Toolbar, useView } from './toolbar.tsx';

const texts = LIBRARY_TEXTS;
const route = getRouteApi('/signed-in/trash');

/** Deleted files, until they are removed for good. */
export function TrashPage() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const mayEdit = useMay('editor');
  const filters = useMemo(() => filtersOf(search, true), [search]);
  const [view, setView] = useView();
  const [answers, setAnswers] = useState<readonly Restored[]>([]);
  const selection = useSelection(JSON.stringify(filters));
  const batch = useBatch();
  const queries = useQueryClient();
  const mayErase = useMay('admin');
  const [asking, setAsking] = useState<'selection' | 'all' | null>(null);
  const empty = useMutation({
    mutationFn: emptyTrash,
    onSuccess: async (count) => {
      notify(texts.erased(count));
      await queries.invalidateQueries({ queryKey: ['files'] });
    },
    onError: notifyError,
    onSettled: () => setAsking(null),
  });
  const erase = () => {
    const ids = [...selection.ids];
    selection.clear();
    if (asking === 'all') return empty.mutate();
    setAsking(null);
    void batch.start(eraseSteps(ids), texts.erased);
  };
  const go = (next: LibrarySearch) => void navigate({ to: '/trash', search: next, replace: true });
  const restore = () => {
    const ids = [...selection.ids];
    const said: Restored[] = [];
    selection.clear();
    void batch
      .start(
        restoreSteps(ids, (answer) => said.push(answer)),
        texts.restored,
      )
      .then(() => setAnswers(said));
  };
  return (
    <Page
      full
      title={texts.trash}
      actions={
        <>
          <LinkButton to="/" icon={ArrowLeft}>
            {texts.title}
          </LinkButton>
          {mayErase && (
            <Button variant="danger" icon={Trash2} onClick={() => setAsking('all')}>
              {texts.emptyTrash}
            </Button>
          )}
        </>
      }
    >
      <p className="-mt-3 text-muted">{texts.trashNote}</p>
      {answers.length > 0 && <Answers answers={answers} onClose={() => setAnswers([])} />}
      <div
        className="flex flex-col gap-4"
        onKeyDown={({ key, target }) => {
          if (key === 'Escape' && !(target as Element).closest('input')) selection.clear();
        }}
      >
        <Toolbar
          search={search}
          onChange={go}
          onSearch={(q) => go({ ...search, q })}
          view={view}
          onView={setView}
          hasFilters={false}
        />
        <FilesSection
          filters={filters}
          view={view}
          selection={selection}
          isDraggable={false}
          empty={<Empty icon={Trash2} title={search.q ? texts.nothingFound : texts.trashEmpty} />}
        />
        <SelectionBar selection={selection} batch={batch}>
          {mayEdit && (
            <Button size="small" variant="quiet" icon={RotateCcw} onClick={restore}>
              {texts.restore}
            </Button>
          )}
          {mayErase && (
            <Button size="small" variant="quiet" icon={Trash2} onClick={() => setAsking('selection')}>
              {texts.erase}
            </Button>
          )}
        </SelectionBar>
      </div>
      <ConfirmDialog
        open={asking !== null}
        onClose={() => setAsking(null)}
        onConfirm={erase}
        busy={empty.isPending}
        title={asking === 'all' ? texts.emptyTrashTitle : texts.eraseFiles(selection.ids.size)}
        action={texts.erase}
      >
        {texts.eraseNote}
      </ConfirmDialog>
    </Page>
  );
}

/** @returns how many files that was */
async function emptyTrash(): Promise<number> {
  let erased = 0;
  for (;;) {
    // A trash of any size takes several requests, one after the other.
    // oxlint-disable-next-line no-await-in-loop
    const { data } = await client.api.POST('/files/trash/empty');
    erased += data.erased_files;
    // More that somebody is just changing stay.
    if (!data.has_more || data.erased_files === 0) return erased;
  }
}

/** What the API says about each restored file: its folder may be gone, or the same file have been added since. */
function Answers({ answers, onClose }: { answers: readonly Restored[]; onClose: () => void }) {
  return (
    <Card
      title={texts.restored(answers.length)}
      actions={<IconButton size="smallIcon" icon={X} label={TEXTS.common.dismiss} onClick={onClose} />}
    >
      <ul className="flex max-h-60 flex-col gap-1 overflow-y-auto text-sm">
        {answers.map(({ id, message, duplicate_of: duplicate }) => (
          <li key={id} className="flex flex-wrap gap-x-3">
            <span>{message}</span>
            <Link to="/files/$fileId" params={{ fileId: id }} className="text-accent underline">
              {texts.openFile}
            </Link>
            {duplicate && (
              <Link to="/files/$fileId" params={{ fileId: duplicate }} className="text-accent underline">
                {texts.openDuplicate}
              </Link>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
