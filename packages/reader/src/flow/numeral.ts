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

/** Letters that count, by the names of Word; after the last come digits. */
const LETTERS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    aiueo: 'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン',
    iroha: 'イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス',
    ganada: '가나다라마바사아자차카타파하',
    chosung: 'ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ',
    ideographTraditional: '甲乙丙丁戊己庚辛壬癸',
    ideographZodiac: '子丑寅卯辰巳午未申酉戌亥',
    decimalEnclosedCircle: '①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳',
    decimalEnclosedParen: '⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽⑾⑿⒀⒁⒂⒃⒄⒅⒆⒇',
    russianLower: 'абвгдежзиклмнопрстуфхцчшщэюя',
    russianUpper: 'АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЭЮЯ',
    arabicAlpha: 'أبتثجحخدذرزسشصضطظعغفقكلمنهوي',
    arabicAbjad: 'أبجدهوزحطيكلمنسعفصقرشتثخذضظغ',
    hebrew1: 'אבגדהוזחטי',
    hebrew2: 'אבגדהוזחטיכלמנסעפצקרשת',
    thaiLetters: 'กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ',
  }).map(([format, letters]) => [format, [...letters]]),
);
/** Digits of other scripts, by the character of zero. */
const ZEROS: ReadonlyMap<string, string> = new Map([
  ['decimalFullWidth', '０'],
  ['decimalFullWidth2', '０'],
  ['hindiNumbers', '०'],
  ['thaiNumbers', '๐'],
]);
const CHINESE = '〇一二三四五六七八九';
const CHINESE_FORMATS = /^(?:chineseCounting(?:Thousand)?|japaneseCounting|taiwaneseCounting(?:Thousand)?)$/;

const chineseDigits = (value: number): string =>
  String(value).replaceAll(/\d/g, (digit) => CHINESE[Number(digit)] ?? digit);

/** Below a hundred, as lists have it: 十二, 三十. */
function chinese(value: number): string {
  if (value >= 100) return chineseDigits(value);
  const [tens, ones] = [Math.floor(value / 10), value % 10];
  return `${tens > 1 ? CHINESE[tens] : ''}${tens > 0 ? '十' : ''}${ones > 0 ? CHINESE[ones] : ''}`;
}

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
    case 'ideographDigital':
      return chineseDigits(value);
    case 'ordinal':
      return `${value}${ordinalEnding(value)}`;
    default: {
      const zero = ZEROS.get(format)?.codePointAt(0);
      if (zero !== undefined)
        return String(value).replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
      if (CHINESE_FORMATS.test(format) && isCountable) return chinese(value);
      return LETTERS.get(format)?.[value - 1] ?? String(value);
    }
  }
}

function ordinalEnding(value: number): string {
  const [tens, ones] = [value % 100, value % 10];
  if (tens >= 11 && tens <= 13) return 'th';
  return ['th', 'st', 'nd', 'rd'][ones] ?? 'th';
}
