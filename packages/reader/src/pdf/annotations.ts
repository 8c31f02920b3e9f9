/** What stands on a page without being part of its content: values of form fields, typed text, remarks, and what stamps draw. */
import { type Box, boxAround } from '../layout/geometry.ts';
import type { Run } from '../layout/page-parts.ts';
import type { PdfPage } from './open-pdf.ts';

export interface Remark {
  text: string;
  box: Box;
}

export interface Annotations {
  runs: Run[];
  /** Sticky notes, stamps, signatures, and remarks on marked text: not part of the text, but of what its readers said. */
  remarks: Remark[];
}

/** Kinds of annotations, by PDFium's numbers. */
const FREE_TEXT = 3;
/** Stamps and watermarks. */
const STAMPS = new Set([13, 24]);
const WIDGET = 20;
/** Notes, shapes, marked and struck text, carets and ink. */
const WITH_REMARKS = new Set([1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15]);
/** Flags of what is not shown. */
const NOT_SHOWN = 0x02 | 0x20;
/** Kinds of form fields. */
const FIELD = { checkBox: 2, radioButton: 3, comboBox: 4, listBox: 5, text: 6, signature: 7 } as const;
const TYPED = new Set<number>([FIELD.comboBox, FIELD.listBox, FIELD.text]);
const PASSWORD = 1 << 13;
const BOXES = { checked: '☒', empty: '☐' } as const;

/** Stamps that programs draw by their name; Adobe's have a prefix. */
const STAMPED =
  /^#?(?:SB|SH|D)?(Approved|AsIs|Confidential|Departmental|Draft|Experimental|Expired|Final|ForComment|ForPublicRelease|NotApproved|NotForPublicRelease|Received|Reviewed|Revised|Sold|TopSecret|Void)$/;

const MOST_ANNOTATIONS = 10_000;
/** Of all lists of a page. */
const MOST_OPTIONS = 10_000;
/** Appearances of a page that are read. Each is copied with its fonts. */
const MOST_APPEARANCES = 50;
const LONGEST = 100_000;
/** Size of type where a field does not say it, and its share of the height of a line. */
const USUAL_SIZE = 12;
const SIZE_OF_LINE = 0.7;
const LEADING = 1.2;
/** The width of a letter, and the height of one above its baseline, in heights of the font. */
const LETTER = 0.5;
const RISE = 0.35;

/** The engine failed at what an annotation draws, and is in no known state. */
export class UnreadableAppearance extends Error {}

/**
 * @param mostAppearances annotations of which is read what they draw
 * @throws UnreadableAppearance
 */
export function readAnnotations(page: PdfPage, mostAppearances = MOST_APPEARANCES): Annotations {
  const { pdfium, handle, forms } = page;
  const found: Annotations = { runs: [], remarks: [] };
  let optionsLeft = MOST_OPTIONS;
  let appearancesLeft = mostAppearances;
  const count = Math.min(MOST_ANNOTATIONS, pdfium.FPDFPage_GetAnnotCount(handle));
  for (let index = 0; index < count; index++) {
    const annotation = pdfium.FPDFPage_GetAnnot(handle, index);
    if (annotation === 0) continue;
    if ((pdfium.FPDFAnnot_GetFlags(annotation) & NOT_SHOWN) === 0) {
      const kind = pdfium.FPDFAnnot_GetSubtype(annotation);
      if (kind === WIDGET && forms !== 0) addField(annotation);
      else if (kind === FREE_TEXT)
        found.runs.push(...typed(valueOf(annotation, 'Contents') || drawnOf(annotation), boxOf(annotation)));
      else if (STAMPS.has(kind)) addRemark(annotation, drawnOf(annotation) || stampOf(annotation));
      else if (WITH_REMARKS.has(kind)) addRemark(annotation);
    }
    pdfium.FPDFPage_CloseAnnot(annotation);
  }
  return found;

  function addField(annotation: number): void {
    const type = pdfium.FPDFAnnot_GetFormFieldType(forms, annotation);
    const box = boxOf(annotation);
    if (type === FIELD.checkBox || type === FIELD.radioButton) {
      const state = valueOf(annotation, 'AS');
      const isChecked = state === '' ? pdfium.FPDFAnnot_IsChecked(forms, annotation) === 1 : state !== 'Off';
      found.runs.push(...typed(isChecked ? BOXES.checked : BOXES.empty, box));
    } else if (type === FIELD.signature) addRemark(annotation, drawnOf(annotation));
    else if (TYPED.has(type) && (pdfium.FPDFAnnot_GetFormFieldFlags(forms, annotation) & PASSWORD) === 0) {
      const value =
        (type !== FIELD.text && chosenOf(annotation)) ||
        textOf((buffer, length) => pdfium.FPDFAnnot_GetFormFieldValue(forms, annotation, buffer, length));
      const given = pdfium.FPDFAnnot_GetFontSize(forms, annotation, pdfium.at(0)) === 1 ? pdfium.float(0) : 0;
      found.runs.push(...typed(value, box, given));
    }
  }

  /** What a list shows of its choice: the value may be a code. */
  function chosenOf(annotation: number): string {
    const options = Math.min(optionsLeft, pdfium.FPDFAnnot_GetOptionCount(forms, annotation));
    let chosen = '';
    for (let at = 0; at < options && chosen.length < LONGEST; at++, optionsLeft--) {
      if (pdfium.FPDFAnnot_IsOptionSelected(forms, annotation, at) !== 1) continue;
      const label = textOf((buffer, length) =>
        pdfium.FPDFAnnot_GetOptionLabel(forms, annotation, at, buffer, length),
      );
      chosen += chosen === '' ? label : `, ${label}`;
    }
    return chosen.slice(0, LONGEST);
  }

  /** The text that an annotation draws, by lines: of custom stamps and signatures, nothing else has it. */
  function drawnOf(annotation: number): string {
    if (appearancesLeft === 0 || pdfium.EPDFAnnot_HasAppearanceStream(annotation, 0) === 0) return '';
    appearancesLeft -= 1;
    try {
      return textOfAppearance(annotation);
    } catch (cause) {
      throw new UnreadableAppearance('What an annotation draws cannot be read.', { cause });
    }
  }

  function textOfAppearance(annotation: number): string {
    const document = pdfium.EPDFAnnot_ExportAppearanceAsDocument(annotation);
    if (document === 0) return '';
    const drawn = pdfium.FPDF_LoadPage(document, 0);
    const textPage = drawn === 0 ? 0 : pdfium.FPDFText_LoadPage(drawn);
    const length = Math.min(pdfium.FPDFText_CountChars(textPage), LONGEST);
    const text = length > 0 ? textOf(writeText) : '';
    pdfium.FPDFText_ClosePage(textPage);
    pdfium.FPDF_ClosePage(drawn);
    pdfium.FPDF_CloseDocument(document);
    return text.trim().replaceAll('\r\n', '\n');

    function writeText(buffer: number, room: number): number {
      // Two bytes for each character, and for the end.
      const needed = (length + 1) * 2;
      if (needed <= room) pdfium.FPDFText_GetText(textPage, 0, length, buffer);
      return needed;
    }
  }

  function stampOf(annotation: number): string {
    return (STAMPED.exec(valueOf(annotation, 'Name'))?.[1] ?? '').replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');
  }

  function addRemark(annotation: number, drawn = ''): void {
    const said = valueOf(annotation, 'Contents').trim();
    const text = [...new Set([drawn, said])].filter(Boolean).join(': ');
    if (text !== '') found.remarks.push({ text, box: boxOf(annotation) });
  }

  function valueOf(annotation: number, name: 'AS' | 'Contents' | 'Name'): string {
    const key = pdfium.at(32);
    pdfium.bytes(key, name.length + 1).set(Buffer.from(`${name}\0`));
    return textOf((buffer, length) => pdfium.FPDFAnnot_GetStringValue(annotation, key, buffer, length));
  }

  function textOf(write: (buffer: number, length: number) => number): string {
    return pdfium.written(write).toString('utf16le').replace(/\0.*$/s, '').slice(0, LONGEST);
  }

  function boxOf(annotation: number): Box {
    pdfium.FPDFAnnot_GetRect(annotation, pdfium.at(0));
    const [left, top, right, bottom] = [0, 1, 2, 3].map((word) => pdfium.float(word)) as [
      number,
      number,
      number,
      number,
    ];
    const [a, b, c, d, e, f] = page.matrix;
    const corners = [
      [left, top],
      [right, bottom],
    ].map(([x = 0, y = 0]) => {
      const at = { x: a * x + c * y + e, y: b * x + d * y + f };
      return { x0: at.x, x1: at.x, y0: at.y, y1: at.y };
    });
    return boxAround(corners);
  }
}

/** Lines of text in a box: a single one in its middle, several from its top. */
function typed(text: string, box: Box, given = 0): Run[] {
  const lines = text.split(/\r\n|\r|\n/);
  const height = (box.y1 - box.y0) / lines.length;
  const size = given > 0 ? given : Math.max(1, Math.min(USUAL_SIZE, height * SIZE_OF_LINE));
  const step = Math.min(height, size * LEADING);
  const first = lines.length === 1 ? (box.y0 + box.y1) / 2 + size * RISE : box.y0 + size;
  return lines.flatMap((line, at) => {
    const shown = line.trim();
    if (shown === '') return [];
    const baseline = first + at * step;
    return [
      {
        text: shown,
        x0: box.x0,
        x1: Math.min(box.x1, box.x0 + shown.length * size * LETTER),
        y0: baseline - size * 0.78,
        y1: baseline + size * 0.22,
        baseline,
        size,
        bold: false,
        italic: false,
        monospaced: false,
        rightToLeft: false,
        spaceBefore: true,
      },
    ];
  });
}
