export interface ListMarker {
  ordered: boolean;
  /** As shown in the list, without punctuation. */
  label: string;
  /** As it stands before the text of the item: a number with its signs, a box or a tick, or a dash for a bullet. */
  sign: string;
  rest: string;
}

/** Boxes, empty or ticked, and ticks: they say more than that an item begins. */
const STATED = /^[☐☑☒✓✔✗✘🗹🗷🗵🞎]$/u;
/** Characters that occur only as list bullets, those of symbol fonts, and one that its font maps to no letter. */
export const BULLET = /^([•◦▪▫‣⁃∙●○■□◆◇◼◾▶▸▹❖❑❒☐☑☒🗹🗷🗵🞎➔➢➤►✓✔✗✘\u00B7\uF020-\uF0FF]|\uFFFD(?=\s))\s*(?=\S)/u;
const DASH = /^([-–—*+])\s+(?=\S)/u;
const ENUMERATOR = /^\(?(\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]\s+(?=\S)/u;

/** The marker at the beginning of a list line. */
export function listMarker(text: string): ListMarker | undefined {
  const bullet = BULLET.exec(text) ?? DASH.exec(text);
  if (bullet) {
    const [all, label = ''] = bullet;
    return { ordered: false, label, sign: STATED.test(label) ? label : '-', rest: text.slice(all.length) };
  }
  const [all, label] = ENUMERATOR.exec(text) ?? [];
  if (all !== undefined && label !== undefined)
    return { ordered: true, label, sign: all.trim(), rest: text.slice(all.length) };
  return undefined;
}

/** Whether ordered markers count on, as those of a list do: the initials of names and numbers in a sentence do not. */
export function countsOn(labels: readonly string[]): boolean {
  const steps = labels.slice(1).filter((label, at) => isNext(labels[at] ?? '', label));
  return steps.length * 2 >= labels.length - 1;
}

/** The next number or letter, or the first of a list within a list or after one. */
function isNext(label: string, next: string): boolean {
  if (/^[1ai]$/.test(next)) return true;
  const [one, other] = [Number(label), Number(next)];
  if (!Number.isNaN(one) && !Number.isNaN(other)) return other === one + 1;
  const isLetter = label.length === 1 && next.length === 1;
  if (isLetter && next.charCodeAt(0) === label.charCodeAt(0) + 1) return true;
  return /^[ivx]+$/.test(label + next);
}

/** A line of a table of contents: its dot leaders end at a page number. */
export const isContentsLine = (text: string): boolean =>
  /(?:\. ?){4}[\divxlc]{1,8}$/.test(text.replaceAll(/\s+/g, ' '));
