/** Replacement characters, private use, unassigned and control characters: what a font without a map leaves. */
const RUBBISH = /[\uFFFD\p{Co}\p{Cn}]|(?![\t\n\r])\p{Cc}/gu;
/** More of them than this part, and the rest cannot be trusted. */
const MOST_RUBBISH = 0.12;
const LETTER = /[\p{L}\p{N}]/gu;
/** Text of symbols only is a broken encoding. */
const FEWEST_LETTERS = 0.3;

/** Whether a page's text can be used as it is; otherwise the page must be rendered and recognised. */
export function isUsableText(text: string): boolean {
  // Leaders of contents and lines of forms are neither text nor rubbish.
  const dense = text.replaceAll(/\s+|(?:[._\-·…]\s*){3,}/gu, '');
  if (dense.length === 0) return false;
  const rubbish = dense.match(RUBBISH)?.length ?? 0;
  const letters = dense.match(LETTER)?.length ?? 0;
  if (rubbish > dense.length * MOST_RUBBISH) return false;
  return dense.length < 20 ? letters > 0 : letters >= dense.length * FEWEST_LETTERS;
}
