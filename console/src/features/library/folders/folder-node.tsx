import { useInfiniteQuery } from '@tanstack/react-query';
import { ChevronRight, Files, Folder as FolderIcon, FolderKanban, Inbox } from 'lucide-react';
import { useId, type DragEvent, type ReactNode } from 'react';
import { messageOf } from '../../../lib/client.ts';
import { formatNumber } from '../../../lib/format.ts';
import { TEXTS } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { dragFolder, useDrop, type Dropped } from '../drag.ts';
import { isProject, subfolders, type Folder } from './folder-queries.ts';

const ICONS = { all: Files, root: Inbox, folder: FolderIcon, project: FolderKanban } as const;

/** A place in the tree: a folder, or one of the two above all folders. */
export type Place = 'all' | 'root' | Folder;

export interface TreeProps {
  /** Id of the folder that is shown; `root` for files in none, undefined for all files. */
  current: string | undefined;
  /** Without the place of all files, into which nothing can be moved. */
  isTarget?: boolean;
  onPick: (place: Place) => void;
  onDrop?: (dropped: Dropped, folder: string | null) => void;
  /** The menu of a folder. */
  menuOf?: (folder: Folder) => ReactNode;
  /** F2 and Delete on a folder. */
  onKey?: (key: 'F2' | 'Delete', folder: Folder) => void;
}

interface Shared extends TreeProps {
  open: ReadonlySet<string>;
  toggle: (id: string, isOpen: boolean) => void;
  tabStop: string;
}

/** The folders in a folder. */
export function Branch(props: Shared & { parent: string; level: number }) {
  const { parent, level } = props;
  const query = useInfiniteQuery(subfolders(parent));
  if (query.error) return <Note level={level}>{messageOf(query.error)}</Note>;
  const folders = query.data?.pages.flatMap(({ items }) => items);
  if (!folders) return <Note level={level}>{TEXTS.common.loading}</Note>;
  return (
    <>
      {folders.map((folder) => (
        <FolderNode key={folder.id} {...props} folder={folder} />
      ))}
      {query.hasNextPage && (
        <li role="none" style={{ paddingLeft: level * 16 }}>
          <Button size="small" variant="quiet" onClick={() => void query.fetchNextPage()}>
            {TEXTS.common.more}
          </Button>
        </li>
      )}
    </>
  );
}

function Note({ level, children }: { level: number; children: string }) {
  return (
    <li role="none" className="py-1 text-sm text-muted" style={{ paddingLeft: level * 16 + 12 }}>
      {children}
    </li>
  );
}

function FolderNode(props: Shared & { folder: Folder; level: number }) {
  const { folder, level, open, onPick, onDrop, menuOf, onKey } = props;
  const isOpen = open.has(folder.id);
  // Read ahead only when opened; a folder without folders then loses its arrow.
  const inside = useInfiniteQuery({ ...subfolders(folder.id), enabled: isOpen });
  const isLeaf = inside.data?.pages[0]?.total_count === 0;
  return (
    <TreeRow
      {...props}
      id={folder.id}
      name={folder.name}
      kind={isProject(folder) ? 'project' : 'folder'}
      count={folder.file_count}
      isOpen={isLeaf ? undefined : isOpen}
      onPick={() => onPick(folder)}
      onDrop={onDrop && ((dropped) => onDrop(dropped, folder.id))}
      menu={menuOf?.(folder)}
      onKey={onKey && ((key) => onKey(key, folder))}
    >
      {isOpen && !isLeaf && (
        <ul role="group" className="flex flex-col gap-px">
          <Branch {...props} parent={folder.id} level={level + 1} />
        </ul>
      )}
    </TreeRow>
  );
}

/** One row of the tree, and the rows in it. @param props.isOpen undefined if it cannot be opened */
export function TreeRow(
  props: Pick<Shared, 'current' | 'toggle' | 'tabStop'> & {
    id: string;
    name: string;
    kind: keyof typeof ICONS;
    level: number;
    count?: number;
    isOpen?: boolean | undefined;
    onPick: () => void;
    onDrop?: ((dropped: Dropped) => void) | undefined;
    menu?: ReactNode;
    onKey?: ((key: 'F2' | 'Delete') => void) | undefined;
    children?: ReactNode;
  },
) {
  const { id, name, kind, level, count, isOpen, current, tabStop, toggle, menu, onKey } = props;
  const label = useId();
  const { isOver, handlers } = useDrop(props.onDrop);
  const isCurrent = id === (current ?? 'all');
  const Icon = ICONS[kind];
  const onDragStart = (event: DragEvent) => {
    event.stopPropagation();
    dragFolder(event, id);
  };
  // Beside the rows in it, not around them: its name is the text that it has.
  return (
    <li role="none">
      <div
        {...handlers}
        role="treeitem"
        data-id={id}
        aria-labelledby={count ? `${label} ${label}-count` : label}
        aria-level={level}
        aria-expanded={isOpen}
        aria-selected={isCurrent}
        tabIndex={id === tabStop ? 0 : -1}
        onKeyDown={({ key, target, currentTarget }) => {
          if (target === currentTarget && (key === 'F2' || key === 'Delete')) onKey?.(key);
        }}
        draggable={kind === 'folder' && onKey !== undefined}
        onDragStart={onDragStart}
        className={`group/row flex h-9 items-center rounded-lg pr-1 text-sm focus-visible:-outline-offset-2 ${isOver ? 'bg-accent-soft ring-1 ring-accent ring-inset' : isCurrent ? 'bg-accent-soft font-medium' : 'hover:bg-sunken'}`}
        style={{ paddingLeft: (level - 1) * 16 }}
      >
        <span
          aria-hidden
          className="flex size-7 shrink-0 cursor-pointer items-center justify-center text-muted"
          onClick={() => isOpen !== undefined && toggle(id, !isOpen)}
        >
          {isOpen !== undefined && (
            <ChevronRight className={`size-4 transition-transform ${isOpen ? 'rotate-90' : ''}`} />
          )}
        </span>
        <span
          data-pick
          className="flex h-full min-w-0 grow cursor-pointer items-center gap-2"
          onClick={props.onPick}
        >
          <Icon aria-hidden className="size-4 shrink-0 text-muted" />
          <span id={label} className="truncate" title={name}>
            {name}
          </span>{' '}
          {count !== undefined && count > 0 && (
            <span id={`${label}-count`} className="ml-auto pl-1 text-xs font-normal text-muted tabular-nums">
              {formatNumber(count)}
            </span>
          )}
        </span>
        {menu}
      </div>
      {props.children}
    </li>
  );
}
