import { ArrowDown, ArrowUp, LayoutGrid, List, SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { SelectInput } from '../../ui/field.tsx';
import { FilterPanel, type FilterProps } from './filter-panel.tsx';
import type { View } from './list-geometry.ts';
import { SearchBox } from './search-box.tsx';
import { countFilters, SORTS } from './search-params.ts';
import { LIBRARY_TEXTS } from './texts.ts';

const texts = LIBRARY_TEXTS;
const KEY = 'darkroom.library.view';

/** The view that this browser showed last. */
export function useView() {
  const [view, setView] = useState<View>(() => (localStorage.getItem(KEY) === 'list' ? 'list' : 'grid'));
  const change = (next: View) => {
    localStorage.setItem(KEY, next);
    setView(next);
  };
  return [view, change] as const;
}

/** Search, filters, order, and the switch between grid and list. */
export function Toolbar({
  search,
  onChange,
  onSearch,
  view,
  onView,
  hasFilters = true,
}: FilterProps & {
  onSearch: (q: string | undefined) => void;
  view: View;
  onView: (view: View) => void;
  hasFilters?: boolean;
}) {
  const count = countFilters(search);
  const [isOpen, setOpen] = useState(count > 0);
  const { q, sort, order = 'desc' } = search;
  const orders = SORTS.map((name) => [name, texts.sorts[name]] as const);
  const Arrow = order === 'desc' ? ArrowDown : ArrowUp;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <SearchBox
          value={q ?? ''}
          label={hasFilters ? texts.search : texts.searchTrash}
          placeholder={hasFilters ? texts.searchPlaceholder : texts.searchTrash}
          onSearch={onSearch}
        />
        <div className="flex min-w-0 items-center gap-2 max-sm:w-full">
          {hasFilters && (
            <Button
              icon={SlidersHorizontal}
              aria-expanded={isOpen}
              aria-controls={isOpen ? 'filters' : undefined}
              className="h-11! max-sm:px-3!"
              onClick={() => setOpen(!isOpen)}
            >
              <span className="max-sm:sr-only">{count > 0 ? texts.filtersOn(count) : texts.filters}</span>
            </Button>
          )}
          <div className="flex min-w-0 grow items-center gap-1">
            <SelectInput
              label={texts.sortBy}
              hideLabel
              value={sort ?? (q ? '' : 'created_at')}
              options={q ? [['', texts.byRelevance], ...orders] : orders}
              onChange={({ target }) =>
                onChange({ ...search, sort: SORTS.find((name) => name === target.value) })
              }
            />
            <IconButton
              icon={Arrow}
              label={texts.orders[order]}
              disabled={q !== undefined && sort === undefined}
              onClick={() => onChange({ ...search, order: order === 'desc' ? 'asc' : undefined })}
            />
          </div>
          <div role="group" aria-label={texts.view} className="flex rounded-lg border border-line p-0.5">
            {(['grid', 'list'] as const).map((name) => (
              <IconButton
                key={name}
                size="smallIcon"
                icon={name === 'grid' ? LayoutGrid : List}
                label={texts.views[name]}
                aria-pressed={view === name}
                className="aria-pressed:bg-accent-soft aria-pressed:text-accent"
                onClick={() => onView(name)}
              />
            ))}
          </div>
        </div>
      </div>
      {hasFilters && isOpen && <FilterPanel search={search} onChange={onChange} />}
    </div>
  );
}
