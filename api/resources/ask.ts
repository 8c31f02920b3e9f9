import { z } from 'zod';
import type { DocumentAnswer } from '../../db/entities/ask/document-answer.ts';
import {
  ANSWERED_BY,
  MAX_PASSAGES,
  USUAL_PASSAGES,
  type AnswerCitation,
  type AnswerSentence,
  type Passage,
} from '../../domain/ask/answer.ts';
import { MAX_SEARCH_IDS, MAX_SEARCH_QUERY } from '../../domain/limits.ts';
import { page } from '../../domain/schemas/query.ts';
import { optional, optionalWith, text } from '../../domain/schemas/text.ts';
import type { ListedAnswer } from '../../services/ask/list-answers.ts';
import { problem } from '../http/problem.ts';
import { analysisLevel, requestStatus } from './enums.ts';
import {
  completedAt,
  componentField,
  createdAt,
  duration,
  failure,
  idParam,
  pageBox,
  pageOf,
} from './fields.ts';
import { presentUsage, usage } from './structured-extraction.ts';

const LONGEST_WAIT = 120;
const USUAL_WAIT = 60;

export const answerParams = z.object({ answer_id: idParam('Id of an answer') });

export const askHeaders = z.object({
  Accept: z.string().optional().describe('`text/event-stream` for the answer as server-sent events'),
});

export const askBody = z.strictObject({
  question: text(MAX_SEARCH_QUERY)
    .refine((question) => question.trim() !== '', 'must have a character')
    .meta({
      override: { type: 'string', minLength: 1, maxLength: MAX_SEARCH_QUERY, pattern: '\\S' },
      description: 'The question; best in the language of the documents',
    }),
  document_ids: optional(z.array(z.guid().toLowerCase()).max(MAX_SEARCH_IDS)).meta({
    description: 'Ask only these documents, by default all; an empty list has no answer',
  }),
  folder_id: optional(z.string()).meta({
    override: { type: ['string', 'null'], format: 'uuid' },
    description: 'Ask only documents in this folder and those below it',
  }),
  limit: optionalWith(z.int().min(1).max(MAX_PASSAGES), USUAL_PASSAGES).describe(
    'Maximum number of passages to answer from',
  ),
  analysis_level: optionalWith(analysisLevel, 'default').describe(
    'How much the model may write, in tokens: `quick` 4K, `default` and `standard` 8K, `thorough` and `critical` 16K',
  ),
  timeout: optionalWith(
    z.number().min(5, 'at least 5 seconds').max(LONGEST_WAIT, `at most ${LONGEST_WAIT} seconds`),
    USUAL_WAIT,
  ).describe('How many seconds to wait for the answer, and for a model that does not answer'),
});

const id = z.uuid().describe('Id of the answer');
const documentId = z.uuid().describe('Id of the document or link');
const filename = z.string().describe('File name of the document');
const chunkId = z.string().describe('Id of the passage');

const citation = z
  .object({
    document_id: documentId,
    document_filename: filename,
    page_number: z.int().min(1).describe('Number of the page, from 1; 1 for a web page'),
    chunk_id: chunkId,
    quote: z
      .string()
      .describe('Whole sentences, list items or table rows of the passage, in its own letters'),
    bounding_box: pageBox
      .nullable()
      .describe('Its place, 0–1 of its page; null if unknown; the origin is the top left corner'),
  })
  .meta({ id: 'AnswerCitation' });

const sentence = z
  .object({
    text: z.string().describe('The sentence'),
    supported: z
      .boolean()
      .describe(
        'Whether the quotes say it in the same words, with the same numbers, names, conditions and negations. False does ' +
          'not mean that it is wrong: it may say the same in other words',
      ),
    citations: z
      .array(citation)
      .describe('The quotes that are in the passages they name; those that are not are left out'),
  })
  .meta({ id: 'AnswerSentence' });

const passage = z
  .object({
    chunk_id: chunkId,
    document_id: documentId,
    document_filename: filename,
    page_numbers: z.array(z.int().min(1)).describe('Pages of the text; empty for a web page'),
    heading_hierarchy: z.array(z.string()).describe('The headings above it, outermost first'),
    content: z.string().describe('Text of the passage'),
    similarity_score: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe('Cosine similarity of the embeddings of passage and question, 0–1; null without embeddings'),
  })
  .meta({ id: 'AnswerPassage' });
const passages = z.array(passage).describe('The passages that search found, best first');

const fields = {
  answer_id: id,
  status: componentField(requestStatus, 'State of the answer'),
  question: z.string().describe('The question as asked'),
  answered: z
    .boolean()
    .nullable()
    .describe('False if the answer is not in these documents; null without a result'),
  answered_by: z
    .enum(ANSWERED_BY)
    .meta({ id: 'AnsweredBy' })
    .nullable()
    .describe(
      '`model`: sentences that a model wrote; `passages`: sentences of the passages themselves, where no model is ' +
        'configured or allowed, or nothing was found; null without a result',
    ),
  sentences: z.array(sentence).describe('The answer, sentence by sentence; empty without one'),
  passages,
  provider: z
    .string()
    .nullable()
    .describe('Provider of the model, `local` without one; null without a result'),
  model: z.string().nullable().describe('Model that answered; null without a result'),
  usage: usage.nullable().describe('Tokens of all calls of the model; null without a result'),
  processing_time_ms: duration.nullable().describe('Duration in milliseconds; null until it has ended'),
};

export const askAnswer = z
  .object({
    ...fields,
    error: failure.nullable().describe('Why there is no result; null if there is one, or none yet'),
    created_at: createdAt,
    completed_at: completedAt,
  })
  .meta({ id: 'Answer' });

const listed = askAnswer
  .pick({
    answer_id: true,
    status: true,
    question: true,
    answered: true,
    answered_by: true,
    created_at: true,
    completed_at: true,
  })
  .meta({ id: 'ListedAnswer' });

export const answerListQuery = z.object(page(100, 20));

export const answerList = z.object(pageOf(listed)).meta({ id: 'AnswerList' });

export const startedAnswer = z
  .object({
    answer_id: id,
    status: z.literal('processing').describe('State of the answer'),
    poll_url: z.string().describe('Where to poll for the answer'),
  })
  .meta({ id: 'StartedAnswer' });

/** The JSON in `data` of an event, by its name. */
export const askEvents = {
  passages: z.object({ answer_id: id, passages }).meta({ id: 'AnswerPassages' }),
  sentence,
  done: askAnswer,
  pending: startedAnswer,
  error: problem,
} as const;
export type AskEvents = { [Name in keyof typeof askEvents]: z.input<(typeof askEvents)[Name]> };

export function presentAnswer(answer: DocumentAnswer): z.input<typeof askAnswer> {
  const { error, usage: used } = answer;
  return {
    ...presentListedAnswer(answer),
    sentences: (answer.sentences ?? []).map(presentSentence),
    passages: answer.passages.filter(({ text: content }) => content !== '').map(presentPassage),
    provider: answer.provider ?? null,
    model: answer.model ?? null,
    usage: used ? presentUsage(used) : null,
    processing_time_ms: answer.processingMs ?? null,
    error: error ? { code: error.code, message: error.message } : null,
  };
}

export function presentListedAnswer(answer: ListedAnswer): z.input<typeof listed> {
  return {
    answer_id: answer.id,
    status: answer.status,
    question: answer.question,
    answered: answer.answered ?? null,
    answered_by: answer.answeredBy ?? null,
    created_at: answer.createdAt.toISOString(),
    completed_at: answer.completedAt?.toISOString() ?? null,
  };
}

export function presentStarted({ id: answerId }: DocumentAnswer): z.input<typeof startedAnswer> {
  return { answer_id: answerId, status: 'processing', poll_url: `/api/v2/answers/${answerId}` };
}

export function presentSentence({ text, supported, citations }: AnswerSentence): z.input<typeof sentence> {
  return { text, supported, citations: citations.map(presentCitation) };
}

function presentCitation(cited: AnswerCitation): z.input<typeof citation> {
  return {
    document_id: cited.documentId,
    document_filename: cited.filename,
    page_number: cited.page,
    chunk_id: cited.chunkId,
    quote: cited.quote,
    bounding_box: cited.box,
  };
}

export function presentPassage(given: Passage): z.input<typeof passage> {
  return {
    chunk_id: given.chunkId,
    document_id: given.documentId,
    document_filename: given.filename,
    page_numbers: [...given.pageNumbers],
    heading_hierarchy: [...given.headingPath],
    content: given.text,
    similarity_score: given.similarity,
  };
}
