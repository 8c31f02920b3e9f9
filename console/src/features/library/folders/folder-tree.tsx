import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import type { Dropped } from '../drag.ts';
import { LIBRARY_TEXTS } from '../texts.ts';
import { Branch, TreeRow, type TreeProps } from './folder-node.tsx';

const texts = LIBRARY_TEXTS;
/** Which folders are open, also for those who come back to the page. */
let lastOpen: ReadonlySet<string> = new Set();

/** Folders and projects as a tree with one tab stop: up and down move, right and left open and close. */
export function FolderTree(props: TreeProps) {
  const { current, isTarget = false, onPick, onDrop } = props;
  const [open, setOpen] = useState(lastOpen);
  const [focused, setFocused] = useState<string>();
  const toggle = (id: string, isOpen: boolean) => {
    const next = new Set(open);
    if (isOpen) next.add(id);
    else next.delete(id);
    lastOpen = next;
    setOpen(next);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const item = (event.target as HTMLElement).closest<HTMLElement>('[role=treeitem]');
    if (!item || item !== event.target) return;
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=treeitem]')];
    const at = items.indexOf(item);
    const id = item.dataset['id'] ?? '';
    const parent = item.closest('[role=group]')?.previousElementSibling as HTMLElement | null | undefined;
    const inside = item.nextElementSibling?.querySelector<HTMLElement>('[role=treeitem]');
    const isOpen = item.ariaExpanded === 'true';
    const go = (to: HTMLElement | null | undefined) => to?.focus();
    if (event.key === 'ArrowDown') go(items[at + 1]);
    else if (event.key === 'ArrowUp') go(items[at - 1]);
    else if (event.key === 'Home') go(items[0]);
    else if (event.key === 'End') go(items.at(-1));
    else if (event.key === 'ArrowRight' && item.ariaExpanded === 'false') toggle(id, true);
    else if (event.key === 'ArrowRight' && isOpen) go(inside);
    else if (event.key === 'ArrowLeft' && isOpen) toggle(id, false);
    else if (event.key === 'ArrowLeft') go(parent);
    else if (event.key === 'Enter' || event.key === ' ')
      item.querySelector<HTMLElement>('[data-pick]')?.click();
    else return;
    event.preventDefault();
  };
  // One tab stop: where the focus was, else the current place, else the first, because either may be in a closed folder.
  const first = isTarget ? 'root' : 'all';
  const wanted = focused ?? current ?? first;
  const tree = useRef<HTMLUListElement>(null);
  const [isShown, setShown] = useState(true);
  useEffect(() => {
    const check = () => setShown(tree.current?.querySelector(`[data-id="${wanted}"]`) != null);
    check();
    const observer = new MutationObserver(check);
    if (tree.current) observer.observe(tree.current, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [wanted]);
  const tabStop = isShown ? wanted : first;
  const row = { current, toggle, tabStop };
  const drop = onDrop && ((dropped: Dropped) => onDrop(dropped, null));
  return (
    <ul
      ref={tree}
      role="tree"
      aria-label={texts.folders}
      className="flex flex-col gap-px"
      onKeyDown={onKeyDown}
      onFocus={({ target }) =>
        setFocused(target.closest<HTMLElement>('[role=treeitem]')?.dataset['id'] ?? focused)
      }
    >
      {!isTarget && (
        <TreeRow {...row} id="all" name={texts.all} kind="all" level={1} onPick={() => onPick('all')} />
      )}
      <TreeRow
        {...row}
        id="root"
        name={texts.noFolder}
        kind="root"
        level={1}
        onPick={() => onPick('root')}
        onDrop={drop}
      />
      <Branch {...props} {...row} open={open} parent="root" level={1} />
    </ul>
  );
}
