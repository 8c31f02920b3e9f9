import { SingleBar } from 'cli-progress';
import { printable } from '../../domain/text.ts';

/** Interval of progress lines without a terminal. */
const LINE_EVERY_MS = 5000;

/** The progress of the command: a bar on a terminal, lines elsewhere. */
export interface Progress {
  begin(title: string, total: number): void;
  /** @param done of the total */
  show(done: number, detail?: string): void;
  /** Shows a message immediately. */
  note(text: string): void;
  end(): void;
}

export function createProgress(stream: NodeJS.WriteStream): Progress {
  return stream.isTTY ? bar(stream) : lines(stream);
}

function bar(stream: NodeJS.WriteStream): Progress {
  let current: SingleBar | undefined;
  return {
    begin(title, total) {
      current = new SingleBar({
        stream,
        format: `  ${title.padEnd(10)}  {bar}  {value}/{total} files  {detail}`,
        barsize: 24,
        barCompleteChar: '━',
        barIncompleteChar: '─',
        hideCursor: true,
        // The command handles Ctrl-C itself.
        gracefulExit: false,
      });
      current.start(total, 0, { detail: '' });
    },
    show: (done, detail = '') => current?.update(done, { detail }),
    note: (text) => current?.update({ detail: printable(text, 60) }),
    end() {
      current?.stop();
      current = undefined;
    },
  };
}

function lines(stream: NodeJS.WriteStream): Progress {
  let state = { title: '', total: 0, done: 0, detail: '' };
  let last = { at: 0, text: '' };
  const print = (text: string) => {
    if (text === last.text) return;
    stream.write(`  ${text}\n`);
    last = { at: Date.now(), text };
  };
  const now = () =>
    `${state.title.padEnd(10)}  ${state.done}/${state.total} files  ${state.detail}`.trimEnd();
  return {
    begin(title, total) {
      state = { title, total, done: 0, detail: '' };
      last.at = Date.now();
    },
    show(done, detail = '') {
      state = { ...state, done, detail };
      if (Date.now() - last.at > LINE_EVERY_MS) print(now());
    },
    note: (text) => print(printable(text, 300)),
    end() {
      if (state.title !== '') print(now());
      state.title = '';
    },
  };
}

/** Counts files and bytes sent. */
export interface Meter {
  /** Starts a request. Its bytes count until it ends; then its files are settled or resent. */
  begin(): { add: (bytes: number) => void; end: () => void };
  /** Counts a file as finished, whether it arrived or not. */
  settle(file: { sizeBytes: number }): void;
}

export function createMeter(onChange: (files: number, bytes: number) => void): Meter {
  let files = 0;
  let settled = 0;
  let inFlight = 0;
  const notify = () => onChange(files, settled + inFlight);
  return {
    begin() {
      let own = 0;
      return {
        add(bytes) {
          own += bytes;
          inFlight += bytes;
          notify();
        },
        end() {
          inFlight -= own;
          own = 0;
        },
      };
    },
    settle({ sizeBytes }) {
      files += 1;
      settled += sizeBytes;
      notify();
    },
  };
}
