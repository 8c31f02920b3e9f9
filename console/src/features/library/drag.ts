import { useState, type DragEvent } from 'react';

const FILES = 'application/x-darkroom-files';
const FOLDER = 'application/x-darkroom-folder';

/** What was dropped on a folder. */
export type Dropped = { files: string[] } | { folder: string };

export function dragFiles(event: DragEvent, ids: readonly string[]): void {
  event.dataTransfer.setData(FILES, JSON.stringify(ids));
  event.dataTransfer.effectAllowed = 'move';
}

export function dragFolder(event: DragEvent, id: string): void {
  event.dataTransfer.setData(FOLDER, id);
  event.dataTransfer.effectAllowed = 'move';
}

/** The handlers of an element that takes files and folders. @param onDrop undefined if it takes none */
export function useDrop(onDrop: ((dropped: Dropped) => void) | undefined) {
  const [isOver, setOver] = useState(false);
  if (!onDrop) return { isOver: false, handlers: {} };
  const handlers = {
    onDragOver: (event: DragEvent) => {
      if (![FILES, FOLDER].some((type) => event.dataTransfer.types.includes(type))) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'move';
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false);
      const [files, folder] = [event.dataTransfer.getData(FILES), event.dataTransfer.getData(FOLDER)];
      if (!files && !folder) return;
      event.preventDefault();
      event.stopPropagation();
      onDrop(files ? { files: JSON.parse(files) as string[] } : { folder });
    },
  };
  return { isOver, handlers };
}
