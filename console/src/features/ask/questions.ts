import { useSyncExternalStore } from 'react';
import { ApiError, type Answer, type AskOptions } from 'darkroom-client';
import { client } from '../../lib/client.ts';
import { formatDateTime } from '../../lib/format.ts';
import { TEXTS } from '../../texts.ts';

/** A question of this visit with what has arrived of its answer. */
export interface Question {
  key: number;
  text: string;
  /** What was asked, for people. */
  scopeText: string;
  scope: Pick<AskOptions, 'document_ids' | 'folder_id'>;
  /** `stopped`: the person no longer waits; the service may still answer. */
  state: 'searching' | 'reading' | 'done' | 'stopped' | 'failed';
  answerId: string | undefined;
  passages: Answer['passages'];
  sentences: Answer['sentences'];
  /** The whole answer, once it is complete. */
  answer: Answer | undefined;
  error?: unknown;
}

let questions: readonly Question[] = [];
let lastKey = 0;
const listeners = new Set<() => void>();
const stops = new Map<number, AbortController>();

function change(next: readonly Question[]): void {
  questions = next;
  for (const listener of listeners) listener();
}

const update = (key: number, part: Partial<Question>) =>
  change(questions.map((question) => (question.key === key ? { ...question, ...part } : question)));

/** The questions of this visit, the newest first. Answers go on while other pages are shown. */
export function useQuestions(): readonly Question[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => questions,
  );
}

/** Asks; the parts of the answer appear in `useQuestions` as they arrive. */
export function ask(text: string, scope: Question['scope'], scopeText: string): void {
  lastKey += 1;
  const key = lastKey;
  const question = { key, text, scope, scopeText, answerId: undefined, answer: undefined };
  change([{ ...question, state: 'searching', passages: [], sentences: [] }, ...questions]);
  void follow(key, text, scope);
}

async function follow(key: number, text: string, scope: Question['scope']): Promise<void> {
  const stop = new AbortController();
  stops.set(key, stop);
  const sentences: Answer['sentences'] = [];
  try {
    for await (const { type, data } of client.askStreaming(text, { ...scope, signal: stop.signal })) {
      if (type === 'passages') {
        update(key, { state: 'reading', answerId: data.answer_id, passages: data.passages });
      } else if (type === 'sentence') {
        sentences.push(data);
        update(key, { sentences: [...sentences] });
      } else {
        complete(key, data);
      }
    }
  } catch (error) {
    update(key, stop.signal.aborted ? { state: 'stopped' } : { state: 'failed', error });
  } finally {
    stops.delete(key);
  }
}

function complete(key: number, answer: Answer): void {
  const { passages, sentences } = answer;
  update(key, { state: 'done', answerId: answer.answer_id, answer, passages, sentences });
}

/** Stops waiting for an answer. */
export function stopWaiting(key: number): void {
  stops.get(key)?.abort();
}

/**
 * Shows an answer that was not waited for.
 *
 * @returns whether it is there
 * @throws ApiError, ConnectionError
 */
export async function readAnswer(key: number, id: string): Promise<boolean> {
  const { data } = await client.api.GET('/answers/{answer_id}', { params: { path: { answer_id: id } } });
  if (data.status === 'completed') complete(key, data);
  if (data.status === 'failed') {
    const { code = 'ANSWER_FAILED', message = TEXTS.errors.unexpected } = data.error ?? {};
    update(key, { state: 'failed', error: new ApiError(code, message, { status: 200 }) });
  }
  return data.status !== 'processing';
}

/**
 * Shows an answer of an earlier visit. What it was asked about is not kept, so its time stands there instead.
 *
 * @throws ApiError, ConnectionError
 */
export async function reopenAnswer(id: string): Promise<void> {
  const { data } = await client.api.GET('/answers/{answer_id}', { params: { path: { answer_id: id } } });
  lastKey += 1;
  const key = lastKey;
  const empty = { answerId: undefined, answer: undefined, passages: [], sentences: [] };
  const scopeText = formatDateTime(data.created_at);
  change([{ ...empty, key, text: data.question, scope: {}, scopeText, state: 'stopped' }, ...questions]);
  complete(key, data);
}

/** Takes a question off the page. */
export function removeQuestion(key: number): void {
  stopWaiting(key);
  change(questions.filter((question) => question.key !== key));
}
