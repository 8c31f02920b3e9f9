import { Search, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { LIBRARY_TEXTS } from './texts.ts';

const DELAY_MS = 250;
const texts = LIBRARY_TEXTS;

/**
 * A search that runs as one types. The key `/` leads to it from anywhere on the page.
 *
 * @param value    the search of the address
 * @param onSearch gets undefined for none
 */
export function SearchBox({
  value,
  label,
  placeholder,
  onSearch,
}: {
  value: string;
  label: string;
  placeholder: string;
  onSearch: (q: string | undefined) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [text, setText] = useState(value);
  const [sent, setSent] = useState(value);
  // The address has changed by itself, as by going back.
  if (sent !== value.trim() && value !== sent) {
    setSent(value);
    setText(value);
  }
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const target = event.target as Element;
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
      if (target.closest('input, textarea, select, [contenteditable], dialog')) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);
  useEffect(() => () => clearTimeout(timer.current), []);
  const search = (next: string, delay = DELAY_MS) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      setSent(next.trim());
      onSearch(next.trim() || undefined);
    }, delay);
  };
  return (
    <search className="relative min-w-0 grow basis-64">
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-3 size-4.5 -translate-y-1/2 text-muted"
      />
      <input
        ref={input}
        type="text"
        enterKeyHint="search"
        autoComplete="off"
        spellCheck={false}
        maxLength={1000}
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={placeholder}
        value={text}
        onChange={({ target }) => search(target.value)}
        onKeyDown={({ key }) => {
          if (key === 'Enter') search(text, 0);
          if (key === 'Escape' && text) search('', 0);
        }}
        className="h-11 w-full rounded-xl border border-strong-line bg-surface pr-11 pl-10 text-ink placeholder:text-muted"
      />
      {text && (
        <span className="absolute top-1/2 right-1.5 -translate-y-1/2">
          <IconButton
            size="smallIcon"
            icon={X}
            label={texts.clearSearch}
            onClick={() => {
              search('', 0);
              input.current?.focus();
            }}
          />
        </span>
      )}
    </search>
  );
}
