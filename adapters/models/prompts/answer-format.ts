/**
 * The words around every prompt that say how to answer. They are part of each: a change here is a new version of all
 * of them.
 */
export const answerFormat = {
  /** Also for endpoints that ignore `response_format`. */
  schema: (schema: string) =>
    `Answer with one JSON object and nothing else. It must be valid against this JSON Schema: ${schema}`,
  repair: (problems: readonly string[]) =>
    [
      'That answer cannot be used:',
      ...problems.map((problem) => `- ${problem}`),
      'Write the whole JSON object again, corrected, and nothing else. Keep what was right.',
    ].join('\n'),
};
