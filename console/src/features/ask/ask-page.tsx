import { MessageCircleQuestion } from 'lucide-react';
import { Empty, Page } from '../../ui/page.tsx';
import { AskForm } from './ask-form.tsx';
import { EarlierAnswers } from './earlier-answers.tsx';
import { QuestionCard } from './question-card.tsx';
import { useQuestions } from './questions.ts';
import { ASK_TEXTS } from './texts.ts';

const texts = ASK_TEXTS;

/** Asks documents a question; the answers of this visit stand below it. */
export function AskPage() {
  const questions = useQuestions();
  return (
    <Page title={texts.title}>
      <p className="-mt-3 text-muted">{texts.intro}</p>
      <AskForm />
      {questions.length === 0 ? (
        <Empty icon={MessageCircleQuestion} title={texts.empty}>
          {texts.emptyHint}
        </Empty>
      ) : (
        <section aria-label={texts.history} className="flex flex-col gap-5">
          {questions.map((question) => (
            <QuestionCard key={question.key} question={question} />
          ))}
        </section>
      )}
      <EarlierAnswers />
    </Page>
  );
}
