import type { DropdownMenu } from 'radix-ui';
import { createContext, useContext } from 'react';

/** The parts of the library of menus, which are loaded with the first menu that opens. */
export const MenuParts = createContext<typeof DropdownMenu | null>(null);

/** @throws Error outside of a menu */
export function useMenuParts(): typeof DropdownMenu {
  const parts = useContext(MenuParts);
  if (parts === null) throw new Error('a part of a menu stands outside of one');
  return parts;
}
