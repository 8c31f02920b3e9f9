import { clockTime } from '../../../domain/videos/video.ts';
import type { OpenAiEndpoint } from '../openai-client.ts';
import { createStructuredOutput, type StructuredRequest } from '../structured/structured-output.ts';
import { answerSchema, CategoryAnswer, confidenceOf, DescriptionAnswer, zodCheck } from './answer-schemas.ts';
import { createOpenAiDocuments, imagePart } from './openai-documents.ts';
import type { ModelWork } from './model-work.ts';
import { describeVideoPrompt } from './video-model.ts';
import type { PagesInput, VisionModel } from './vision-model.ts';
import { classifyPrompt, describePrompt, extractPrompt, type VisionPrompt } from './vision-prompt.ts';

/** Leaves room for reasoning models; a description needs about 300. */
const MAX_OUTPUT_TOKENS = 4_000;

/** Any endpoint compatible with OpenAI's chat completions with images. */
export function createOpenAiVision(
  options: OpenAiEndpoint & Pick<VisionModel, 'provider' | 'model'>,
  work: ModelWork,
): VisionModel {
  const { provider, model } = options;
  const ask = createStructuredOutput(options);

  async function see<T>(
    input: Pick<PagesInput, 'image'>,
    prompt: VisionPrompt,
    answer: Pick<StructuredRequest<T>, 'name' | 'schema' | 'maxOutputTokens' | 'check'>,
    call: { signal: AbortSignal },
  ) {
    const image = await input.image?.();
    const user = [{ type: 'text', text: prompt.user } as const, ...(image ? [imagePart(image)] : [])];
    return ask<T>({ ...answer, system: prompt.system, user }, call);
  }

  return {
    provider,
    model,
    inProcess: false,
    documents: createOpenAiDocuments(ask, work),

    async describe(input, call) {
      const prompt = describePrompt(input);
      const { value, usage } = await see(input, prompt, DESCRIPTION, call);
      return { ...value, usage, promptVersion: prompt.version };
    },

    async describeVideo(input, call) {
      const prompt = describeVideoPrompt(input);
      const frames = (await input.images()).flatMap((image) => [
        { type: 'text', text: `At ${clockTime(image.timeSeconds)}:` } as const,
        imagePart(image),
      ]);
      const user = [{ type: 'text', text: prompt.user } as const, ...frames];
      const { value, usage } = await ask({ ...DESCRIPTION, system: prompt.system, user }, call);
      return { ...value, usage, promptVersion: prompt.version };
    },

    async classify(input, call) {
      const prompt = classifyPrompt(input);
      const { value, usage } = await see(input, prompt, CATEGORY, call);
      return { ...value, usage, promptVersion: prompt.version };
    },

    async extract(input, request, call) {
      const { name, schema, maxOutputTokens } = request;
      const prompt = extractPrompt(input, request);
      const answer = {
        name,
        schema,
        maxOutputTokens,
        check: (given: unknown) => work.checkAnswer({ answer: given, schema }, call),
      };
      const { value: data, usage, repaired } = await see(input, prompt, answer, call);
      return {
        data,
        usage,
        promptVersion: prompt.version,
        confidence: 'pages' in input ? null : confidenceOf(data),
        repaired,
      };
    },
  };
}

const DESCRIPTION = {
  name: 'image_description',
  schema: answerSchema(DescriptionAnswer),
  maxOutputTokens: MAX_OUTPUT_TOKENS,
  check: zodCheck(DescriptionAnswer),
};

const CATEGORY = {
  name: 'image_category',
  schema: answerSchema(CategoryAnswer),
  maxOutputTokens: MAX_OUTPUT_TOKENS,
  check: zodCheck(CategoryAnswer),
};
