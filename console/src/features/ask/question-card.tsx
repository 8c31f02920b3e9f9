import { useMutation } from '@tanstack/react-query';
import { RotateCcw, Square, X } from 'lucide-react';
import { formatDuration } from '../../lib/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { notify, notifyError } from '../../ui/notices.tsx';
import { ErrorNote } from '../../ui/page.tsx';
import { Badge, ProgressBar } from '../../ui/status.tsx';
import { AnswerText } from './answer-text.tsx';
import { Passages } from './passages.tsx';
import { ask, readAnswer, removeQuestion, stopWaiting, type Question } from './questions.ts';
import { ASK_TEXTS } from './texts.ts';

const texts = ASK_TEXTS;

/** A question with its answer: while it arrives, when it is complete, and if there is none. */
export function QuestionCard({ question }: { question: Question }) {
  const { key, text, scope, scopeText, state, passages, sentences, answer } = question;
  const isWaiting = state === 'searching' || state === 'reading';
  const isUnanswered = state === 'done' && answer?.answered === false;
  return (
    <article className="rounded-2xl border border-line bg-surface p-4 md:p-5">
      <header className="mb-3 flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-lg font-semibold wrap-anywhere">{text}</h2>
          <p className="text-sm text-muted wrap-anywhere">{texts.within(scopeText)}</p>
        </div>
        <div className="flex shrink-0 gap-1">
          {isWaiting ? (
            <Button size="small" icon={Square} onClick={() => stopWaiting(key)}>
              {texts.stop}
            </Button>
          ) : (
            <>
              <IconButton
                icon={RotateCcw}
                size="smallIcon"
                label={texts.again}
                onClick={() => ask(text, scope, scopeText)}
              />
              <IconButton
                icon={X}
                size="smallIcon"
                label={texts.removeEntry}
                onClick={() => removeQuestion(key)}
              />
            </>
          )}
        </div>
      </header>
      <div aria-live="polite" className="flex flex-col gap-3">
        {isWaiting && (
          <div className="flex flex-col gap-2">
            <p className="text-sm text-muted">{state === 'searching' ? texts.searching : texts.reading}</p>
            <ProgressBar label={texts.reading} value={undefined} />
          </div>
        )}
        {isUnanswered && (
          <div className="rounded-xl bg-warn-soft px-4 py-3">
            <p className="font-medium">{texts.notInThese}</p>
            <p>{passages.length > 0 ? texts.notInTheseHint : texts.nothingFound}</p>
          </div>
        )}
        {answer?.answered_by === 'passages' && answer.answered && (
          <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
            <Badge>{texts.bestSentences}</Badge>
            {texts.bestSentencesHint}
          </p>
        )}
        {sentences.length > 0 && <AnswerText sentences={sentences} />}
        {state === 'stopped' && <Stopped question={question} />}
        {state === 'failed' && (
          <ErrorNote error={question.error} onRetry={() => ask(text, scope, scopeText)} />
        )}
      </div>
      {passages.length > 0 && <Passages passages={passages} isOpen={isUnanswered} />}
      {answer?.answered_by === 'model' && (
        <p className="mt-3 text-sm text-muted">
          {texts.by(`${answer.provider} ${answer.model}`)}
          {answer.processing_time_ms !== null &&
            ` ${texts.seconds(formatDuration(answer.processing_time_ms / 1000))}`}
        </p>
      )}
    </article>
  );
}

function Stopped({ question: { key, answerId } }: { question: Question }) {
  const read = useMutation({
    mutationFn: (id: string) => readAnswer(key, id),
    onSuccess: (isThere) => !isThere && notify(texts.notReady),
    onError: notifyError,
  });
  return (
    <div className="flex flex-wrap items-center gap-3 text-muted">
      <p>{texts.stopped}</p>
      {answerId !== undefined && (
        <Button size="small" busy={read.isPending} onClick={() => read.mutate(answerId)}>
          {texts.readAnyway}
        </Button>
      )}
    </div>
  );
}
