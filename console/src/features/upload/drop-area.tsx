import { FilePlus2, FolderPlus, Upload } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { chosenFiles, droppedFiles, linksOf, pastedFiles, type FoundFile } from './dropped-files.ts';
import { UPLOAD_TEXTS } from './texts.ts';

const texts = UPLOAD_TEXTS;

/** Takes files from drops and pastes anywhere on the page, and from the dialogs of the browser. */
export function DropArea({
  onFiles,
  onLinks,
}: {
  onFiles: (files: AsyncIterable<FoundFile> | Iterable<FoundFile>) => void;
  onLinks: (links: readonly string[]) => void;
}) {
  const [isOver, setOver] = useState(false);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const drop = useEffectEvent((event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (!event.dataTransfer) return;
    if (event.dataTransfer.files.length > 0) onFiles(droppedFiles(event.dataTransfer));
    else takeText(event.dataTransfer.getData('text/uri-list') || event.dataTransfer.getData('text/plain'));
  });
  const paste = useEffectEvent((event: ClipboardEvent) => {
    const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select');
    if (!event.clipboardData || isTyping) return;
    if (event.clipboardData.files.length > 0) onFiles(pastedFiles(event.clipboardData));
    else takeText(event.clipboardData.getData('text/plain'));
  });
  const takeText = (text: string) => {
    const { links } = linksOf(text);
    if (links.length > 0) onLinks(links);
  };
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const over = (event: DragEvent) => {
      event.preventDefault();
      setOver(true);
    };
    // Leaving the window has no target to go to.
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    document.addEventListener('dragover', over, { signal });
    document.addEventListener('dragleave', leave, { signal });
    document.addEventListener('drop', (event) => drop(event), { signal });
    document.addEventListener('paste', (event) => paste(event), { signal });
    return () => stop.abort();
  }, []);
  const choose = (input: HTMLInputElement) => {
    onFiles(chosenFiles([...(input.files ?? [])]));
    // So that the same file can be chosen again.
    input.value = '';
  };
  return (
    <div
      className={`flex flex-col items-center gap-4 rounded-2xl border-2 border-dashed px-4 py-10 text-center transition-colors ${isOver ? 'border-accent bg-accent-soft' : 'border-line bg-surface'}`}
    >
      <Upload aria-hidden className={`size-8 ${isOver ? 'text-accent' : 'text-muted'}`} />
      <div>
        <p className="text-lg font-medium">{isOver ? texts.dropNow : texts.drop}</p>
        <p className="text-muted">{texts.dropHint}</p>
      </div>
      <div className="flex flex-wrap justify-center gap-2">
        <Button variant="primary" icon={FilePlus2} onClick={() => files.current?.click()}>
          {texts.chooseFiles}
        </Button>
        <Button icon={FolderPlus} onClick={() => folder.current?.click()}>
          {texts.chooseFolder}
        </Button>
      </div>
      <input ref={files} type="file" multiple hidden onChange={({ target }) => choose(target)} />
      <input ref={folder} type="file" webkitdirectory="" hidden onChange={({ target }) => choose(target)} />
    </div>
  );
}
