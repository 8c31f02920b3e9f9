import sharp from 'sharp';
import type { EncodedRaster } from '../codec.ts';
import { FAMILIES } from './fonts.ts';

/** The sheet on which a page is set, in pixels. */
export interface SheetSize {
  width: number;
  /** It is at least as high, and has nothing below the most. */
  height: { least: number; most: number };
}

export interface SetPage extends EncodedRaster {
  width: number;
  height: number;
}

/** Measures of a sheet 800 pixels wide; all others are in proportion. */
export const SHEET = 800;
export const MARGIN = 64;
export const BODY = 13;
export const LINE = 19;
export const GAP = 10;
const INK = 0x2a;
const FAINT = 0x77;
const WHITE = 0xff;

const CRISP = { quality: 90 } as const;

/** Of Pango: in 1024ths of a point. */
export const points = (size: number): number => Math.round(size * 1024);

/** Half of a pair, and control characters, end a text for Pango. */
export const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/(?![\n\r\t])[\p{Cc}\p{Cs}\p{Cn}]/gu, '')
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The letters of a text: how much of each pixel they cover. */
interface Letters {
  data: Buffer;
  width: number;
  height: number;
}

/** A sheet in levels of grey, filled from the top. Its places are in the measures above. */
export class Sheet {
  /** Where the next block begins. */
  y = MARGIN;
  readonly #scale: number;
  readonly #width: number;
  readonly #least: number;
  readonly #most: number;
  #pixels: Uint8Array;
  #isCut = false;

  constructor({ width, height }: SheetSize) {
    this.#width = width;
    this.#scale = width / SHEET;
    this.#least = Math.min(height.least, height.most);
    this.#most = height.most;
    this.#pixels = new Uint8Array(width * this.#least).fill(WHITE);
  }

  /** Whether nothing more is seen. */
  get isFull(): boolean {
    return this.#isCut || this.#px(this.y) >= this.#most - this.#px(MARGIN / 2);
  }

  get linesLeft(): number {
    return Math.max(0, Math.floor((this.#most / this.#scale - MARGIN / 2 - this.y) / LINE));
  }

  async text(markup: string): Promise<void> {
    const letters = await this.#letters(markup, SHEET - 2 * MARGIN, 'word-char');
    if (!letters) return;
    this.#draw(letters, { x: MARGIN, y: this.y, width: SHEET - 2 * MARGIN, height: Infinity });
    this.y += letters.height / this.#scale + GAP;
  }

  async column(markup: string, area: Omit<Area, 'y'>): Promise<void> {
    const letters = await this.#letters(markup, SHEET, 'none');
    if (letters) this.#draw(letters, { ...area, y: this.y + 3 });
  }

  /** A line at the end of the sheet. */
  async note(text: string): Promise<void> {
    const letters = await this.#letters(escaped(text), SHEET - 2 * MARGIN, 'word-char');
    const y = this.#height / this.#scale - 28;
    this.paint({ x: 0, y: y - 6, width: SHEET, height: 40 }, WHITE);
    if (letters) this.#draw(letters, { x: MARGIN, y, width: SHEET - 2 * MARGIN, height: 28 }, FAINT, 0);
  }

  paint({ x, y, width, height }: Area, grey: number): void {
    this.#grow(y + height);
    const [left, right] = [
      this.#px(x),
      Math.min(this.#width, Math.max(this.#px(x) + 1, this.#px(x + width))),
    ];
    const bottom = Math.min(this.#height, Math.max(this.#px(y) + 1, this.#px(y + height)));
    for (let row = Math.max(0, this.#px(y)); row < bottom; row++)
      this.#pixels.fill(grey, row * this.#width + left, row * this.#width + right);
  }

  async encode(): Promise<SetPage> {
    const [width, height] = [this.#width, this.#height];
    const bytes = await sharp(this.#pixels, { raw: { width, height, channels: 1 } })
      .jpeg(CRISP)
      .toBuffer();
    return { width, height, bytes, contentType: 'image/jpeg' };
  }

  get #height(): number {
    return this.#pixels.length / this.#width;
  }

  #px(measure: number): number {
    return Math.round(measure * this.#scale);
  }

  async #letters(text: string, width: number, wrap: 'word-char' | 'none'): Promise<Letters | undefined> {
    const drawn = await sharp({
      text: {
        text,
        font: `${FAMILIES} ${BODY}`,
        width: this.#px(width),
        dpi: Math.max(1, Math.round(72 * this.#scale)),
        wrap,
        spacing: this.#px(wrap === 'none' ? 0 : 4),
      },
    })
      .extractChannel(0)
      .raw()
      .toBuffer({ resolveWithObject: true })
      .catch((error: unknown) => {
        if (error instanceof Error && error.message.includes('no text to render')) return undefined;
        throw error;
      });
    return drawn && { data: drawn.data, width: drawn.info.width, height: drawn.info.height };
  }

  #draw({ data, width, height }: Letters, area: Area, ink = INK, margin = MARGIN / 2): void {
    const wanted = Math.min(height, Math.ceil(area.height * this.#scale));
    this.#grow(area.y + wanted / this.#scale + margin);
    const [left, top] = [this.#px(area.x), this.#px(area.y)];
    const columns = Math.min(width, this.#px(area.width), this.#width - left);
    const rows = Math.min(wanted, this.#height - this.#px(margin) - top);
    if (rows < wanted && ink === INK) this.#isCut = true;
    for (let row = 0; row < rows; row++) {
      const [from, to] = [row * width, (top + row) * this.#width + left];
      for (let at = 0; at < columns; at++) {
        const cover = data[from + at] ?? 0;
        if (cover === 0) continue;
        const under = this.#pixels[to + at] ?? WHITE;
        this.#pixels[to + at] = under - ((under - ink) * cover) / 255;
      }
    }
  }

  #grow(bottom: number): void {
    const height = Math.min(this.#most, this.#px(bottom));
    if (height <= this.#height) return;
    const pixels = new Uint8Array(height * this.#width).fill(WHITE);
    pixels.set(this.#pixels);
    this.#pixels = pixels;
  }
}
