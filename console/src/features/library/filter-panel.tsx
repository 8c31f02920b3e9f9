import { X } from 'lucide-react';
import { useState, type KeyboardEvent } from 'react';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { SelectInput, TextInput } from '../../ui/field.tsx';
import { COMPLIANCE, countFilters, MEDIA, withoutFilters, type LibrarySearch } from './search-params.ts';

const texts = TEXTS.library;

export interface FilterProps {
  search: LibrarySearch;
  onChange: (search: LibrarySearch) => void;
}

/** The filters by medium, day, compliance and tags. */
export function FilterPanel({ search, onChange }: FilterProps) {
  const set = (change: Partial<LibrarySearch>) => onChange({ ...search, ...change });
  const media = search.media ?? [];
  return (
    <section
      id="filters"
      aria-label={texts.filters}
      className="flex flex-col gap-4 rounded-2xl border border-line bg-surface p-4"
    >
      <fieldset className="flex flex-wrap items-center gap-2">
        <legend className="mb-1 text-sm font-medium">{texts.medium}</legend>
        {MEDIA.map((medium) => {
          const isOn = media.includes(medium);
          const next = isOn ? media.filter((other) => other !== medium) : [...media, medium];
          return (
            <button
              key={medium}
              type="button"
              aria-pressed={isOn}
              onClick={() => set({ media: next.length > 0 ? next : undefined })}
              className="h-9 rounded-full border border-line px-3.5 text-sm hover:bg-sunken aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:font-medium"
            >
              {TEXTS.media[medium]}
            </button>
          );
        })}
      </fieldset>
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
