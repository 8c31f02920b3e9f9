/** Text as the scores compare it: white space, quotes, dashes and bullets have many forms of one meaning. */
export function normalise(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/[‘’‚`´]/gu, "'")
    .replaceAll(/[“”„«»]/gu, '"')
    .replaceAll(/[‐‑‒–—−]/gu, '-')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}
