import { MultiBar, type SingleBar } from 'cli-progress';

/** Progress of the samples: a bar each on a terminal, a line per change elsewhere. */
export interface DemoProgress {
  /** @param done number of finished steps */
  show(name: string, done: number, status: string): void;
  end(): void;
}

/**
 * @param names one bar each
 * @param total number of steps of each
 */
export function createDemoProgress(
  stream: NodeJS.WriteStream,
  names: string[],
  total: number,
  log: (line: string) => void,
): DemoProgress {
  const width = Math.max(...names.map((name) => name.length));
  if (!stream.isTTY) {
    const last = new Map<string, string>();
    return {
      show(name, _done, status) {
        if (last.get(name) !== status) log(`  ${name.padEnd(width)}  ${status}`);
        last.set(name, status);
      },
      end: () => undefined,
    };
  }

  const bars = new MultiBar({
    stream,
    format: '  {name}  {bar}  {status}',
    barsize: 24,
    barCompleteChar: '━',
    barIncompleteChar: '─',
    hideCursor: true,
    linewrap: true,
    // The launcher handles Ctrl-C itself.
    gracefulExit: false,
  });
  const byName = new Map<string, SingleBar>(
    names.map((name) => [name, bars.create(total, 0, { name: name.padEnd(width), status: '' })]),
  );
  return {
    show: (name, done, status) => byName.get(name)?.update(done, { status }),
    end: () => bars.stop(),
  };
}
