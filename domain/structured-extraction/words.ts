/** Synonyms of label words. */
const FORMS: Readonly<Record<string, string>> = {
  no: 'number',
  nr: 'number',
  num: 'number',
  '#': 'number',
  amt: 'amount',
  qty: 'quantity',
  tel: 'phone',
  telephone: 'phone',
  addr: 'address',
  desc: 'description',
  ref: 'reference',
  dob: 'birth',
  mail: 'email',
};
/** Words that do not distinguish labels. */
const WEAK = new Set(['the', 'of', 'a', 'an', 'and', 'for', 'in', 'to', 'is']);

/** The words of a label or property name in normalised form: `invoiceNo` and `Invoice #` are equal. */
export function wordsOf(text: string): string[] {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/e-mail/gi, 'email')
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}#]+/u)
    .flatMap((word) => (word.length > 1 && word.endsWith('#') ? [word.slice(0, -1), '#'] : [word]))
    .map((word) => FORMS[word] ?? singular(word))
    .filter((word) => word !== '' && !WEAK.has(word));
}

function singular(word: string): string {
  return word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}
