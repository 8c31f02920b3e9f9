/**
 * Ligatures and other forms that only type-setting tells apart become plain letters, which is what people search for:
 * "ﬁ" is "fi", Arabic presentation forms are letters. Other compatibility forms, such as ² or ½, carry meaning and stay.
 */
export function cleanText(text: string): string {
  return text
    .replaceAll(/[\uFB00-\uFB4F\uFB50-\uFDFF\uFE70-\uFEFC]/gu, (form) => form.normalize('NFKC'))
    .replaceAll(/(?![\t\n\r])[\p{Cc}\uFEFF\u200B]/gu, '')
    .replaceAll(/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/gu, ' ')
    .replaceAll(/(?:\.\s?){5,}/g, '… ')
    .replaceAll(/\p{Cs}/gu, '\uFFFD')
    .normalize('NFC');
}
