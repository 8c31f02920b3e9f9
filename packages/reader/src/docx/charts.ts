import { showBy } from '../xlsx/number-formats.ts';
import { child, descendants, type XmlNode } from '../xml.ts';

export interface Chart {
  title: string;
  /** Values as last computed: a row for the names of the series, then one for each category. */
  rows: string[][];
}

/** More cells than a chart can show. */
const MOST_POINTS = 10_000;

/** Reads the part of a chart. */
export function readChart(root: XmlNode): Chart {
  const title = child(child(root, 'c:chart'), 'c:title');
  const series = [...descendants(root, 'c:ser')];
  const date1904 = child(root, 'c:date1904');
  const is1904 = date1904 !== undefined && !/^(?:0|false)$/.test(date1904.attributes['val'] ?? '');
  const pointsOf = (reference: XmlNode | undefined) => readPoints(reference, is1904);
  const names = series.map((one) => pointsOf(child(one, 'c:tx')).get(0) ?? '');
  const categories = series
    .map((one) => pointsOf(child(one, 'c:cat') ?? child(one, 'c:xVal')))
    .reduce((longest, points) => (points.size > longest.size ? points : longest), new Map<number, string>());
  const values = series.map((one) => pointsOf(child(one, 'c:val') ?? child(one, 'c:yVal')));
  const indices = [...new Set([categories, ...values].flatMap((points) => [...points.keys()]))].toSorted(
    (a, b) => a - b,
  );
  const rows = indices.map((at) => [
    categories.get(at) ?? '',
    ...values.map((points) => points.get(at) ?? ''),
  ]);
  return {
    title: title ? drawnText(title).join(' ') : '',
    rows: rows.length > 0 ? [['', ...names], ...rows] : [],
  };
}

/** The cached points of a reference by their index, as the chart shows them. Categories of several levels are joined. */
function readPoints(reference: XmlNode | undefined, is1904: boolean): Map<number, string> {
  const points = new Map<number, string>();
  if (!reference) return points;
  const [pattern] = descendants(reference, 'c:formatCode');
  const show = pattern ? showBy(pattern.text.trim(), is1904) : undefined;
  for (const point of descendants(reference, 'c:pt')) {
    const at = Number(point.attributes['idx']);
    if (!Number.isInteger(at) || points.size >= MOST_POINTS) continue;
    const stored = shortest((child(point, 'c:v')?.text ?? '').trim());
    const text = show && stored !== '' && Number.isFinite(Number(stored)) ? show(Number(stored)) : stored;
    const before = points.get(at);
    points.set(at, before === undefined ? text : `${text} ${before}`);
  }
  const own = child(reference, 'c:v');
  if (own && points.size === 0) points.set(0, own.text.trim());
  return points;
}

/** Numbers are stored with all digits of their binary form: 4.2999999999999998. */
const shortest = (text: string): string =>
  /^-?\d+\.\d{12,}$/.test(text) ? String(Number(Number(text).toPrecision(15))) : text;

/** The paragraphs of text in a drawing, such as a diagram. */
export function drawnText(node: XmlNode): string[] {
  return [...descendants(node, 'a:p')]
    .map((paragraph) => [...descendants(paragraph, 'a:t')].map(({ text }) => text).join(''))
    .map((text) => text.trim())
    .filter((text) => text !== '');
}
