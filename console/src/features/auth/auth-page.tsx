import { useEffect, type ReactNode } from 'react';
import { TEXTS } from '../../texts.ts';

/** The frame of the pages for people who are not signed in. */
export function AuthPage({ title, intro, children }: { title: string; intro?: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · ${TEXTS.app.name}`;
  }, [title]);
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center gap-6 px-4 py-10">
      <p className="flex items-center gap-2.5 text-xl font-semibold tracking-tight">
        <img src="/console.svg" alt="" width={30} height={30} />
        {TEXTS.app.name}
      </p>
      <div className="flex w-full max-w-sm flex-col gap-4 rounded-2xl border border-line bg-surface p-6 shadow-sm">
        <h1 className="text-xl font-semibold">{title}</h1>
        {intro && <p className="-mt-2 text-muted">{intro}</p>}
        {children}
      </div>
    </main>
  );
}

/** The error of a whole form, announced when it appears. */
export function FormError({ message }: { message: string | undefined }) {
  return (
    <p role="alert" className={message ? 'rounded-lg bg-bad-soft px-3 py-2 text-sm text-bad' : 'sr-only'}>
      {message}
    </p>
  );
}
