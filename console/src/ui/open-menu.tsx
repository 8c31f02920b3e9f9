import { DropdownMenu } from 'radix-ui';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { MenuParts } from './menu-parts.ts';

/**
 * A menu and its button, from its first opening on. Not modal, because the library would style the page by elements that
 * our policy refuses.
 *
 * @param byKeyboard whether a key has opened it, so that its first entry gets the focus
 */
export function OpenMenu({
  trigger,
  byKeyboard,
  children,
}: {
  trigger: ReactNode;
  byKeyboard: boolean;
  children: ReactNode;
}) {
  const button = useRef<HTMLButtonElement>(null);
  // Everything outside of an open dialog is inert.
  const [dialog, setDialog] = useState<HTMLElement | null>(null);
  useEffect(() => {
    setDialog(button.current?.closest('dialog') ?? null);
    // The library has missed the key that was pressed.
    const key = new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true });
    if (byKeyboard) button.current?.dispatchEvent(key);
  }, [byKeyboard]);
  return (
    <DropdownMenu.Root modal={false} defaultOpen={!byKeyboard}>
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
          <MenuParts value={DropdownMenu}>{children}</MenuParts>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
