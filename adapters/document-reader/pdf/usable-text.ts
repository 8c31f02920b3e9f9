/** Replacement, private use, unassigned and control characters, produced by fonts without a character map. */
const RUBBISH = /[\uFFFD\p{Co}\p{Cn}]|(?![\t\n\r])\p{Cc}/gu;
/** With a larger share, the rest cannot be trusted either. */
const MOST_RUBBISH = 0.12;
const LETTER = /[\p{L}\p{N}]/gu;
/** Minimum share of letters: text of symbols only is a broken encoding. */
const FEWEST_LETTERS = 0.3;

/** Whether a page's text can be used as it is; otherwise the page must be rendered and recognised. */
export function isUsableText(text: string): boolean {
  // Dot leaders of contents and lines of forms are neither text nor rubbish.
  const dense = text.replaceAll(/\s+|(?:[._\-·…]\s*){3,}/gu, '');
  if (dense.length === 0) return false;
  const rubbish = dense.match(RUBBISH)?.length ?? 0;
  const letters = dense.match(LETTER)?.length ?? 0;
  if (rubbish > dense.length * MOST_RUBBISH) return false;
  return dense.length < 20 ? letters > 0 : letters >= dense.length * FEWEST_LETTERS;
}
