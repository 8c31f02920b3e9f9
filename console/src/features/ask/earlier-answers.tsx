import { useQuery } from '@tanstack/react-query';
import { client } from '../../lib/client.ts';
import { formatDateTime } from '../../lib/format.ts';
import { notifyError } from '../../ui/notices.tsx';
import { Card } from '../../ui/page.tsx';
import { reopenAnswer, useQuestions } from './questions.ts';
import { ASK_TEXTS } from './texts.ts';

const texts = ASK_TEXTS;
const MOST = 50;

/** The questions of the last day that are not on the page; each opens with its answer. */
export function EarlierAnswers() {
  const shown = new Set(useQuestions().flatMap(({ answerId }) => answerId ?? []));
  const { data } = useQuery({
    queryKey: ['answers'],
    queryFn: async ({ signal }) =>
      (await client.api.GET('/answers', { params: { query: { limit: MOST } }, signal })).data.items,
  });
  const earlier = data?.filter(({ answer_id: id, status }) => !shown.has(id) && status === 'completed') ?? [];
  if (earlier.length === 0) return null;
  return (
    <Card title={texts.earlier}>
      <ul className="flex flex-col gap-2">
        {earlier.map(({ answer_id: id, question, created_at: at }) => (
          <li key={id} className="flex flex-wrap items-baseline justify-between gap-x-4">
            <button
              type="button"
              className="min-h-6 text-left text-accent underline wrap-anywhere"
              onClick={() => void reopenAnswer(id).catch(notifyError)}
            >
              {question}
            </button>
            <span className="text-sm text-muted">{formatDateTime(at)}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
