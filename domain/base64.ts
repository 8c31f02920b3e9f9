/** Standard base64 of whole bytes; padding may be missing. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** What browsers put before it. */
const DATA_URL = /^data:[^,]{0,100};base64,/;

/**
 * Base64 text, also as a data URL or with line breaks, as base64 alone.
 *
 * @returns undefined for text that is no base64
 */
export function cleanBase64(text: string): string | undefined {
  const bare = text.replace(DATA_URL, '').replaceAll(/[\r\n\t ]+/g, '');
  const digits = bare.replace(/(?<!=)=+$/, '').length;
  const padded = bare.endsWith('=');
  if (!BASE64.test(bare) || digits % 4 === 1 || (padded && bare.length % 4 !== 0)) return undefined;
  return bare;
}
