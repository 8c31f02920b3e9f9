import { SingleBar } from 'cli-progress';
import { printable } from '../../domain/printable.ts';

/** Without a terminal a line now and then is enough. */
const LINE_EVERY_MS = 5000;

/** What goes on, for people: a bar on a terminal, lines elsewhere. */
export interface Progress {
  begin(title: string, total: number): void;
  /** @param done of the total; `detail` says more about it */
  show(done: number, detail?: string): void;
  /** Something that is worth knowing at once. */
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
        // Ctrl-C is for the command, which ends the bar itself.
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
  let said = { at: 0, text: '' };
  const say = (text: string) => {
    if (text === said.text) return;
    stream.write(`  ${text}\n`);
    said = { at: Date.now(), text };
  };
  const now = () =>
    `${state.title.padEnd(10)}  ${state.done}/${state.total} files  ${state.detail}`.trimEnd();
  return {
    begin(title, total) {
      state = { title, total, done: 0, detail: '' };
      said.at = Date.now();
    },
    show(done, detail = '') {
      state = { ...state, done, detail };
      if (Date.now() - said.at > LINE_EVERY_MS) say(now());
    },
    note: (text) => say(printable(text, 300)),
    end() {
      if (state.title !== '') say(now());
      state.title = '';
    },
  };
}

/** Counts what goes out. */
export interface Meter {
  /** One request. What it sent counts only until it ends: then its files are settled, or sent again. */
  begin(): { add: (bytes: number) => void; end: () => void };
  /** A file is done with, whether it arrived or not. */
  settle(file: { sizeBytes: number }): void;
}

export function createMeter(onChange: (files: number, bytes: number) => void): Meter {
  let files = 0;
  let settled = 0;
  let underWay = 0;
  const tell = () => onChange(files, settled + underWay);
  return {
    begin() {
      let own = 0;
      return {
        add(bytes) {
          own += bytes;
          underWay += bytes;
          tell();
        },
        end() {
          underWay -= own;
          own = 0;
        },
      };
    },
    settle({ sizeBytes }) {
      files += 1;
      settled += sizeBytes;
      tell();
    },
  };
}
