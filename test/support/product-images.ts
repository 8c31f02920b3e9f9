import sharp, { type Sharp } from 'sharp';
import { demoImage } from './images.ts';

/** A product on pure white that fills most of the frame, as marketplaces require. */
export function productOnWhite(side = 1200, background = '#fff'): Sharp {
  const middle = side / 2;
  return sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}">` +
        `<rect width="100%" height="100%" fill="${background}"/>` +
        `<ellipse cx="${middle}" cy="${middle}" rx="${side * 0.45}" ry="${side * 0.3}" fill="#a33"/></svg>`,
    ),
  );
}

/** A photograph with a border of this many pixels. */
export function bordered(pixels: number, colour = '#202020'): Sharp {
  const [top, right, bottom, left] = [pixels, pixels, pixels, pixels];
  return sharp(demoImage('coffee.jpg')).extend({ top, right, bottom, left, background: colour });
}
