const ROMAN: readonly (readonly [number, string])[] = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
];

/** A number of a list in a format, by its name in Word; in digits if it is rare, and where letters and numerals end. */
export function numeral(value: number, format: string): string {
  const letters = (value - 1) % 26;
  const isCountable = value >= 1 && value < 4_000;
  switch (format) {
    case 'none':
      return '';
    case 'upperLetter':
    case 'lowerLetter': {
      if (!isCountable) return String(value);
      // After z comes aa, then bb.
      const text = String.fromCharCode(65 + letters).repeat(Math.ceil(value / 26));
      return format === 'upperLetter' ? text : text.toLowerCase();
    }
    case 'upperRoman':
    case 'lowerRoman': {
      if (!isCountable) return String(value);
      let left = value;
      let text = '';
      for (const [worth, sign] of ROMAN) for (; left >= worth; left -= worth) text += sign;
      return format === 'upperRoman' ? text : text.toLowerCase();
    }
    case 'decimalZero':
      return String(value).padStart(2, '0');
    case 'ordinal':
      return `${value}${ordinalEnding(value)}`;
    default:
      return String(value);
  }
}

function ordinalEnding(value: number): string {
  const [tens, ones] = [value % 100, value % 10];
  if (tens >= 11 && tens <= 13) return 'th';
  return ['th', 'st', 'nd', 'rd'][ones] ?? 'th';
}
