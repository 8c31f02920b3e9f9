import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { client } from '../../lib/client.ts';
import { CheckboxInput, SelectInput, TextInput } from '../../ui/field.tsx';
import { Card } from '../../ui/page.tsx';
import { UPLOAD_TEXTS } from './texts.ts';
import type { ContentCategory, Destination } from './upload-item.ts';

const texts = UPLOAD_TEXTS;
/** Suggestions beyond it would be of no use; any folder can be typed. */
const MOST_SUGGESTIONS = 500;
const CATEGORIES = Object.keys(texts.categories) as ContentCategory[];

/** What the user types; `destinationOf` turns it into a destination. */
export interface DestinationDraft extends Omit<Destination, 'tags'> {
  tags: string;
}

export const EMPTY_DRAFT: DestinationDraft = {
  projectId: '',
  folder: '',
  tags: '',
  category: '',
  describe: true,
};

export const destinationOf = (draft: DestinationDraft): Destination => ({
  ...draft,
  folder: draft.folder
    .split('/')
    .map((name) => name.trim())
    .filter(Boolean)
    .join('/'),
  tags: tagsOf(draft.tags),
});

const tagsOf = (text: string) => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
];

/** Why the tags would be refused; undefined if they are fine. */
export function tagsError(text: string): string | undefined {
  const tags = tagsOf(text);
  return tags.length > 40 || tags.some((tag) => tag.length > 50) ? texts.tooManyTags : undefined;
}

async function collect<T>(entries: AsyncIterable<T>): Promise<T[]> {
  const some: T[] = [];
  for await (const entry of entries) if (some.push(entry) === MOST_SUGGESTIONS) break;
  return some;
}

/** Project, folder, tags and content of the files that are added next. */
export function DestinationFields({
  draft,
  onChange,
}: {
  draft: DestinationDraft;
  onChange: (draft: DestinationDraft) => void;
}) {
  const listId = useId();
  const { projectId } = draft;
  const projects = useQuery({
    queryKey: ['projects', 'active'],
    queryFn: () => collect(client.list('/projects', { query: { archived: false, limit: 100 } })),
  });
  const folders = useQuery({
    queryKey: ['folders', 'suggestions', projectId],
    queryFn: () =>
      collect(
        client.list('/folders', { query: { limit: 100, ...(projectId && { project_id: projectId }) } }),
      ),
  });
  const project = projects.data?.find(({ id }) => id === projectId);
  const set = (change: Partial<DestinationDraft>) => onChange({ ...draft, ...change });
  return (
    <Card title={texts.destination}>
      <div className="flex flex-col gap-4">
        <p className="-mt-2 text-sm text-muted">{texts.destinationHint}</p>
        <SelectInput
          label={texts.project}
          value={projectId}
          options={[
            ['', texts.noProject],
            ...(projects.data ?? []).map(({ id, name }) => [id, name] as const),
          ]}
          onChange={({ target }) => set({ projectId: target.value })}
        />
        <TextInput
          label={texts.folder}
          hint={texts.folderHint}
          optional
          list={listId}
          value={draft.folder}
          onChange={({ target }) => set({ folder: target.value })}
        />
        <datalist id={listId}>
          {folders.data
            ?.filter(({ id, project_id: of }) => id !== project?.root_folder_id && (of ?? '') === projectId)
            .map(({ id, path }) => (
              <option
                key={id}
                value={path
                  .split('/')
                  .slice(project ? 2 : 1)
                  .join('/')}
              />
            ))}
        </datalist>
        <TextInput
          label={texts.tags}
          hint={texts.tagsHint}
          error={tagsError(draft.tags)}
          optional
          value={draft.tags}
          onChange={({ target }) => set({ tags: target.value })}
        />
        <SelectInput
          label={texts.category}
          value={draft.category}
          options={[
            ['', texts.categoryDefault],
            ...CATEGORIES.map((category) => [category, texts.categories[category]] as const),
          ]}
          onChange={({ target }) => set({ category: target.value as ContentCategory | '' })}
        />
        <CheckboxInput
          label={texts.describe}
          hint={texts.describeHint}
          checked={draft.describe}
          onChange={({ target }) => set({ describe: target.checked })}
        />
      </div>
    </Card>
  );
}
