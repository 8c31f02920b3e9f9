import { X } from 'lucide-react';
import { useId, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { TEXTS } from '../texts.ts';
import { Button, IconButton } from './button.tsx';

/**
 * A modal dialog. The element of the platform keeps the focus inside, gives it back, closes on Escape and makes the rest
 * of the page inert.
 */
export function Dialog({
  open,
  onClose,
  title,
  children,
  wide = false,
  side = false,
}: {
  open: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
  wide?: boolean;
  /** A drawer at the left edge. */
  side?: boolean;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  // What is not shown yet cannot take the focus: a field with `autoFocus` is added to the open dialog.
  const [isShown, setShown] = useState(false);
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (open && dialog && !dialog.open) dialog.showModal();
    if (!open) dialog?.close();
    setShown(open);
  }, [open]);
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      // The library passes the event of a dialog on to the dialog around it.
      onClose={(event) => event.target === ref.current && onClose()}
      onClick={(event) => event.target === ref.current && onClose()}
      className={`${side ? 'mr-auto h-dvh max-h-none max-w-80 border-r' : `m-auto max-h-[calc(100dvh-2rem)] rounded-2xl border ${wide ? 'max-w-4xl' : 'max-w-lg'}`} w-[calc(100vw-2rem)] border-line bg-surface p-0 text-ink shadow-2xl`}
    >
      {open && (
        <div className="flex flex-col gap-4 p-5">
          <header className="flex items-center justify-between gap-4">
            <h2 id={id} className="text-lg font-semibold">
              {title}
            </h2>
            <IconButton icon={X} label={TEXTS.common.close} onClick={onClose} size="smallIcon" />
          </header>
          {isShown && children}
        </div>
      )}
    </dialog>
  );
}

/** Asks before something that cannot be taken back. */
export function ConfirmDialog({
  open,
  onClose,
  onConfirm,
  title,
  children,
  action,
  keep = TEXTS.common.cancel,
  busy = false,
  danger = true,
}: {
  open: boolean;
  onClose: () => void;
  onConfirm: () => void;
  title: string;
  children: ReactNode;
  /** The text of the button that does it. */
  action: string;
  /** The text of the button that leaves everything as it is. */
  keep?: string;
  busy?: boolean;
  danger?: boolean;
}) {
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      <div className="text-muted">{children}</div>
      <DialogActions>
        <Button onClick={onClose}>{keep}</Button>
        <Button variant={danger ? 'danger' : 'primary'} busy={busy} onClick={onConfirm}>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** The buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <footer className="flex flex-wrap justify-end gap-2 pt-2">{children}</footer>;
}
