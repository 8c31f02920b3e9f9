const plain = (text: string) =>
  text
    .replaceAll(/[\s*_`#|]+/g, ' ')
    .trim()
    .toLowerCase();

/** Whether a quote and a text have words in common that stand together: one holds the other, apart from spaces and markup. */
export function holds(quote: string, text: string): boolean {
  const [one, other] = [plain(quote), plain(text)];
  if (one === '' || other === '') return false;
  return other.includes(one) || (other.length >= 12 && one.includes(other));
}
