export interface ListMarker {
  ordered: boolean;
  /** As shown in the list, without punctuation. */
  label: string;
  rest: string;
}

/** Characters that occur only as list bullets, and one that its font maps to no letter. */
export const BULLET = /^([•◦▪▫‣⁃∙●○■□◆◇➢➤►✓✔\u00B7\uF0B7\uF0A7\uF0D8\uF076]|\uFFFD(?=\s))\s*(?=\S)/u;
const DASH = /^([-–—*+])\s+(?=\S)/u;
const ENUMERATOR = /^\(?(\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]\s+(?=\S)/u;

/** The marker at the beginning of a list line. */
export function listMarker(text: string): ListMarker | undefined {
  const bullet = BULLET.exec(text) ?? DASH.exec(text);
  if (bullet) return { ordered: false, label: bullet[1] ?? '', rest: text.slice(bullet[0].length) };
  const number = ENUMERATOR.exec(text);
  if (number) return { ordered: true, label: number[1] ?? '', rest: text.slice(number[0].length) };
  return undefined;
}

/** A line of a table of contents: its dot leaders end at a page number. */
export const isContentsLine = (text: string): boolean =>
  /(?:\. ?){4}[\divxlc]{1,8}$/.test(text.replaceAll(/\s+/g, ' '));
