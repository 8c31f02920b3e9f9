import { Link } from '@tanstack/react-router';
import { File as FileIcon, Link as LinkIcon, RotateCw, X } from 'lucide-react';
import { formatBytes } from '../../lib/format.ts';
import { IconButton } from '../../ui/button.tsx';
import { Badge, ProgressBar } from '../../ui/status.tsx';
import { UPLOAD_TEXTS } from './texts.ts';
import { isOpen, type UploadItem, type UploadState } from './upload-item.ts';
import type { UploadSender } from './upload-sender.ts';

const texts = UPLOAD_TEXTS;
const TONES = {
  pending: 'bg-sunken text-muted',
  uploading: 'bg-busy-soft text-busy',
  processing: 'bg-busy-soft text-busy',
  completed: 'bg-good-soft text-good',
  partially_completed: 'bg-warn-soft text-warn',
  failed: 'bg-bad-soft text-bad',
  duplicate: 'bg-warn-soft text-warn',
  refused: 'bg-bad-soft text-bad',
  cancelled: 'bg-sunken text-muted',
} as const satisfies Record<UploadState, string>;

/** One file or link: its name, where it goes, how far it is, and what can be done with it. */
export function UploadRow({ item, sender }: { item: UploadItem; sender: UploadSender }) {
  const { id, name, kind, state, fileId } = item;
  const Icon = kind === 'link' ? LinkIcon : FileIcon;
  return (
    <div className="flex items-center gap-3 px-3 py-2.5">
      <Icon aria-hidden className="size-4 shrink-0 text-muted" />
      <div className="flex min-w-0 grow flex-col items-start gap-1 sm:flex-row sm:items-center sm:gap-3">
        <div className="w-full min-w-0 grow">
          {fileId ? (
            <Link
              to="/files/$fileId"
              params={{ fileId }}
              className="block truncate font-medium hover:underline"
            >
              {name}
            </Link>
          ) : (
            <p className="truncate font-medium" title={name}>
              {name}
            </p>
          )}
          <div className="flex min-h-5 items-center gap-2 text-sm text-muted">
            <Detail item={item} />
          </div>
        </div>
        <Badge tone={TONES[state]}>{texts.states[state]}</Badge>
      </div>
      <div className="flex w-8 shrink-0 justify-end">
        {isOpen(item) && (
          <IconButton
            icon={X}
            size="smallIcon"
            label={texts.cancel(name)}
            onClick={() => sender.cancel([id])}
          />
        )}
        {state === 'refused' && item.canRetry && (
          <IconButton
            icon={RotateCw}
            size="smallIcon"
            label={texts.retry(name)}
            onClick={() => sender.retry([id])}
          />
        )}
      </div>
    </div>
  );
}

function Detail({ item }: { item: UploadItem }) {
  const { name, kind, state, folder, size, sent, reason, existingName, fileId } = item;
  if (state === 'uploading') {
    const isKnown = kind === 'file' && sent > 0;
    return (
      <>
        <div className="w-24 shrink-0 sm:w-48">
          <ProgressBar label={texts.progressOf(name)} value={isKnown ? sent : undefined} max={size} />
        </div>
        {kind === 'file' && (
          <span className="truncate">
            {sent > 0 ? texts.of(formatBytes(sent), formatBytes(size)) : texts.reading(formatBytes(size))}
          </span>
        )}
      </>
    );
  }
  if (reason !== undefined) {
    return <span className="wrap-anywhere text-bad">{reason}</span>;
  }
  if (state === 'duplicate' && fileId) {
    return (
      <span className="wrap-anywhere">
        {existingName === undefined ? texts.existingUnnamed : texts.existing(existingName)}{' '}
        <Link to="/files/$fileId" params={{ fileId }} className="text-accent underline">
          {texts.openFile}
        </Link>
      </span>
    );
  }
  const facts = [kind === 'link' ? texts.link : formatBytes(size), folder];
  return <span className="truncate">{facts.filter(Boolean).join(' · ')}</span>;
}
