import sharp, { type Sharp } from 'sharp';

export interface PlacedText {
  text: string;
  /** Pixels from the left edge; `y` from the top to the baseline. */
  x: number;
  y: number;
  size: number;
  colour?: string;
}

/** An image with these texts, like a screenshot. Needs a sans-serif font on this machine. */
export function imageOfText(
  { width, height, background = '#fff' }: { width: number; height: number; background?: string },
  words: readonly PlacedText[],
): Sharp {
  const texts = words.map(
    ({ text, x, y, size, colour = '#222' }) =>
      `<text x="${x}" y="${y}" font-family="sans-serif" font-size="${size}" fill="${colour}">${text}</text>`,
  );
  return sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">` +
        `<rect width="100%" height="100%" fill="${background}"/>${texts.join('')}</svg>`,
    ),
  );
}

/** An image of a dialog: a title on a dark bar, a sentence, a number, a button. */
export function screenshot(): Sharp {
  return imageOfText({ width: 1280, height: 720, background: '#f4f4f4' }, [
    { text: 'Quarterly report', x: 40, y: 60, size: 28 },
    { text: 'Seventeen invoices are overdue since March', x: 40, y: 360, size: 22 },
    { text: 'Continue', x: 1050, y: 680, size: 24 },
  ]);
}
