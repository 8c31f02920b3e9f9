import { lazyRouteComponent } from '@tanstack/react-router';
import type { LucideIcon } from 'lucide-react';
import type { DropdownMenu } from 'radix-ui';
import {
  cloneElement,
  startTransition,
  Suspense,
  useState,
  type ComponentProps,
  type ReactElement,
  type ReactNode,
} from 'react';
import { useMenuParts } from './menu-parts.ts';

const OpenMenu = lazyRouteComponent(() => import('./open-menu.tsx'), 'OpenMenu');
const preload = () => void OpenMenu.preload?.();

/** A menu that a button opens. Its code, a tenth of that of a page, is loaded when the button is approached. */
export function Menu({
  trigger,
  children,
}: {
  trigger: ReactElement<ComponentProps<'button'>>;
  children: ReactNode;
}) {
  const [openedBy, setOpenedBy] = useState<'keyboard' | 'pointer' | null>(null);
  // As a transition, so that the button stays until the code is there.
  const open = (by: typeof openedBy) => startTransition(() => setOpenedBy(by));
  const closed = cloneElement(trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerEnter: preload,
    onFocus: preload,
    onClick: ({ detail }) => open(detail === 0 ? 'keyboard' : 'pointer'),
    onKeyDown: ({ key }) => key === 'ArrowDown' && open('keyboard'),
  });
  return (
    <Suspense fallback={closed}>
      {openedBy === null ? (
        closed
      ) : (
        <OpenMenu trigger={trigger} byKeyboard={openedBy === 'keyboard'}>
          {children}
        </OpenMenu>
      )}
    </Suspense>
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
  const { Item } = useMenuParts();
  return (
    <Item {...rest} className={`${ITEM} ${danger ? 'text-bad' : ''}`}>
      {Icon && <Icon aria-hidden className="size-4" />}
      {children}
    </Item>
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
  const { Label, RadioGroup, RadioItem } = useMenuParts();
  return (
    <RadioGroup value={value} onValueChange={(next) => onChange(next as T)}>
      <Label className="px-2.5 pt-2 pb-1 text-xs font-medium text-muted">{label}</Label>
      {options.map(([option, text]) => (
        <RadioItem key={option} value={option} className={ITEM}>
          <span aria-hidden className="size-4 text-center">
            {option === value ? '●' : ''}
          </span>
          {text}
        </RadioItem>
      ))}
    </RadioGroup>
  );
}

export function MenuSeparator() {
  const { Separator } = useMenuParts();
  return <Separator className="my-1 h-px bg-line" />;
}
