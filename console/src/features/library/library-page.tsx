import { useQuery } from '@tanstack/react-query';
import { getRouteApi, lazyRouteComponent, useNavigate, useRouter } from '@tanstack/react-router';
import { FolderTree as FolderTreeIcon, SearchX, Trash2, Upload } from 'lucide-react';
import { Suspense, useEffect, useMemo, useState } from 'react';
import { useMay } from '../../lib/session.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { CheckboxInput } from '../../ui/field.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Empty, Page } from '../../ui/page.tsx';
import { BatchActions, type BatchDialog } from './batch/batch-actions.tsx';
import { moveSteps, useBatch } from './batch/run-batch.ts';
import { FilesSection } from './files-section.tsx';
import { FolderPanel } from './folders/folder-panel.tsx';
import { folderQuery, isProject, projectQuery } from './folders/folder-queries.ts';
import type { Place } from './folders/folder-node.tsx';
import { countFilters, filtersOf, parseLibrarySearch, type LibrarySearch } from './search-params.ts';
import { rememberResults } from './last-results.ts';
import { useSelection } from './selection.ts';
import { LIBRARY_TEXTS } from './texts.ts';
import { Toolbar, useView } from './toolbar.tsx';

const texts = LIBRARY_TEXTS;
const SearchResults = lazyRouteComponent(() => import('./search-results.tsx'), 'SearchResults');
const route = getRouteApi('/signed-in/');

/** All files of the account: to look for them, to order them, and to work on several at once. */
export function LibraryPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/' });
  const router = useRouter();
  const mayEdit = useMay('editor');
  const filters = useMemo(() => filtersOf(search), [search]);
  const [view, setView] = useView();
  const [dialog, setDialog] = useState<BatchDialog>(null);
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const selection = useSelection(JSON.stringify(filters));
  const batch = useBatch();
  const place = usePlace(search);
  useEffect(() => rememberResults(search), [search]);

  const go = (next: LibrarySearch, replace = false) => void navigate({ to: '/', search: next, replace });
  // After a pause, in which the address may have changed.
  const onSearch = (q: string | undefined) =>
    void navigate({
      to: '/',
      search: { ...parseLibrarySearch(router.state.location.search), q, ...(!q && { show: undefined }) },
      replace: search.q !== undefined,
    });
  const pick = (next: Place) => {
    setDrawerOpen(false);
    const { folder: _folder, project: _project, ...rest } = search;
    if (next === 'all') go(rest);
    else if (next === 'root') go({ ...rest, folder: 'root' });
    else if (isProject(next) && next.project_id) go({ ...rest, project: next.project_id });
    else go({ ...rest, folder: next.id });
  };
  const panel = (
    <FolderPanel
      current={place.id}
      onPick={pick}
      onDropFiles={(ids, folder) => {
        selection.clear();
        void batch.start(moveSteps(ids, folder), texts.moved);
      }}
    />
  );
  const files = (
    <FilesSection
      filters={filters}
      view={view}
      selection={selection}
      isDraggable={mayEdit}
      {...(mayEdit && { onDelete: () => setDialog('delete') })}
      empty={<NoFiles search={search} />}
    />
  );
  const { q } = search;
  return (
    <Page
      full
      title={place.name ?? texts.title}
      actions={
        <>
          <Button icon={FolderTreeIcon} className="lg:hidden" onClick={() => setDrawerOpen(true)}>
            {texts.folders}
          </Button>
          <LinkButton to="/trash" icon={Trash2}>
            {texts.trash}
          </LinkButton>
          {mayEdit && (
            <LinkButton to="/add" variant="primary" icon={Upload}>
              {TEXTS.app.add}
            </LinkButton>
          )}
        </>
      }
    >
      <div className="flex items-start gap-8">
        <aside className="sticky top-4 max-h-[calc(100dvh-2rem)] w-60 shrink-0 overflow-y-auto max-lg:hidden">
          {!isDrawerOpen && panel}
        </aside>
        <div
          className="flex min-w-0 grow flex-col gap-4"
          onKeyDown={({ key, target }) => {
            if (key === 'Escape' && !(target as Element).closest('input, dialog')) selection.clear();
          }}
        >
          <Toolbar
            search={search}
            onChange={(next) => go(next, true)}
            onSearch={onSearch}
            view={view}
            onView={setView}
          />
          {search.folder && search.folder !== 'root' && (
            <CheckboxInput
              label={texts.deep}
              checked={search.deep === true}
              onChange={({ target }) => go({ ...search, deep: target.checked || undefined }, true)}
            />
          )}
          {q === undefined ? (
            files
          ) : (
            <Suspense fallback={files}>
              <SearchResults
                q={q}
                search={search}
                files={files}
                onShow={(next) => go({ ...search, show: next === 'files' ? undefined : next }, true)}
              />
            </Suspense>
          )}
          <BatchActions selection={selection} batch={batch} dialog={dialog} onDialog={setDialog} />
        </div>
      </div>
      <Dialog side open={isDrawerOpen} onClose={() => setDrawerOpen(false)} title={texts.places}>
        {panel}
      </Dialog>
    </Page>
  );
}

/** The folder or project of the address: its id in the tree, and its name. */
function usePlace({ folder, project }: LibrarySearch): { id: string | undefined; name: string | undefined } {
  const isFolder = folder !== undefined && folder !== 'root';
  const folderOf = useQuery({ ...folderQuery(folder ?? ''), enabled: isFolder });
  const projectOf = useQuery({ ...projectQuery(project ?? ''), enabled: !folder && project !== undefined });
  if (folder === 'root') return { id: folder, name: texts.noFolder };
  if (folder) return { id: folder, name: folderOf.data?.name };
  return project
    ? { id: projectOf.data?.root_folder_id, name: projectOf.data?.name }
    : { id: undefined, name: undefined };
}

function NoFiles({ search }: { search: LibrarySearch }) {
  const mayEdit = useMay('editor');
  const { q, folder, project } = search;
  if (q !== undefined || countFilters(search) > 0)
    return (
      <Empty icon={SearchX} title={texts.nothingFound}>
        {q === undefined ? texts.tryFewerFilters : texts.tryMeaning}
      </Empty>
    );
  return (
    <Empty icon={Upload} title={folder || project ? texts.emptyFolder : texts.empty}>
      {mayEdit && (
        <div className="flex flex-col items-center gap-4">
          <p>{folder || project ? texts.emptyFolderNote : texts.emptyNote}</p>
          <LinkButton to="/add" variant="primary" icon={Upload}>
            {texts.addFiles}
          </LinkButton>
        </div>
      )}
    </Empty>
  );
}
