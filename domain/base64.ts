/** Standard base64 of whole bytes; padding is optional. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** The prefix that browsers add. */
const DATA_URL = /^data:[^,]{0,100};base64,/;

/**
 * Extracts base64 from text that may be a data URL or contain line breaks.
 *
 * @returns undefined for text that is not base64
 */
export function cleanBase64(text: string): string | undefined {
  const bare = text.replace(DATA_URL, '').replaceAll(/[\r\n\t ]+/g, '');
  const digits = bare.replace(/(?<!=)=+$/, '').length;
  const padded = bare.endsWith('=');
  if (!BASE64.test(bare) || digits % 4 === 1 || (padded && bare.length % 4 !== 0)) return undefined;
  return bare;
}
