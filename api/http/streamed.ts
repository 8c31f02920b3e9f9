import { Readable } from 'node:stream';

/** A list in an answer that is read while it is written, some items at a time. */
export class StreamedList {
  readonly pages: AsyncIterable<readonly unknown[]>;

  constructor(pages: AsyncIterable<readonly unknown[]>) {
    this.pages = pages;
  }
}

/** A text in an answer that is read while it is written. Its parts are whole characters. */
export class StreamedText {
  readonly parts: AsyncIterable<string>;

  constructor(parts: AsyncIterable<string>) {
    this.parts = parts;
  }
}

/** An answer, of which any list or text may be streamed. */
export type Streaming<Answer> = Answer extends readonly (infer Item)[]
  ? readonly Streaming<Item>[] | StreamedList
  : Answer extends string
    ? Answer | (string extends Answer ? StreamedText : never)
    : Answer extends object
      ? { [Name in keyof Answer]: Streaming<Answer[Name]> }
      : Answer;

/**
 * The items of a list that grows with a document, and their number: all of them if there are few, otherwise a list that
 * is streamed. Failures at its start are thrown here, before the response begins. The response is aborted if the number
 * of streamed items differs because the document was changed or removed meanwhile.
 *
 * @param counted the number of items, as counted before
 */
export async function listOf<Row, Item>(
  pages: AsyncIterable<readonly Row[]>,
  present: (row: Row) => Item,
  counted: number,
): Promise<{ list: Item[] | StreamedList; total: number }> {
  const { first = [], all } = await begin(pages);
  if (!all) return { list: first.map(present), total: first.length };
  return { list: new StreamedList(presented(all, present, counted)), total: counted };
}

async function* presented<Row>(
  pages: AsyncIterable<readonly Row[]>,
  present: (row: Row) => unknown,
  counted: number,
): AsyncGenerator<unknown[]> {
  let read = 0;
  for await (const rows of pages) {
    read += rows.length;
    yield rows.map(present);
  }
  if (read !== counted)
    throw new Error(`the list has ${read} items, not ${counted}: it was changed meanwhile`);
}

/** A text that grows with a document, likewise. */
export async function textOf(parts: AsyncIterable<string>): Promise<string | StreamedText> {
  const { first = '', all } = await begin(parts);
  return all ? new StreamedText(all) : first;
}

/** Whether a part of an answer is streamed. */
export function isStreamed(value: unknown): boolean {
  if (value instanceof StreamedList || value instanceof StreamedText) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(isStreamed);
}

/** An answer as JSON, as fast as it is taken; reading ends when the stream is destroyed. */
export function streamJson(answer: unknown): Readable {
  return Readable.from(json(answer), { objectMode: false, highWaterMark: 1 });
}

async function* json(value: unknown): AsyncGenerator<string> {
  if (value instanceof StreamedText) {
    yield '"';
    for await (const part of value.parts) if (part !== '') yield JSON.stringify(part).slice(1, -1);
    yield '"';
  } else if (value instanceof StreamedList) {
    yield* listed(value);
  } else if (!isStreamed(value)) {
    yield JSON.stringify(value);
  } else if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      yield at === 0 ? '[' : ',';
      yield* json(item);
    }
    yield ']';
  } else {
    const fields = Object.entries(value as object).filter(([, field]) => field !== undefined);
    for (const [at, [name, field]] of fields.entries()) {
      yield `${at === 0 ? '{' : ','}${JSON.stringify(name)}:`;
      yield* json(field);
    }
    yield '}';
  }
}

async function* listed({ pages }: StreamedList): AsyncGenerator<string> {
  let before = '[';
  for await (const items of pages) {
    if (items.length === 0) continue;
    yield `${before}${JSON.stringify(items).slice(1, -1)}`;
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

/** The first of some values, and all of them if there is another one. */
async function begin<Value>(
  values: AsyncIterable<Value>,
): Promise<{ first: Value | undefined; all?: AsyncGenerator<Value> }> {
  const rest = values[Symbol.asyncIterator]();
  const first = await rest.next();
  if (first.done) return { first: undefined };
  const second = await rest.next();
  if (second.done) return { first: first.value };
  return { first: first.value, all: again([first.value, second.value], rest) };
}

async function* again<Value>(read: readonly Value[], rest: AsyncIterator<Value>): AsyncGenerator<Value> {
  try {
    yield* read;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
