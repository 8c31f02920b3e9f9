import { pairOf } from '../layout/key-values.ts';
import type { FlowElement } from './paginate.ts';

/** Neighbouring paragraphs of the form "Label: value" are pairs; a lone one is text. */
export function joinPairs(elements: readonly FlowElement[]): FlowElement[] {
  const pairs = elements.map(({ type, content, metadata }) =>
    type === 'paragraph' && metadata['role'] === undefined && content.length < 160
      ? pairOf(content)
      : undefined,
  );
  return elements.map((element, at) => {
    const pair = pairs[at];
    if (!pair || (!pairs[at - 1] && !pairs[at + 1])) return element;
    return { type: 'key_value', content: `${pair.key}: ${pair.value}`, metadata: { ...pair } };
  });
}
