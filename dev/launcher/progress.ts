import type { WriteStream } from 'node:tty';
import type { PartEvent } from './bring-up.ts';

/** Progress of the startup: one line per part, live on a terminal, plain lines elsewhere. */
export interface Progress {
  onPart(event: PartEvent): void;
  /** Prints a line above the parts in progress. */
  line(text: string): void;
  /** Stops redrawing; the screen stays as it is. Parts that end later get a line each. */
  end(): void;
}

interface Part {
  title: string;
  state: PartEvent['state'];
  since: number;
  seconds: string;
  detail: string;
}

const MARKS = { begun: '…', done: '✓', failed: '✗', dropped: '–' };
const TITLE_WIDTH = 30;

export function createProgress(stream: NodeJS.WritableStream & Partial<WriteStream>): Progress {
  let live = stream.isTTY === true;
  const parts = new Map<string, Part>();
  let drawn = 0;

  const erase = () => {
    if (drawn > 0) stream.write(`\u001B[${drawn}A\u001B[0J`);
    drawn = 0;
  };
  const draw = (width = (stream.columns ?? 80) - 1) => {
    erase();
    for (const part of parts.values()) stream.write(`${render(part).slice(0, width)}\n`);
    drawn = parts.size;
  };
  // A wrapped line cannot be erased, so lines are truncated until the final redraw.
  const timer = live ? setInterval(draw, 100) : undefined;

  return {
    onPart({ title, state, detail = '' }) {
      const part = parts.get(title) ?? { title, state, since: Date.now(), seconds: '', detail };
      Object.assign(part, { state, detail });
      if (state !== 'begun') part.seconds = elapsed(part);
      parts.set(title, part);
      if (live) draw();
      else if (state !== 'begun') stream.write(`${render(part)}\n`);
    },
    line(text) {
      erase();
      stream.write(`${text}\n`);
      if (live) draw();
    },
    end() {
      clearInterval(timer);
      if (live) draw(Infinity);
      live = false;
      drawn = 0;
    },
  };
}

function elapsed(part: Part): string {
  return ((Date.now() - part.since) / 1000).toFixed(1);
}

function render(part: Part): string {
  const seconds = part.state === 'begun' ? elapsed(part) : part.seconds;
  return `  ${MARKS[part.state]} ${part.title.padEnd(TITLE_WIDTH)} ${seconds.padStart(5)} s  ${part.detail}`.trimEnd();
}
