import { getRouteApi } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { useRef, useState, type KeyboardEvent, type SyntheticEvent } from 'react';
import { Button } from '../../ui/button.tsx';
import { SelectInput, TextArea } from '../../ui/field.tsx';
import { FilePicker } from '../../ui/file-picker.tsx';
import { FolderChoice } from '../shared/folder-choice.tsx';
import { ask } from './questions.ts';
import { ASK_TEXTS } from './texts.ts';

const texts = ASK_TEXTS;
const route = getRouteApi('/signed-in/ask');
const SCOPES = ['all', 'folder', 'documents'] as const;
type Scope = (typeof SCOPES)[number];
interface Folder {
  id: string;
  path: string;
}

/** The question and which documents it is asked. Enter asks, with Shift it starts a new line. */
export function AskForm() {
  const { document: given = [], folder: givenFolder } = route.useSearch();
  const [text, setText] = useState('');
  const [scope, setScope] = useState<Scope>(given.length > 0 ? 'documents' : givenFolder ? 'folder' : 'all');
  const [folder, setFolder] = useState<Folder | undefined>(
    givenFolder === undefined ? undefined : { id: givenFolder, path: texts.scopes.folder },
  );
  const [documents, setDocuments] = useState<string[]>(given);
  const [error, setError] = useState<string>();
  const area = useRef<HTMLFormElement>(null);

  const send = (event: SyntheticEvent) => {
    event.preventDefault();
    const question = text.trim();
    if (question === '') return setError(texts.needQuestion);
    if (scope === 'folder' && !folder) return setError(texts.needFolder);
    if (scope === 'documents' && documents.length === 0) return setError(texts.needDocuments);
    setError(undefined);
    setText('');
    if (scope === 'folder' && folder) return ask(question, { folder_id: folder.id }, folder.path);
    if (scope === 'documents') {
      return ask(question, { document_ids: documents }, texts.chosen(documents.length));
    }
    ask(question, {}, texts.scopes.all);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isComposing = event.nativeEvent.isComposing;
    if (event.key === 'Enter' && !event.shiftKey && !isComposing) area.current?.requestSubmit();
    if (event.key === 'Enter' && !event.shiftKey) event.preventDefault();
  };
  return (
    <form
      ref={area}
      noValidate
      onSubmit={send}
      className="flex flex-col gap-4 rounded-2xl border border-line bg-surface p-4 md:p-5"
    >
      <TextArea
        label={texts.question}
        rows={2}
        maxLength={2000}
        placeholder={texts.placeholder}
        error={error}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-44">
          <SelectInput
            label={texts.scope}
            value={scope}
            options={SCOPES.map((each) => [each, texts.scopes[each]] as const)}
            onChange={({ target }) => setScope(target.value as Scope)}
          />
        </div>
        {scope === 'folder' && (
          <FolderChoice
            label={texts.folder}
            none={texts.chooseFolder}
            value={folder?.id ?? ''}
            given={folder}
            onChoose={setFolder}
          />
        )}
        <Button type="submit" variant="primary" icon={Send} className="ml-auto">
          {texts.send}
        </Button>
      </div>
      {scope === 'documents' && (
        <FilePicker chosen={documents} media={['document', 'link']} onChange={setDocuments} />
      )}
    </form>
  );
}
