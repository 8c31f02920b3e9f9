import type { ListItem } from '../document/element.ts';
import type { FlowElement } from './paginate.ts';

/** Elements in their order. Items that follow each other become a list, and lines of code a listing. */
export class ElementList {
  readonly #elements: FlowElement[] = [];
  #items: ListItem[] = [];
  #lines: string[] = [];

  add(...elements: readonly FlowElement[]): void {
    this.endRun();
    this.#elements.push(...elements);
  }

  addItem(item: ListItem): void {
    this.endListing();
    this.#items.push(item);
  }

  /** Blank lines only count within a listing. */
  addLine(line: string): void {
    this.#endItems();
    if (line !== '' || this.isInListing) this.#lines.push(line);
  }

  /** The item that a further paragraph continues. */
  get lastItem(): ListItem | undefined {
    return this.#items.at(-1);
  }

  get isInListing(): boolean {
    return this.#lines.length > 0;
  }

  get isEmpty(): boolean {
    return this.#elements.length + this.#items.length + this.#lines.length === 0;
  }

  /** Ends a list or a listing. */
  endRun(): void {
    this.#endItems();
    this.endListing();
  }

  /** An empty paragraph ends a listing, not a list. */
  endListing(): void {
    const content = this.#lines.splice(0).join('\n').trimEnd();
    if (content !== '') this.#elements.push({ type: 'code', content });
  }

  take(): FlowElement[] {
    this.endRun();
    return this.#elements.splice(0);
  }

  #endItems(): void {
    const items = this.#items.splice(0);
    if (items.length > 0) this.#elements.push({ type: 'list', items });
  }
}
