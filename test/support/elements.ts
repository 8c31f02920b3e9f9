import { presentContent } from '../../api/resources/document/present-element.ts';
import type { ElementContent, Textual, PageBox, PageElement } from 'darkroom-reader/document';
import { markdownOf } from '../../domain/documents/markdown.ts';

/** Elements with what clients see of them. */
export const shown = <E extends ElementContent>(elements: readonly E[]) =>
  elements.map((element) => ({ ...element, ...presentContent(element) }));

/** Each element as `type: content`. */
export const listed = (elements: readonly ElementContent[]): string[] =>
  elements.map((element) => `${element.type}: ${markdownOf(element)}`);

const BOX: PageBox = { x: 0, y: 0, w: 1, h: 1 };

/** An element with a text, on the whole page. */
export const textElement = (
  type: Textual['type'],
  content: string,
  facts: Partial<Pick<PageElement, 'role' | 'box'> & { level: number }> = {},
): PageElement =>
  ({
    type,
    content,
    box: BOX,
    ...(type === 'heading' && { level: 1 }),
    ...facts,
  }) as PageElement;

/** A list of bullets on the whole page. */
export const listElement = (...items: string[]): PageElement => ({
  type: 'list',
  items: items.map((text) => ({ marker: '-', text, depth: 0 })),
  box: BOX,
});

/** A table on the whole page. */
export const tableElement = (...rows: string[][]): PageElement => ({ type: 'table', rows, box: BOX });
