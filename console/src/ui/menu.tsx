import type { LucideIcon } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useRef, useState, type ReactNode } from 'react';

/** A menu that a button opens. Not modal, because the library would style the page by elements that our policy refuses. */
export function Menu({ trigger, children }: { trigger: ReactNode; children: ReactNode }) {
  const button = useRef<HTMLButtonElement>(null);
  // Everything outside of an open dialog is inert.
  const [dialog, setDialog] = useState<HTMLElement | null>(null);
  return (
    <DropdownMenu.Root
      modal={false}
      onOpenChange={(isOpen) => isOpen && setDialog(button.current?.closest('dialog') ?? null)}
    >
      <DropdownMenu.Trigger asChild ref={button}>
        {trigger}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={dialog}>
        <DropdownMenu.Content
          align="end"
          sideOffset={6}
          collisionPadding={8}
          className="z-50 min-w-52 rounded-xl border border-line bg-surface p-1 text-ink shadow-xl"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

const ITEM =
  'flex h-9 cursor-pointer items-center gap-2 rounded-lg px-2.5 text-sm outline-none select-none data-disabled:opacity-50 data-highlighted:bg-sunken';

export function MenuItem({
  icon: Icon,
  danger = false,
  children,
  ...rest
}: DropdownMenu.DropdownMenuItemProps & { icon?: LucideIcon; danger?: boolean }) {
  return (
    <DropdownMenu.Item {...rest} className={`${ITEM} ${danger ? 'text-bad' : ''}`}>
      {Icon && <Icon aria-hidden className="size-4" />}
      {children}
    </DropdownMenu.Item>
  );
}

/** One of several choices, of which one is in force. */
export function MenuChoices<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: T;
  options: readonly (readonly [value: T, text: string])[];
  onChange: (value: T) => void;
}) {
  return (
    <DropdownMenu.RadioGroup value={value} onValueChange={(next) => onChange(next as T)}>
      <DropdownMenu.Label className="px-2.5 pt-2 pb-1 text-xs font-medium text-muted">
        {label}
      </DropdownMenu.Label>
      {options.map(([option, text]) => (
        <DropdownMenu.RadioItem key={option} value={option} className={ITEM}>
          <span aria-hidden className="size-4 text-center">
            {option === value ? '●' : ''}
          </span>
          {text}
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}

export function MenuSeparator() {
  return <DropdownMenu.Separator className="my-1 h-px bg-line" />;
}
