import { createHash } from 'node:crypto';
import { loadImage } from '@napi-rs/canvas';
import { createDice } from '../../shared/dice.ts';
import { photograph } from './photograph.ts';
import { canvasOf, createSheet, readProse, registerFonts, type Sheet, wrap } from './sheet.ts';

/** A picture of text that is known. */
export interface PictureOfText {
  name: string;
  kind: Kind;
  bytes: Buffer;
  lines: string[];
}

export type Kind = (typeof KINDS)[number];
const KINDS = ['screenshot', 'receipt', 'sign', 'slide', 'cover', 'chart', 'table', 'page'] as const;
const EACH = 10;

/** Pictures of one half: which half a picture is of is decided by its name. */
export async function* picturesOfText(half: 'development' | 'held-out'): AsyncGenerator<PictureOfText> {
  await registerFonts();
  const prose = readProse();
  for (const kind of KINDS)
    for (let number = 1; number <= EACH; number++) {
      const name = `${kind} ${number}`;
      const hash = createHash('sha256').update(name).digest();
      if (((hash[0] ?? 0) % 2 === 1) !== (half === 'held-out')) continue;
      const sheet = createSheet(createDice(hash.readUInt32LE(4)), prose);
      yield { name, kind, bytes: await MAKERS[kind](sheet), lines: sheet.lines };
    }
}

const MAKERS: Record<Kind, (sheet: Sheet) => Promise<Buffer>> = {
  async screenshot({ dice, font, write, ...text }) {
    const [back, side, ink, pale] = dice.pick([
      ['#ffffff', '#f0f2f5', '#1c1e21', '#65676b'],
      ['#1e1e1e', '#252526', '#d4d4d4', '#8a8a8a'],
      ['#fdf6e3', '#eee8d5', '#586e75', '#93a1a1'],
    ] as const);
    const { context, png } = canvasOf(1440, 900, back);
    context.fillStyle = side;
    context.fillRect(0, 0, 240, 900);
    for (let row = 0; row < 9; row++)
      write(context, text.region(), 24, 80 + row * 40, { font: `14px ${font}`, colour: ink });
    write(context, text.sentence().slice(0, 40).trim(), 280, 60, { font: `bold 24px ${font}`, colour: ink });
    for (let row = 0; row < 12; row++) {
      const [y, look] = [
        130 + row * 48,
        { font: `${dice.whole(12, 15)}px ${font}`, colour: row % 2 ? ink : pale },
      ];
      write(context, text.city(), 280, y, look);
      write(context, text.date(), 620, y, look);
      write(context, text.price(), 860, y, look);
      write(context, text.currency(), 1040, y, look);
    }
    context.fillStyle = '#1677d2';
    context.fillRect(1180, 820, 200, 44);
    write(context, dice.pick(['Continue', 'Save changes', 'Next page', 'Cancel']), 1210, 848, {
      font: `16px ${font}`,
      colour: '#fff',
    });
    return photograph(png(), undefined, { quality: dice.pick([60, 80, 95]) }, dice);
  },
  async receipt({ dice, write, background, ...text }) {
    const { context, png } = canvasOf(640, 1100, '#f3f1ec');
    const look = { font: '24px Liberation Mono', colour: '#3a3a40' };
    write(context, text.city().toUpperCase(), 200, 60, { ...look, font: 'bold 34px Liberation Mono' });
    write(context, text.date(), 60, 120, look);
    write(context, `${dice.whole(10, 23)}:${dice.whole(10, 59)}`, 480, 120, look);
    for (let row = 0; row < 15; row++) {
      write(context, text.currency().slice(0, 22).trim(), 40, 190 + row * 50, look);
      write(context, text.price(), 500, 190 + row * 50, look);
    }
    write(context, 'TOTAL', 40, 1000, { ...look, font: 'bold 32px Liberation Mono' });
    write(context, `${dice.whole(100, 999)}.${dice.whole(10, 99)}`, 480, 1000, {
      ...look,
      font: 'bold 32px Liberation Mono',
    });
    return photograph(
      png(),
      background(),
      { tilt: 0.05, shadow: 0.45, contrast: 0.8, noise: 8, blur: 0.8, quality: 70 },
      dice,
    );
  },
  async sign({ dice, font, write, background, ...text }) {
    const [back, ink] = dice.pick([
      ['#0b5fa5', '#fff'],
      ['#1d7a3c', '#fff'],
      ['#6b4a2b', '#f4e9d0'],
      ['#f7d117', '#111'],
      ['#fff', '#a01818'],
    ] as const);
    const { context, png } = canvasOf(900, 420, back);
    const size = dice.whole(56, 96);
    for (let row = 0; row < dice.whole(2, 3); row++)
      write(context, row === 1 ? `${dice.whole(2, 480)} km` : text.city(), 60, 120 + row * 120, {
        font: `bold ${size}px ${font}`,
        colour: ink,
      });
    return photograph(
      png(),
      background(),
      { tilt: 0.1, shadow: 0.4, noise: 10, blur: 1.4, quality: 65 },
      dice,
    );
  },
  async slide({ dice, font, write, ...text }) {
    const [back, ink, accent] = dice.pick([
      ['#0f2747', '#e8eef7', '#f2b134'],
      ['#fafafa', '#333', '#b3261e'],
      ['#e6ded1', '#a08f78', '#7a5c3e'],
      ['#222', '#999', '#fff'],
    ] as const);
    const { context, png } = canvasOf(1600, 900, back);
    const heading = wrap(context, text.sentence().slice(0, 60), `bold 60px ${font}`, 1400)[0] ?? '';
    write(context, heading, 100, 140, { font: `bold 60px ${font}`, colour: accent });
    let y = 260;
    for (let point = 0; point < 4; point++)
      for (const line of wrap(context, text.sentence(), `34px ${font}`, 1300)) {
        write(context, line, 140, y, { font: `34px ${font}`, colour: ink });
        y += 56;
      }
    const taken = dice.fraction() < 0.5 ? { tilt: 0.04, shadow: 0.3, contrast: 0.75, noise: 9, blur: 1 } : {};
    return photograph(png(), undefined, { ...taken, quality: 75 }, dice);
  },
  async cover({ dice, font, write, background, ...text }) {
    const { context, png } = canvasOf(900, 1300, '#222');
    const picture = await loadImage(background());
    const scale = Math.max(900 / picture.width, 1300 / picture.height);
    context.drawImage(
      picture,
      (900 - picture.width * scale) / 2,
      0,
      picture.width * scale,
      picture.height * scale,
    );
    const [band, ink] = dice.pick([
      ['rgba(0,0,0,.55)', '#fff'],
      ['rgba(255,255,255,.75)', '#1b1b1b'],
      ['rgba(120,20,40,.7)', '#fff'],
    ] as const);
    context.fillStyle = band;
    context.fillRect(0, 100, 900, 420);
    for (const [row, line] of wrap(
      context,
      `${text.region()} ${dice.pick(['and', 'und', 'et', 'y'])} ${text.region()}`,
      `bold 84px ${font}`,
      800,
    )
      .slice(0, 4)
      .entries())
      write(context, line, 50, 200 + row * 95, { font: `bold 84px ${font}`, colour: ink });
    context.fillStyle = 'rgba(0,0,0,.6)';
    context.fillRect(0, 1120, 900, 120);
    write(context, `${text.city()} ${dice.whole(1950, 2025)}`, 50, 1190, {
      font: `40px ${font}`,
      colour: '#eee',
    });
    return photograph(png(), undefined, { tilt: 0.02, shadow: 0.3, noise: 6, blur: 0.7, quality: 70 }, dice);
  },
  async chart({ dice, font, write, ...text }) {
    const { context, png } = canvasOf(1200, 800, '#fff');
    write(context, text.sentence().slice(0, 50).trim(), 200, 60, {
      font: `bold 26px ${font}`,
      colour: '#222',
    });
    write(context, text.currency(), 50, 520, { font: `20px ${font}`, colour: '#333', angle: -90 });
    const angle = dice.pick([0, -45, -30]);
    const bars = angle === 0 ? 5 : 9;
    for (let bar = 0; bar < bars; bar++) {
      const [x, high] = [150 + (bar * 1000) / bars, dice.whole(60, 480)];
      context.fillStyle = dice.pick(['#4e79a7', '#f28e2b', '#59a14f', '#e15759']);
      context.fillRect(x, 620 - high, 700 / bars, high);
      write(context, String(high * 3), x, 610 - high, { font: `16px ${font}`, colour: '#222' });
      const label = { font: `18px ${font}`, colour: '#222', angle };
      if (angle === 0) write(context, text.city().slice(0, 14).trim(), x, 660, label);
      else write(context, text.city().slice(0, 14).trim(), x - 30, 740, label);
    }
    for (let step = 0; step <= 5; step++)
      write(context, String(step * 300), 90, 625 - step * 100, { font: `16px ${font}`, colour: '#555' });
    return photograph(png(), undefined, { quality: dice.pick([50, 75, 90]), noise: dice.pick([0, 4]) }, dice);
  },
  async table({ dice, font, write, background, ...text }) {
    const { context, png } = canvasOf(1500, 900, '#fff');
    const columns = [40, 380, 760, 1040, 1280];
    const cells = [text.city, text.region, text.date, text.price, text.price];
    const ruled = dice.fraction() < 0.6;
    for (let row = 0; row < 14; row++) {
      context.fillStyle = row === 0 ? '#d9e2f0' : row % 2 && !ruled ? '#f3f3f3' : '#fff';
      context.fillRect(20, 20 + row * 60, 1460, 60);
      context.strokeStyle = '#777';
      if (ruled)
        for (const [at, x] of columns.entries())
          context.strokeRect(x - 20, 20 + row * 60, (columns[at + 1] ?? 1500) - x, 60);
      for (const [at, x] of columns.entries())
        write(context, (cells[at]?.() ?? '').slice(0, 22).trim(), x, 58 + row * 60, {
          font: `${row === 0 ? 'bold ' : ''}22px ${font}`,
          colour: '#222',
        });
    }
    const taken =
      dice.fraction() < 0.5 ? { tilt: 0.04, shadow: 0.4, contrast: 0.85, noise: 8, blur: 0.8 } : {};
    return photograph(png(), 'tilt' in taken ? background() : undefined, { ...taken, quality: 75 }, dice);
  },
  async page({ dice, write, background, ...text }) {
    const { context, png } = canvasOf(1240, 1754, '#fbfaf7');
    const font = dice.pick(['Liberation Serif', 'Liberation Sans', 'Lato']);
    let y = 140;
    write(context, wrap(context, text.sentence(), `bold 34px ${font}`, 1000)[0] ?? '', 120, y, {
      font: `bold 34px ${font}`,
      colour: '#222',
    });
    for (let paragraph = 0; paragraph < 6; paragraph++) {
      y += 36;
      const all = Array.from({ length: 4 }, text.sentence).join(' ');
      for (const line of wrap(context, all, `24px ${font}`, 1000))
        write(context, line, 120, (y += 36), { font: `24px ${font}`, colour: '#222' });
    }
    return photograph(
      png(),
      background(),
      { tilt: 0.03, shadow: 0.5, contrast: 0.85, noise: 8, blur: 0.9, quality: 65 },
      dice,
    );
  },
};
