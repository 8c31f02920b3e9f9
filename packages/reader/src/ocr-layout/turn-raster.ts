import type { PageRaster } from '../opened-document.ts';
import type { QuarterTurns } from '../layout/geometry.ts';

/** Maximum luminance of ink. */
const INK = 128;
/** In pixels at 200 dpi: two lines of text, and several letters. */
const TILE = 80;
/** Words are wider than high; rules of tables, and images, concentrate equally in both directions. */
const CLEARLY = 1.25;

/** Whether the lines of text of an image run up or down. */
export function runsSideways(raster: Pick<PageRaster, 'grey' | 'width' | 'height'>): boolean {
  const { level, upright } = concentrations(raster);
  return upright > CLEARLY * level;
}

/** How far the ink of small tiles concentrates in few rows, and in few columns. */
function concentrations({ grey, width, height }: Pick<PageRaster, 'grey' | 'width' | 'height'>) {
  let level = 0;
  let upright = 0;
  const rows = new Float64Array(TILE);
  const columns = new Float64Array(TILE);
  for (let top = 0; top + TILE <= height; top += TILE) {
    for (let left = 0; left + TILE <= width; left += TILE) {
      rows.fill(0);
      columns.fill(0);
      let ink = 0;
      for (let y = 0; y < TILE; y++) {
        const start = (top + y) * width + left;
        for (let x = 0; x < TILE; x++) {
          if ((grey[start + x] ?? 255) >= INK) continue;
          rows[y] = (rows[y] ?? 0) + 1;
          columns[x] = (columns[x] ?? 0) + 1;
          ink += 1;
        }
      }
      if (ink < TILE) continue;
      level += rows.reduce((sum, count) => sum + count * count, 0) / ink ** 2;
      upright += columns.reduce((sum, count) => sum + count * count, 0) / ink ** 2;
    }
  }
  return { level, upright };
}

/** Turns an image back by the quarters by which its text is turned clockwise. */
export function turnBack({ grey, width, height, dpi, turns }: PageRaster, by: QuarterTurns): PageRaster {
  const total = ((turns + by) % 4) as QuarterTurns;
  if (by === 0) return { grey, width, height, dpi, turns };
  if (by === 2) return { grey: grey.toReversed(), width, height, dpi, turns: total };
  const turned = new Uint8Array(grey.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = by === 1 ? (width - 1 - x) * height + y : x * height + (height - 1 - y);
      turned[at] = grey[y * width + x] ?? 255;
    }
  }
  return { grey: turned, width: height, height: width, dpi, turns: total };
}
