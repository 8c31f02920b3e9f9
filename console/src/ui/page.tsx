import type { LucideIcon } from 'lucide-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { ApiError } from 'darkroom-client';
import { messageOf } from '../lib/client.ts';
import { TEXTS } from '../texts.ts';
import { Button } from './button.tsx';

/** A page: its title for the browser and for people, its actions, its content. Moves the focus to the title. */
export function Page({
  title,
  actions,
  children,
  full = false,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
  /** Without the widest measure of text pages. */
  full?: boolean;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${TEXTS.app.name}`;
  }, [title]);
  useEffect(() => {
    // Only after a navigation: the page that was opened first starts at its beginning, as any other.
    if (navigated) heading.current?.focus({ preventScroll: true });
    navigated = true;
  }, []);
  return (
    <div
      className={`mx-auto flex w-full flex-col gap-5 px-4 py-5 md:px-8 md:py-7 ${full ? '' : 'max-w-5xl'}`}
    >
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h1
          ref={heading}
          tabIndex={-1}
          className="text-2xl font-semibold tracking-tight outline-none wrap-anywhere"
        >
          {title}
        </h1>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
let navigated = false;

/** A part of a page with a frame. */
export function Card({
  title,
  actions,
  children,
}: {
  title?: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="rounded-2xl border border-line bg-surface p-4 md:p-5">
      {(title ?? actions) && (
        <header className="mb-3 flex flex-wrap items-center justify-between gap-2">
          {title && <h2 className="text-base font-semibold">{title}</h2>}
          {actions}
        </header>
      )}
      {children}
    </section>
  );
}

/** What stands where there is nothing yet, and what to do about it. */
export function Empty({
  icon: Icon,
  title,
  children,
}: {
  icon: LucideIcon;
  title: string;
  children?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center gap-3 rounded-2xl border border-dashed border-line px-6 py-14 text-center">
      <Icon aria-hidden className="size-8 text-muted" />
      <p className="font-medium">{title}</p>
      {children && <div className="max-w-prose text-muted">{children}</div>}
    </div>
  );
}

/** An error with the words of the API, its request id, and a way to try again. */
export function ErrorNote({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const id = error instanceof ApiError ? error.requestId : undefined;
  return (
    <div role="alert" className="rounded-xl border border-bad/40 bg-bad-soft px-4 py-3 text-bad">
      <p className="font-medium">{TEXTS.errors.title}</p>
      <p className="text-ink">{messageOf(error)}</p>
      {id && <p className="mt-1 font-mono text-xs text-muted">{TEXTS.errors.request(id)}</p>}
      {onRetry && (
        <Button size="small" className="mt-2" onClick={onRetry}>
          {TEXTS.common.retry}
        </Button>
      )}
    </div>
  );
}

/** Lines in the shape of what is being loaded. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div role="status" aria-label={TEXTS.common.loading} className="flex animate-pulse flex-col gap-3">
      {Array.from({ length: lines }, (_, line) => (
        <div
          key={line}
          className="h-5 rounded-md bg-sunken"
          style={{ width: `${90 - ((line * 17) % 40)}%` }}
        />
      ))}
    </div>
  );
}

/** Reads the next page of a list, while there is one. */
export function MoreButton({
  list,
  label = TEXTS.common.more,
}: {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
  label?: string;
}) {
  if (!list.hasNextPage) return null;
  return (
    <Button className="self-center" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
      {label}
    </Button>
  );
}
