import { SingleBar } from 'cli-progress';

/** How far a run is: a bar on a terminal, a line now and then anywhere else. */
export interface Bar {
  show(taken: number, ended: number, note: string): void;
  end(): void;
}

const LINE_EVERY_MS = 10_000;

export function createBar(stream: NodeJS.WriteStream, total: number): Bar {
  if (!stream.isTTY) {
    let last = 0;
    return {
      show(taken, ended, note) {
        if (Date.now() - last < LINE_EVERY_MS) return;
        last = Date.now();
        stream.write(`  … ${taken} of ${total} taken, ${ended} ended, ${note}\n`);
      },
      end: () => undefined,
    };
  }
  const bar = new SingleBar({
    stream,
    format: '  {bar}  {taken} of {files} taken, {value} ended, {note}',
    barsize: 30,
    barCompleteChar: '━',
    barIncompleteChar: '─',
    hideCursor: true,
    // The command handles Ctrl-C itself.
    gracefulExit: false,
  });
  bar.start(total, 0, { taken: 0, files: total, note: '' });
  return {
    show: (taken, ended, note) => bar.update(ended, { taken, note }),
    end: () => bar.stop(),
  };
}
