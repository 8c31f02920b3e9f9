import { useSyncExternalStore } from 'react';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'darkroom.theme';
const dark = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

const read = (): Theme => THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'system';

function apply(): void {
  const theme = read();
  document.documentElement.dataset['theme'] = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
  for (const listener of listeners) listener();
}

/** Applies the stored appearance, now and whenever that of the system changes. */
export function startTheme(): void {
  dark.addEventListener('change', apply);
  apply();
}

export function setTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  apply();
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, read);
}
