/** Email addresses, web addresses, and telephone numbers with separators. */
const CONTACTS = [
  /(?<![\w.+-])[\w.+-]+@[\w-]+\.[a-z]{2,}/iu,
  /\b(?:https?:\/\/|www\.)[^\s]+/iu,
  /(?<!\d)(?:\+?1[ .-]?)?\(?[2-9]\d{2}\)?[ .-]\d{3}[ .-]\d{4}(?!\d)/u,
  /\+\d{1,3}(?:[ .-]?\d){7,12}(?!\d)/u,
];
/** Watermarks that owners put across images. */
const MARKS = [
  /©\s*\p{L}[^\n]*/u,
  /\bcopyright\b/iu,
  /\b(?:shutterstock|istock|gettyimages|dreamstime|alamy|depositphotos)\b/iu,
];

/** The contact detail in a line of text. */
export function findContact(text: string): string | undefined {
  return first(CONTACTS, text);
}

/** The owner's watermark in a line of text. */
export function findMark(text: string): string | undefined {
  return first(MARKS, text);
}

function first(patterns: readonly RegExp[], text: string): string | undefined {
  for (const pattern of patterns) {
    const [match] = pattern.exec(text) ?? [];
    if (match) return match;
  }
  return undefined;
}
