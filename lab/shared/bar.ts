import { SingleBar } from 'cli-progress';

/** The progress of a run: a bar on a terminal, an occasional line elsewhere. */
export interface Bar {
  show(accepted: number, ended: number, note: string): void;
  /** Prints a permanent line. */
  print(line: string): void;
  end(): void;
}

const LINE_EVERY_MS = 10_000;

export function createBar(stream: NodeJS.WriteStream, total: number): Bar {
  if (!stream.isTTY) {
    let last = 0;
    return {
      show(accepted, ended, note) {
        if (Date.now() - last < LINE_EVERY_MS) return;
        last = Date.now();
        stream.write(`  … ${accepted} of ${total} accepted, ${ended} ended, ${note}\n`);
      },
      print: (line) => void stream.write(`  ${line}\n`),
      end: () => undefined,
    };
  }
  const bar = new SingleBar({
    stream,
    format: '  {bar}  {accepted} of {files} accepted, {value} ended, {note}',
    barsize: 30,
    barCompleteChar: '━',
    barIncompleteChar: '─',
    hideCursor: true,
    // The command handles Ctrl-C itself.
    gracefulExit: false,
  });
  bar.start(total, 0, { accepted: 0, files: total, note: '' });
  return {
    show: (accepted, ended, note) => bar.update(ended, { accepted, note }),
    // The bar is redrawn below the line.
    print: (line) => void stream.write(`\r\x1b[K  ${line}\n`),
    end: () => bar.stop(),
  };
}
