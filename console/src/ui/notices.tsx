import { X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { messageOf } from '../lib/client.ts';
import { TEXTS } from '../texts.ts';
import { Button, IconButton } from './button.tsx';

interface Notice {
  id: number;
  text: string;
  isError: boolean;
  action: NoticeAction | undefined;
}

/** What a notice offers, such as to take back what it says was done. */
export interface NoticeAction {
  name: string;
  run: () => void;
}

const SHOWN_MS = 6000;
let notices: readonly Notice[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Notice[]): void {
  notices = next;
  for (const listener of listeners) listener();
}

const dismiss = (id: number) => change(notices.filter((notice) => notice.id !== id));

/** Shows a sentence for some seconds, and reads it out. */
export function notify(text: string, isError = false, action?: NoticeAction): void {
  lastId += 1;
  const id = lastId;
  change([...notices.slice(-3), { id, text, isError, action }]);
  setTimeout(() => dismiss(id), isError || action ? SHOWN_MS * 2 : SHOWN_MS);
}

/** Shows why an action failed; for `onError` of mutations. */
export const notifyError = (error: unknown): void => notify(messageOf(error), true);

/** Where notices appear; stands once in the page, from the beginning, so that screen readers announce what comes. */
export function Notices() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => notices,
  );
  return (
    <div
      role="status"
      aria-live="polite"
      className="fixed inset-x-4 bottom-4 z-50 flex flex-col items-end gap-2"
    >
      {shown.map(({ id, text, isError, action }) => (
        <div
          key={id}
          className={`flex max-w-md items-center gap-3 rounded-xl border px-4 py-2 shadow-lg ${isError ? 'border-bad/40 bg-bad-soft' : 'border-line bg-surface'}`}
        >
          <p className="wrap-anywhere">{text}</p>
          {action && (
            <Button
              size="small"
              onClick={() => {
                dismiss(id);
                action.run();
              }}
            >
              {action.name}
            </Button>
          )}
          <IconButton icon={X} label={TEXTS.common.dismiss} size="smallIcon" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
