import { X } from 'lucide-react';
import { useState, type KeyboardEvent } from 'react';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { SelectInput, TextInput } from '../../ui/field.tsx';
import {
  COMPLIANCE,
  countFilters,
  FAILURES,
  MEDIA,
  STATUSES,
  withoutFilters,
  type LibrarySearch,
} from './search-params.ts';
import { LIBRARY_TEXTS } from './texts.ts';

const texts = LIBRARY_TEXTS;

export interface FilterProps {
  search: LibrarySearch;
  onChange: (search: LibrarySearch) => void;
}

/** The filters by medium, status, day, compliance and tags. */
export function FilterPanel({ search, onChange }: FilterProps) {
  const set = (change: Partial<LibrarySearch>) => onChange({ ...search, ...change });
  return (
    <section
      id="filters"
      aria-label={texts.filters}
      className="flex flex-col gap-4 rounded-2xl border border-line bg-surface p-4"
    >
      <Toggles
        legend={texts.medium}
        options={MEDIA}
        names={TEXTS.media}
        on={search.media ?? []}
        onChange={(media) => set({ media })}
      />
      <Toggles
        legend={texts.status}
        options={STATUSES}
        names={TEXTS.status}
        on={search.status ?? []}
        onChange={(status) => set({ status })}
      />
      <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-4">
        <TextInput
          label={texts.from}
          type="date"
          value={search.from ?? ''}
          max={search.to}
          onChange={({ target }) => set({ from: target.value || undefined })}
        />
        <TextInput
          label={texts.to}
          type="date"
          value={search.to ?? ''}
          min={search.from}
          onChange={({ target }) => set({ to: target.value || undefined })}
        />
        <SelectInput
          label={texts.failure}
          value={search.failure ?? ''}
          onChange={({ target }) => set({ failure: FAILURES.find((value) => value === target.value) })}
          options={[['', texts.any], ...FAILURES.map((value) => [value, TEXTS.failureKinds[value]] as const)]}
        />
        <SelectInput
          label={texts.compliance}
          value={search.compliance ?? ''}
          onChange={({ target }) => set({ compliance: COMPLIANCE.find((value) => value === target.value) })}
          options={[
            ['', texts.any],
            ...COMPLIANCE.map((value) => [value, texts.complianceOf[value]] as const),
          ]}
        />
        <TagFilter search={search} onChange={onChange} />
      </div>
      {countFilters(search) > 0 && (
        <Button size="small" className="self-start" onClick={() => onChange(withoutFilters(search))}>
          {texts.clearFilters}
        </Button>
      )}
    </section>
  );
}

/** Values of which any number can be on. @param onChange gets undefined when the last one is switched off */
function Toggles<T extends string>({
  legend,
  options,
  names,
  on,
  onChange,
}: {
  legend: string;
  options: readonly T[];
  names: Readonly<Record<T, string>>;
  on: readonly T[];
  onChange: (on: T[] | undefined) => void;
}) {
  return (
    <fieldset className="flex flex-wrap items-center gap-2">
      <legend className="mb-1 text-sm font-medium">{legend}</legend>
      {options.map((option) => {
        const isOn = on.includes(option);
        const next = isOn ? on.filter((other) => other !== option) : [...on, option];
        return (
          <button
            key={option}
            type="button"
            aria-pressed={isOn}
            onClick={() => onChange(next.length > 0 ? next : undefined)}
            className="h-9 rounded-full border border-line px-3.5 text-sm hover:bg-sunken aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:font-medium"
          >
            {names[option]}
          </button>
        );
      })}
    </fieldset>
  );
}

function TagFilter({ search, onChange }: FilterProps) {
  const [text, setText] = useState('');
  const tags = search.tags ?? [];
  const set = (next: string[]) => onChange({ ...search, tags: next.length > 0 ? next : undefined });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || text.trim() === '') return;
    event.preventDefault();
    set([...new Set([...tags, text.trim()])]);
    setText('');
  };
  return (
    <div className="flex flex-col gap-2">
      <TextInput
        label={texts.withTags}
        hint={texts.withTagsHint}
        value={text}
        maxLength={50}
        autoComplete="off"
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
      />
      {tags.length > 0 && (
        <ul className="flex flex-wrap gap-1.5">
          {tags.map((tag) => (
            <li key={tag}>
              <button
                type="button"
                aria-label={texts.removeTag(tag)}
                onClick={() => set(tags.filter((other) => other !== tag))}
                className="flex h-7 items-center gap-1 rounded-full bg-accent-soft pr-1.5 pl-2.5 text-sm"
              >
                {tag} <X aria-hidden className="size-3.5" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
