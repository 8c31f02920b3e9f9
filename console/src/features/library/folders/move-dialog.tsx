import { useState } from 'react';
import { TEXTS } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { LIBRARY_TEXTS } from '../texts.ts';
import type { Place } from './folder-node.tsx';
import { FolderTree } from './folder-tree.tsx';

const texts = LIBRARY_TEXTS;

/** Asks for a folder to move something to. @param props.onPick gets its id; null for no folder */
export function MoveDialog({
  open,
  title,
  onClose,
  onPick,
}: {
  open: boolean;
  title: string;
  onClose: () => void;
  onPick: (folder: string | null) => void;
}) {
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      <Choice onClose={onClose} onPick={onPick} />
    </Dialog>
  );
}

function Choice({ onClose, onPick }: { onClose: () => void; onPick: (folder: string | null) => void }) {
  const [place, setPlace] = useState<Exclude<Place, 'all'>>('root');
  return (
    <>
      <div className="max-h-[50dvh] overflow-y-auto rounded-xl border border-line p-1.5">
        <FolderTree
          isTarget
          current={place === 'root' ? 'root' : place.id}
          onPick={(next) => next !== 'all' && setPlace(next)}
        />
      </div>
      <p aria-live="polite" className="text-sm text-muted">
        {texts.moveTarget(place === 'root' ? texts.noFolder : place.path)}
      </p>
      <DialogActions>
        <Button onClick={onClose}>{TEXTS.common.cancel}</Button>
        <Button variant="primary" onClick={() => onPick(place === 'root' ? null : place.id)}>
          {texts.move}
        </Button>
      </DialogActions>
    </>
  );
}
