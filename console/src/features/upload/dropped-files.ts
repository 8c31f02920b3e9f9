/** A file with the names of the folders that it was in, such as `Harbour/2026`; empty for none. */
export interface FoundFile {
  file: File;
  folder: string;
}

/** Files that systems put into folders for themselves. */
const OF_SYSTEMS = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini']);

/**
 * The files of a drop, with those of dropped folders at any depth, read as they are consumed. To be called in the event,
 * because its data is gone afterwards.
 */
export function droppedFiles(data: DataTransfer): AsyncGenerator<FoundFile> {
  const items = [...data.items].filter(({ kind }) => kind === 'file');
  const entries = items.flatMap((item) => item.webkitGetAsEntry() ?? []);
  // What does not come from a file system, such as a picture dragged out of a page, may have no entry.
  const others = items.flatMap((item) => (item.webkitGetAsEntry() ? [] : (item.getAsFile() ?? [])));
  return all(walk(entries, ''), chosenFiles(others));
}

async function* all(...parts: (AsyncIterable<FoundFile> | Iterable<FoundFile>)[]): AsyncGenerator<FoundFile> {
  for (const part of parts) yield* part;
}

async function* walk(entries: readonly FileSystemEntry[], folder: string): AsyncGenerator<FoundFile> {
  for (const entry of entries) {
    if (isFile(entry)) {
      if (OF_SYSTEMS.has(entry.name)) continue;
      yield { file: await new Promise<File>((resolve, reject) => entry.file(resolve, reject)), folder };
    } else if (isDirectory(entry)) {
      const reader = entry.createReader();
      const below = folder ? `${folder}/${entry.name}` : entry.name;
      for (;;) {
        const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
          reader.readEntries(resolve, reject),
        );
        if (some.length === 0) break;
        yield* walk(some, below);
      }
    }
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

/** The files that an input has, which for a chosen folder know their path. */
export function* chosenFiles(files: Iterable<File>): Generator<FoundFile> {
  for (const file of files) {
    if (OF_SYSTEMS.has(file.name)) continue;
    yield { file, folder: file.webkitRelativePath.split('/').slice(0, -1).join('/') };
  }
}

/** The files of a paste; pictures without a name of their own get one with the time. */
export function pastedFiles(data: DataTransfer, now = new Date()): FoundFile[] {
  const time = now.toISOString().slice(0, 19).replaceAll(/[T:]/g, '-');
  return [...data.files].map((file) => {
    if (!/^image\.\w+$/.test(file.name)) return { file, folder: '' };
    const name = file.name.replace('image', `pasted-${time}`);
    return { file: new File([file], name, { type: file.type, lastModified: file.lastModified }), folder: '' };
  });
}

/** The web addresses of a text, one a line or between spaces, and the lines that have other words too. */
export function linksOf(text: string): { links: string[]; invalid: string[] } {
  const isLink = (word: string) => /^https?:$/.test(URL.parse(word)?.protocol ?? '');
  const parts = text.split('\n').flatMap((line) => {
    const words = line.split(/\s+/).filter(Boolean);
    return words.every(isLink) ? words : [line.trim()];
  });
  const lines = [...new Set(parts)];
  return { links: lines.filter(isLink), invalid: lines.filter((line) => !isLink(line)) };
}
