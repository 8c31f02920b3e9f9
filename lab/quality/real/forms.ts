import type { DocumentType } from '../../../domain/documents/document-type.ts';
import type { TruthBlock } from '../truth.ts';
import type { Manual } from './manuals.ts';
import type { Part } from './read-html-book.ts';
import { typeset } from './typeset.ts';

/** The document that its authors made, and others that were made of its HTML, so that their truth is exact. */
const FORMS = ['PDF', 'DOCX', 'print', 'print in two columns', 'typst in two columns'] as const;

export interface RealDocument {
  /** Of the manual and the form. */
  name: string;
  form: string;
  type: DocumentType;
  path: string;
  truth: TruthBlock[];
}

/** Characters of HTML from the beginning of a manual that are printed: about thirty pages. */
const PRINTED = 120_000;

/**
 * All forms of a manual whose name contains `only`.
 *
 * @throws Error if a program that makes one is not available
 */
export async function* formsOf({ name: of, pdf, parts }: Manual, only: string): AsyncGenerator<RealDocument> {
  for (const form of FORMS) {
    const name = `${of}, ${form}`;
    if (!name.includes(only)) continue;
    if (form === 'PDF') {
      if (pdf !== undefined) yield { name, form, type: 'pdf', path: pdf, truth: blocksOf(parts) };
      continue;
    }
    const taken = form === 'DOCX' ? parts : beginning(parts, PRINTED);
    const path = await typeset(form, taken.map(({ html }) => html).join('\n'));
    yield { name, form, type: form === 'DOCX' ? 'docx' : 'pdf', path, truth: blocksOf(taken) };
  }
}

const blocksOf = (parts: readonly Part[]): TruthBlock[] => parts.flatMap(({ blocks }) => blocks);

function beginning(parts: readonly Part[], most: number): Part[] {
  let length = 0;
  return parts.filter(({ html }) => (length += html.length) <= most);
}
