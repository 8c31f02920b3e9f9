import { Tabs as Radix } from 'radix-ui';
import { useEffect, useRef, type ReactNode } from 'react';

/** Tabs, of which one is shown. @param tabs id, name and content of each */
export function Tabs<T extends string>({
  label,
  value,
  onChange,
  tabs,
}: {
  /** What the tabs are about, for screen readers. */
  label: string;
  value: T;
  onChange: (value: T) => void;
  tabs: readonly { id: T; name: string; content: ReactNode }[];
}) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const current = list.current?.querySelector('[data-state=active]');
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [value]);
  return (
    <Radix.Root value={value} onValueChange={(next) => onChange(next as T)} className="flex flex-col gap-4">
      <Radix.List ref={list} aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line">
        {tabs.map(({ id, name }) => (
          <Radix.Trigger
            key={id}
            value={id}
            className="-mb-px -outline-offset-2 h-10 shrink-0 border-b-2 border-transparent px-3 text-muted hover:text-ink data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-ink"
          >
            {name}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map(({ id, content }) => (
        <Radix.Content key={id} value={id} className="outline-offset-4">
          {content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
