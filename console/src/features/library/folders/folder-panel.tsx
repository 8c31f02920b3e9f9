import { CalendarClock, EllipsisVertical, FolderInput, FolderPlus, Pencil, Plus, Trash2 } from 'lucide-react';
import { lazyRouteComponent } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../../lib/session.ts';
import { TEXTS } from '../../../texts.ts';
import { IconButton } from '../../../ui/button.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { notifyError } from '../../../ui/notices.tsx';
import type { Dropped } from '../drag.ts';
import { Later } from '../../../ui/later.tsx';
import { LIBRARY_TEXTS } from '../texts.ts';
import { isProject, useFolderChange, type Folder, type FolderTask } from './folder-queries.ts';
import type { Place } from './folder-node.tsx';
import { FolderTree } from './folder-tree.tsx';

const texts = LIBRARY_TEXTS;
const FolderDialogs = lazyRouteComponent(() => import('./folder-dialogs.tsx'), 'FolderDialogs');

/** The tree of folders and projects with what can be done with them. */
export function FolderPanel({
  current,
  onPick,
  onDropFiles,
}: {
  current: string | undefined;
  onPick: (place: Place) => void;
  onDropFiles: (ids: string[], folder: string | null) => void;
}) {
  const mayEdit = useMay('editor');
  const mayErase = useMay('admin');
  const [task, setTask] = useState<FolderTask | null>(null);
  const change = useFolderChange();
  const onDrop = (dropped: Dropped, folder: string | null) => {
    if ('files' in dropped) onDropFiles(dropped.files, folder);
    else if (dropped.folder !== folder)
      change.mutate({ do: 'move', id: dropped.folder, parent: folder }, { onError: notifyError });
  };
  const menuOf = (folder: Folder) => (
    <Menu
      trigger={
        <IconButton
          size="smallIcon"
          icon={EllipsisVertical}
          label={texts.actionsFor(folder.name)}
          className="size-7! shrink-0 opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100 data-[state=open]:opacity-100 pointer-coarse:opacity-100 focus-visible:opacity-100"
        />
      }
    >
      <MenuItem icon={FolderPlus} onSelect={() => setTask({ do: 'create', parent: folder })}>
        {texts.newFolderIn}
      </MenuItem>
      <MenuItem icon={Pencil} onSelect={() => setTask({ do: 'rename', folder })}>
        {texts.rename}
      </MenuItem>
      {!isProject(folder) && (
        <MenuItem icon={FolderInput} onSelect={() => setTask({ do: 'move', folder })}>
          {texts.moveTo}
        </MenuItem>
      )}
      {mayErase && (
        <MenuItem icon={CalendarClock} onSelect={() => setTask({ do: 'retention', folder })}>
          {TEXTS.retention.title}
        </MenuItem>
      )}
      <MenuItem icon={Trash2} danger onSelect={() => setTask({ do: 'delete', folder })}>
        {TEXTS.common.delete}
      </MenuItem>
    </Menu>
  );
  return (
    <section aria-labelledby="folders-title">
      <header className="mb-1 flex h-9 items-center justify-between pl-2">
        <h2 id="folders-title" className="text-sm font-semibold">
          {texts.folders}
        </h2>
        {mayEdit && (
          <Menu trigger={<IconButton size="smallIcon" icon={Plus} label={texts.newOne} />}>
            <MenuItem onSelect={() => setTask({ do: 'create', parent: null })}>{texts.newFolder}</MenuItem>
            <MenuItem onSelect={() => setTask({ do: 'create-project' })}>{texts.newProject}</MenuItem>
          </Menu>
        )}
      </header>
      <FolderTree
        current={current}
        onPick={onPick}
        {...(mayEdit && {
          onDrop,
          menuOf,
          onKey: (key: 'F2' | 'Delete', folder: Folder) =>
            setTask({ do: key === 'F2' ? 'rename' : 'delete', folder }),
        })}
      />
      <Later when={task !== null}>
        <FolderDialogs
          task={task}
          onClose={() => setTask(null)}
          onDeleted={({ id }) => id === current && onPick('all')}
        />
      </Later>
    </section>
  );
}
